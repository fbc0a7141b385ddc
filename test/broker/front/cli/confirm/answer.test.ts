// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { interpret, type Offered, offer, prompt } from '../../../../../broker/front/cli/confirm/answer.ts';
import { row } from './question.ts';

const open: Offered = {
  choices: ['once', 'deny'],
  isCut: false,
  ownWord: false,
  changed: false,
  canChange: true,
};
const all: Offered = {
  ...open,
  choices: ['once', 'session', 'modified', 'later', 'deny', 'deny_session'],
};
const cut: Offered = { ...all, isCut: true };
const DENY = { decision: 'deny' } as const;
const words = (offered: Offered): readonly string[] =>
  prompt(offered)
    .slice(1)
    .map((line) => line.slice(2).split('  ')[0] ?? '');

describe('[R84] [R86] what a typed line means', () => {
  it('allows once at the whole word alone', () => {
    assert.deepEqual(interpret('allow', open), { decision: 'once' });
    assert.deepEqual(interpret('  allow ', open), { decision: 'once' });
  });

  it('denies at anything else', () => {
    const lines = ['', ' ', 'n', 'no', 'y', 'yes', 'a', 'allo', 'Allow', 'ALLOW', 'allow!', 'allow it'];
    const more = ['xallow', 'once', 'v', 'deny', 'аllow', 'allow destructive', 'allow session 0', 'session'];
    const minutes = ['allow session 481', 'allow session 1.5', 'allow session -1', 'allow  session'];
    for (const line of [...lines, ...more, ...minutes]) assert.deepEqual(interpret(line, all), DENY, line);
  });

  it('lets nothing run at anything but the words that are offered', () => {
    const typed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^(?:allow|deny|change|later|v|note| |session|destructive|\d){0,5}$/),
    );
    const offered = fc.record({
      choices: fc.subarray([...all.choices]),
      isCut: fc.boolean(),
      ownWord: fc.boolean(),
      changed: fc.boolean(),
      canChange: fc.boolean(),
    });
    fc.assert(
      fc.property(typed, offered, (line, seen) => {
        const answer = interpret(line, seen);
        if (typeof answer === 'string' && answer !== 'allow-changed') return;
        const decision = answer === 'allow-changed' ? 'modified' : answer.decision;
        assert.isTrue(decision === 'deny' || seen.choices.includes(decision), decision);
        if (decision === 'once' || decision === 'session' || decision === 'modified') {
          assert.isFalse(seen.isCut);
          assert.match(line.trim(), /^allow(?: destructive| session(?: \d+)?)?$/);
          assert.equal(decision === 'modified', seen.changed);
        }
      }),
    );
  });

  it('[R86] allows for a session, for as long as is said', () => {
    assert.deepEqual(interpret('allow session', all), { decision: 'session' });
    assert.deepEqual(interpret('allow session 20', all), { decision: 'session', minutes: 20 });
    assert.equal(interpret('allow session', open), 'not-offered');
  });

  it('[R86] decides later, and denies for the session', () => {
    assert.deepEqual(interpret('later', all), { decision: 'later' });
    assert.deepEqual(interpret('deny session', all), { decision: 'deny_session' });
    assert.equal(interpret('later', open), 'not-offered');
    assert.deepEqual(interpret('deny session', open), DENY);
  });

  it('[R87] changes only where there is something to change it with, and allows what was changed as such', () => {
    assert.equal(interpret('change', all), 'change');
    assert.equal(interpret('change', { ...all, canChange: false }), 'not-offered');
    assert.equal(interpret('change', open), 'not-offered');
    assert.equal(interpret('allow', { ...all, changed: true }), 'allow-changed');
    assert.equal(interpret('allow session', { ...all, changed: true }), 'not-offered');
  });

  it('[R152] takes a word more for what destroys among several', () => {
    const destructive = row({ ownTick: true, choices: all.choices });
    const among = offer(destructive, { isCut: false, of: 2, canChange: false });
    assert.equal(interpret('allow', among), 'own-word-first');
    assert.equal(interpret('allow session', among), 'not-offered');
    assert.deepEqual(interpret('allow destructive', among), { decision: 'once' });
    const alone = offer(destructive, { isCut: false, of: 1, canChange: false });
    assert.deepEqual(interpret('allow', alone), { decision: 'once' });
    const harmless = offer(row(), { isCut: false, of: 2, canChange: false });
    assert.deepEqual(interpret('allow', harmless), { decision: 'once' });
  });

  it('denies with a note', () => {
    assert.deepEqual(interpret('note not before Friday', open), {
      decision: 'deny',
      note: 'not before Friday',
    });
    assert.deepEqual(interpret('note   allow', open), { decision: 'deny', note: 'allow' });
    assert.deepEqual(interpret('note', open), DENY);
    assert.deepEqual(interpret('note ', open), DENY);
  });

  it('allows nothing while something is cut, and shows it at v', () => {
    for (const line of ['allow', 'allow session']) assert.equal(interpret(line, cut), 'show-all-first');
    assert.equal(interpret('v', cut), 'show-all');
    assert.deepEqual(interpret('', cut), DENY);
  });

  it('offers exactly what has an effect', () => {
    assert.deepEqual(words(open), ['allow', 'note TEXT', 'anything else']);
    assert.deepEqual(words(all), [
      'allow',
      'allow session',
      'change',
      'later',
      'deny session',
      'note TEXT',
      'anything else',
    ]);
    assert.deepEqual(words(cut), ['v', 'change', 'later', 'deny session', 'note TEXT', 'anything else']);
    assert.notInclude(words({ ...all, canChange: false }), 'change');
    assert.notInclude(words({ ...all, changed: true }), 'allow session');
    assert.include(words({ ...all, ownWord: true }), 'allow destructive');
    assert.deepEqual(words({ ...open, choices: ['deny'] }), ['note TEXT', 'anything else']);
  });

  it('fits a terminal of 80 columns', () => {
    for (const offered of [all, cut, { ...all, ownWord: true }]) {
      for (const line of prompt(offered)) assert.isAtMost(line.length, 80, line);
    }
  });
});
