// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { checkText } from '../../manifests/text.ts';
import { capabilityWith, manifestWith, parse, refusal, refused } from './fixtures.ts';

const RULE = { maxLength: 20, lines: false, joiners: false };
const check = (text: string, rule = RULE) => refused(() => checkText(text, '/t', rule));

describe('manifests/text', () => {
  it('[R18] takes readable text of any script', () => {
    for (const text of ['Open', 'Öffnen', 'Открыть', '开く', 'فتح', 'Ouvrir l’élément', '✓ fait']) {
      assert.doesNotThrow(() => checkText(text, '/t', RULE), undefined, undefined, text);
    }
  });

  it('[R18] refuses what a person could not see, and names the character', () => {
    const unseen = [
      '\0',
      '\x1b',
      '\x7f',
      '\x85',
      '\u00ad',
      '\u061c',
      '\u200b',
      '\u200e',
      '\u202e',
      '\u2028',
      '\u2066',
      '\u3164',
    ];
    for (const character of [
      ...unseen,
      '\ufeff',
      '\ue000',
      '\u{e0041}',
      '\ufe0f',
      '\u2800',
      '\ud800',
      '\n',
      '\ufdd0',
    ]) {
      assert.equal(check(`Open${character}x`), 'TextInvalid /t', escape(character));
    }
    assert.include(refusal(() => checkText('Open\u202etxt.exe', '/name', RULE)).message, 'U+202E');
  });

  it('[R18] refuses blank, padded and long text', () => {
    for (const text of ['', ' ', '\u00a0', ' a', 'a ', '\u3000a', 'a'.repeat(21)])
      assert.equal(check(text), 'TextInvalid /t');
    assert.doesNotThrow(() => checkText('a'.repeat(20), '/t', RULE));
  });

  it('allows line feeds and joiners only where the rule does', () => {
    assert.doesNotThrow(() => checkText('a\n\nb', '/t', { ...RULE, lines: true }));
    assert.equal(check('a\rb', { ...RULE, lines: true }), 'TextInvalid /t');
    assert.equal(check('می\u200cخواهم'), 'TextInvalid /t');
    assert.doesNotThrow(() => checkText('می\u200cخواهم', '/t', { ...RULE, joiners: true }));
  });

  it('[R18] the texts of a manifest are checked, each at its place', () => {
    const bad = 'Open\u202etxt.exe';
    const at = (manifest: unknown) => refused(() => parse(manifest));
    assert.equal(at(capabilityWith({ name: bad })), 'TextInvalid /capabilities/0/name');
    assert.equal(at(capabilityWith({ name: 'a'.repeat(129) })), 'TextInvalid /capabilities/0/name');
    assert.equal(at(capabilityWith({ name: 'two\nlines' })), 'TextInvalid /capabilities/0/name');
    assert.equal(at(capabilityWith({ name: '   ' })), 'TextInvalid /capabilities/0/name');
    assert.equal(at(capabilityWith({ description: 'a\x1b[2Jb' })), 'TextInvalid /capabilities/0/description');
    assert.equal(
      at(capabilityWith({ description: 'a'.repeat(10_000) })),
      'TextInvalid /capabilities/0/description',
    );
    assert.equal(
      at(capabilityWith({ side_effects_note: bad })),
      'TextInvalid /capabilities/0/side_effects_note',
    );
    assert.equal(
      at(capabilityWith({ locales: { de: { name: bad } } })),
      'TextInvalid /capabilities/0/locales/de/name',
    );
    assert.equal(
      at(manifestWith({ locales: { de: { description: bad } } })),
      'TextInvalid /locales/de/description',
    );
    assert.equal(at(manifestWith({ version: '1\u200b' })), 'TextInvalid /version');
    const event = { event_type: 'changed', description: 'A file changed' };
    assert.equal(
      at(manifestWith({ events: [{ ...event, event_type: bad }] })),
      'TextInvalid /events/0/event_type',
    );
    assert.equal(
      at(manifestWith({ events: [{ ...event, description: bad }] })),
      'TextInvalid /events/0/description',
    );
  });
});
