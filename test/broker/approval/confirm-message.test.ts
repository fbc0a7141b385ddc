// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { decodeDecision, encodeQuestion } from '../../../broker/approval/confirm-message.ts';
import type { Question } from '../../../broker/approval/question.ts';
import { Variant } from '../../../dbus/values.ts';
import { decision, received } from '../intent/scripted-bus.ts';

const QUESTION: Question = {
  invocation: 'i1',
  digest: 'd1',
  kind: 'invoke',
  capability: 'files.org.example.a',
  version: '1.0',
  title: 'Open\u202etxt.exe',
  appId: 'org.example',
  providerBinding: 'sandbox',
  principal: 'agent',
  principalBinding: 'uid',
  assurance: 'advisory',
  risk: 'medium',
  sideEffects: 'write',
  targets: ['/a', '/b\n/c'],
  params: '{"a":"\u200b"}',
  reason: '\u001b[1mfine',
  evidence: ['mail\u202e'],
  titles: {},
  undoMs: 1,
};

describe('the message of a question', () => {
  const item = (question: Question): Record<string, unknown> => {
    const { body } = encodeQuestion(question, { locale: 'de', deadlineMs: 99.5, armingMs: 5 });
    const [, items] = body;
    const [first] = Array.isArray(items) ? items : [];
    const fields = Object.entries(Object(first)).map(([key, value]) => [
      key,
      value instanceof Variant && value.value,
    ]);
    return Object.fromEntries(fields);
  };

  it('[R83] [R92] names what would run by its digest and shows each part escaped', () => {
    assert.deepInclude(item(QUESTION), {
      invocation: 'i1',
      digest: 'd1',
      title: 'Open\\u{202e}txt.exe',
      target: '/a\n/b\\n/c',
      params: '{"a":"\\u200b"}',
      reason: '\\u{1b}[1mfine',
      evidence: ['mail\\u{202e}'],
      choices: ['once', 'deny'],
    });
  });

  it("[R154] names it in the person's language, or in the nearest there is", () => {
    const title = (locale: string): unknown => {
      const titles = { de: { name: '\u00d6ffnen' }, 'pt-BR': { description: 'x' } };
      const { body } = encodeQuestion({ ...QUESTION, titles }, { locale, deadlineMs: 1, armingMs: 1 });
      const [, items] = body;
      const { title: shown } = Object((Array.isArray(items) ? items : [])[0]);
      return shown instanceof Variant && shown.value;
    };
    assert.equal(title('de'), '\u00d6ffnen');
    assert.equal(title('de_AT'), '\u00d6ffnen');
    assert.equal(title('pt_BR'), 'Open\\u{202e}txt.exe');
    assert.equal(title('constructor'), 'Open\\u{202e}txt.exe');
  });

  it('[R26] says whether it can be undone', () => {
    assert.equal(item(QUESTION).undo, 'can be undone for 1 s');
    assert.equal(item({ ...QUESTION, undoMs: 30_001 }).undo, 'can be undone for 31 s');
    assert.equal(item({ ...QUESTION, undoMs: 0 }).undo, 'cannot be undone');
    assert.equal(item({ ...QUESTION, kind: 'undo' }).undo, 'takes back what was done before');
  });

  it('[R82] [R157] gives the time that is left and the assurance', () => {
    const { signature, body } = encodeQuestion(QUESTION, { locale: 'de', deadlineMs: 99.5, armingMs: 5 });
    assert.equal(signature, 'saa{sv}a{sv}');
    const fields = Object.entries(Object(body[2])).map(([key, value]) => [
      key,
      value instanceof Variant && value.value,
    ]);
    assert.deepEqual(Object.fromEntries(fields), {
      locale: 'de',
      deadline_ms: 100,
      arming_ms: 5,
      assurance: 'advisory',
    });
  });
});

describe('the reading of a decision', () => {
  it('[R84] takes once and deny for this digest', () => {
    assert.deepEqual(decodeDecision([decision('d1', { decision: 'once' })], QUESTION, 'desk'), {
      kind: 'once',
      digest: 'd1',
      decider: 'desk',
    });
    assert.deepEqual(decodeDecision([decision('d1', { decision: 'deny', note: 'no' })], QUESTION, 'desk'), {
      kind: 'deny',
      note: 'no',
      decider: 'desk',
    });
  });

  it('[R86] an empty note, or one that is no text, is none', () => {
    for (const note of ['', new Variant('u', 5)]) {
      const answer = decodeDecision([decision('d1', { decision: 'deny', note })], QUESTION, 'desk');
      assert.deepEqual(answer, { kind: 'deny', note: undefined, decider: 'desk' });
    }
  });

  it('[R83] [R84] takes whatever is no plain yes to it as a no', () => {
    const once = decision('d1', { decision: 'once' });
    const others: readonly (readonly unknown[])[] = [
      [],
      [once, once],
      [decision('d2', { decision: 'once' })],
      [decision('d1', { decision: 'Once' })],
      [decision('d1', { decision: 'session' })],
      [decision('d1', {})],
      [received({ d1: 'once' })],
      ['once'],
      [undefined],
    ];
    for (const body of others)
      assert.equal(decodeDecision(body, QUESTION, 'desk').kind, 'deny', JSON.stringify(body));
  });

  it('lets a fault of ours pass', () => {
    const broken = new Proxy([], {
      get: () => {
        throw new TypeError('a fault');
      },
    });
    assert.throws(() => decodeDecision([broken], QUESTION, 'desk'), TypeError);
  });
});
