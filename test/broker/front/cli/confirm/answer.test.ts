// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { interpret, prompt } from '../../../../../broker/front/cli/confirm/answer.ts';

const OPEN = { allow: true, isCut: false };
const CUT = { allow: true, isCut: true };

describe('[R84] [R86] what a typed line means', () => {
  it('allows once at the whole word alone', () => {
    assert.deepEqual(interpret('allow', OPEN), { decision: 'once' });
    assert.deepEqual(interpret('  allow ', OPEN), { decision: 'once' });
  });

  it('denies at anything else', () => {
    const lines = [
      '',
      ' ',
      'n',
      'no',
      'y',
      'yes',
      'a',
      'allo',
      'Allow',
      'ALLOW',
      'allow!',
      'allow it',
      'xallow',
      'once',
      'v',
      'deny',
      'аllow',
    ];
    for (const line of lines) assert.deepEqual(interpret(line, OPEN), { decision: 'deny' }, line);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (line, isCut) => {
        if (line.trim() === 'allow') return;
        assert.notDeepEqual(interpret(line, { allow: true, isCut }), { decision: 'once' });
      }),
    );
  });

  it('denies with a note', () => {
    assert.deepEqual(interpret('note not before Friday', OPEN), {
      decision: 'deny',
      note: 'not before Friday',
    });
    assert.deepEqual(interpret('note   allow', OPEN), { decision: 'deny', note: 'allow' });
    assert.deepEqual(interpret('note', OPEN), { decision: 'deny' });
    assert.deepEqual(interpret('note ', OPEN), { decision: 'deny' });
  });

  it('allows nothing while something is cut, and shows it at v', () => {
    assert.equal(interpret('allow', CUT), 'show-all-first');
    assert.equal(interpret('v', CUT), 'show-all');
    assert.deepEqual(interpret('', CUT), { decision: 'deny' });
  });

  it('allows nothing where allowing has no effect', () => {
    assert.deepEqual(interpret('allow', { allow: false, isCut: false }), { decision: 'deny' });
    assert.deepEqual(interpret('allow', { allow: false, isCut: true }), { decision: 'deny' });
  });

  it('offers exactly what has an effect', () => {
    assert.include(prompt(OPEN), '`allow`');
    assert.notInclude(prompt(OPEN), '`v`');
    assert.notInclude(prompt(CUT), '`allow`');
    assert.include(prompt(CUT), '`v`');
    assert.notInclude(prompt({ allow: false, isCut: false }), '`allow`');
  });
});
