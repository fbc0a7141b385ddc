// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Verdict } from '../../../broker/approval/choice.ts';
import { decodeDecisions, encodeQuestion } from '../../../broker/approval/confirm-message.ts';
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
  principalName: 'agent',
  connection: ':1.7',
  principalBinding: 'uid',
  assurance: 'advisory',
  risk: 'medium',
  sideEffects: 'write',
  targets: [
    { kind: 'path', value: '/a' },
    { kind: 'path', value: '/b\n/c' },
  ],
  params: '{"a":"\u200b"}',
  reason: '\u001b[1mfine',
  evidence: ['mail\u202e'],
  intention: 'tidy',
  choices: ['once', 'session', 'modified', 'later', 'deny', 'deny_session'],
  titles: {},
  undoMs: 1,
};

const OFFER = { locale: 'de', deadlineMs: 99.5, armingMs: 5, canModify: true };

describe('the message of a question', () => {
  const encode = (question: Question, offer = {}) =>
    encodeQuestion('q1', [{ question, problem: 'why' }], { ...OFFER, ...offer });
  const item = (question: Question, offer = {}): Record<string, unknown> => {
    const { body } = encode(question, offer);
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
      intention: 'tidy',
      problem: 'why',
      choices: ['once', 'session', 'modified', 'later', 'deny', 'deny_session'],
    });
  });

  it("[R154] names it in the person's language, or in the nearest there is", () => {
    const title = (locale: string): unknown => {
      const titles = { de: { name: '\u00d6ffnen' }, 'pt-BR': { description: 'x' } };
      const { body } = encode({ ...QUESTION, titles }, { locale });
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
    const { signature, body } = encode(QUESTION);
    assert.equal(body[0], 'q1');
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

describe('the rows of a question', () => {
  const rows = (...sideEffects: readonly string[]) =>
    sideEffects.map((one, index) => ({
      question: { ...QUESTION, sideEffects: one, digest: `d${index}` },
      problem: '',
    }));
  const fields = (given: ReturnType<typeof rows>, key: string): unknown[] => {
    const { body } = encodeQuestion('q1', given, OFFER);
    const [, items] = body;
    return (Array.isArray(items) ? items : []).map((one) => {
      const value: unknown = Object(one)[key];
      return value instanceof Variant ? value.value : undefined;
    });
  };

  it('[R152] one for each invocation; what destroys or reaches into the system needs a tick of its own', () => {
    const given = rows('write', 'destructive', 'system', 'network');
    assert.deepEqual(fields(given, 'digest'), ['d0', 'd1', 'd2', 'd3']);
    assert.deepEqual(fields(given, 'own_tick'), [false, true, true, false]);
  });

  it('[R157] the weakest assurance of them is the one that is shown', () => {
    const [one] = rows('write');
    if (one === undefined) throw new Error('unreachable');
    const strong = { question: { ...one.question, assurance: 'enforced' }, problem: '' };
    const shown = (given: readonly (typeof one)[]): unknown =>
      Object(encodeQuestion('q1', given, OFFER).body[2]).assurance.value;
    assert.equal(shown([strong]), 'enforced');
    assert.equal(shown([strong, one]), 'advisory');
  });
});

describe('the reading of a decision', () => {
  const read = (reply: readonly unknown[], canModify = true): Verdict | undefined =>
    decodeDecisions(reply, [QUESTION], { canModify }).get('d1');
  const said = (fields: Readonly<Record<string, unknown>>, canModify = true): Verdict | undefined =>
    read([decision('d1', fields)], canModify);

  it('[R84] [R85] [R86] [R87] takes each choice that was offered', () => {
    const note = undefined;
    assert.deepEqual(said({ decision: 'once' }), { choice: 'once', note });
    assert.deepEqual(said({ decision: 'deny', note: 'no' }), { choice: 'deny', note: 'no' });
    assert.deepEqual(said({ decision: 'deny_session' }), { choice: 'deny_session', note });
    assert.deepEqual(said({ decision: 'later' }), { choice: 'later' });
    assert.deepEqual(said({ decision: 'session' }), { choice: 'session', minutes: 60, note });
    const minutes = new Variant('u', 480);
    assert.deepEqual(said({ decision: 'session', minutes }), { choice: 'session', minutes: 480, note });
    assert.deepEqual(said({ decision: 'modified', params: '{}' }), { choice: 'once', params: '{}', note });
  });

  it('[R85] [R87] takes a session of a time that there is not, or a change without parameters, as a no', () => {
    for (const minutes of [0, 481, 1.5, '60', -1, Number.NaN]) {
      const given = typeof minutes === 'string' ? minutes : new Variant('d', minutes);
      assert.equal(said({ decision: 'session', minutes: given })?.choice, 'deny', String(minutes));
    }
    assert.equal(said({ decision: 'modified' })?.choice, 'deny');
    assert.equal(said({ decision: 'modified', params: new Variant('u', 1) })?.choice, 'deny');
  });

  it('[R87] a surface that cannot let a person change anything has changed nothing', () => {
    assert.equal(said({ decision: 'modified', params: '{}' }, false)?.choice, 'deny');
  });

  it('[R86] a note that is no text is none', () => {
    const note = new Variant('u', 5);
    assert.deepEqual(said({ decision: 'deny', note }), { choice: 'deny', note: undefined });
  });

  it('[R83] [R84] takes whatever is no plain yes to it as a no', () => {
    const once = decision('d1', { decision: 'once' });
    const others: readonly (readonly unknown[])[] = [
      [],
      [once, once],
      [decision('d2', { decision: 'once' })],
      [decision('d1', { decision: 'Once' })],
      [decision('d1', {})],
      [received({ d1: 'once' })],
      ['once'],
      [undefined],
    ];
    for (const body of others) assert.equal(read(body)?.choice, 'deny', JSON.stringify(body));
  });

  it('[R152] each row by its own digest, and a row left out is denied', () => {
    const questions = ['d1', 'd2', 'd3'].map((digest) => ({ ...QUESTION, digest }));
    const fields = (said: string) => new Variant('a{sv}', received({ decision: said }));
    const reply = received({ d1: fields('once'), d3: fields('later') });
    const verdicts = decodeDecisions([reply], questions, { canModify: true });
    assert.deepEqual(
      [...verdicts].map(([digest, { choice }]) => [digest, choice]),
      [
        ['d1', 'once'],
        ['d2', 'deny'],
        ['d3', 'later'],
      ],
    );
  });

  it('lets a fault of ours pass', () => {
    const broken = new Proxy([], {
      get: () => {
        throw new TypeError('a fault');
      },
    });
    assert.throws(() => read([broken]), TypeError);
  });
});
