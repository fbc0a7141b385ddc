// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import type { AuditEvent } from '../../../broker/audit/event.ts';
import { isRecordableName, readEvent, sealEvent } from '../../../broker/audit/gate.ts';
import { codeOf } from '../store/temporary.ts';

const FULL: Required<AuditEvent> = {
  type: 'executed',
  time: 1_796_000_000_000,
  invocation: '0b6c1f0e-7d8b-4f6e-9f43-0a6b8c1d2e3f',
  principal: 'assistant',
  binding: 'app-unit',
  pid: 4242,
  uid: 1000,
  appId: 'io.github._0xzer0x.qurancompanion',
  capability: 'files.com.visualstudio.codeoss.open',
  version: '1.0',
  classification: {
    sideEffects: 'destructive',
    access: 'write',
    network: 'local',
    risk: 'high',
    gate: 'confirm',
  },
  stage: 'outcome',
  code: 'ExecutionFailed',
  tier: 1,
  rule: 'base:12',
  decider: 'require-approval',
  effect: 'ask',
  specificity: 13,
  considered: ['root:10-base:3', '6d1f0b5e-7d8b-4f6e-9f43-0a6b8c1d2e3f', 'user:web:1', 'base:12'],
  consideredCount: 27,
  grant: 'session',
  commitment: 'b'.repeat(64),
  replaced: 'c'.repeat(64),
  paramsSize: 12,
  resultSize: 0,
  durationMs: 31,
  profile: 'standard',
  assurance: 'advisory',
  origin: 'plan:3',
  count: 1,
};

const MARKER = 'hunter2-9f3c';
const FORGED = 'x\n{"event":"approved"}';
const TEXTS = [
  'invocation',
  'principal',
  'binding',
  'appId',
  'capability',
  'version',
  'stage',
  'code',
  'rule',
  'decider',
  'effect',
  'grant',
  'commitment',
  'replaced',
  'profile',
  'assurance',
  'origin',
] as const;
const CLASSES = ['sideEffects', 'access', 'network', 'risk', 'gate'] as const;

/** The body, or nothing where the event is refused as a whole. */
function bodyOf(event: unknown): string {
  try {
    return sealEvent(event as AuditEvent).body;
  } catch (error) {
    assert.equal(
      codeOf(() => {
        throw error;
      }),
      'EventInvalid',
    );
    return '';
  }
}

describe('broker/audit/gate', () => {
  it('[R116] keeps every field of an event and reads it back', () => {
    const { body, type, invocation } = sealEvent(FULL);
    assert.deepEqual(readEvent(body), FULL);
    assert.deepEqual([type, invocation], [FULL.type, FULL.invocation]);
    assert.deepEqual(Object.keys(JSON.parse(body)).toSorted(), Object.keys(FULL).toSorted());
  });

  it('[R117] no text field takes a word that looks like a secret, a forged line or something too long', () => {
    const hostile = [
      MARKER,
      `${MARKER} `,
      FORGED,
      `a.b.${'c'.repeat(300)}`,
      '/home/u/secret/*',
      'péché',
      '',
      '\u202Etxt',
      'a\u0000b',
    ];
    for (const field of TEXTS) {
      for (const text of hostile) {
        const body = bodyOf({ ...FULL, [field]: text });
        if (text !== '') assert.notInclude(body, JSON.stringify(text).slice(1, -1), field);
        assert.notInclude(body, '\n', field);
        if (field !== 'invocation') assert.include(body, `"${field}":"invalid(${text.length})"`);
      }
    }
    for (const field of CLASSES) {
      const body = bodyOf({ ...FULL, classification: { ...FULL.classification, [field]: MARKER } });
      assert.notInclude(body, MARKER, field);
      assert.include(body, `"${field}":"invalid(12)"`);
    }
  });

  it('[R117] an unknown field, a number that is text, and a class that is none leave no trace', () => {
    for (const more of [
      { params: MARKER },
      { [MARKER]: 1 },
      { toJSON: () => MARKER },
      { pid: MARKER },
      { durationMs: { value: MARKER } },
      { classification: MARKER },
      { classification: { [MARKER]: MARKER } },
      { classification: [MARKER] },
      { principal: [MARKER] },
      { principal: { toString: () => MARKER } },
      { type: MARKER },
      { time: MARKER },
    ]) {
      assert.notInclude(bodyOf({ ...FULL, ...more }), MARKER, JSON.stringify(more));
    }
  });

  it('[R117] property: whatever text goes in, one line of JSON with the known fields comes out', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constant(FORGED));
    const record = fc.record(Object.fromEntries(TEXTS.map((field) => [field, text])));
    fc.assert(
      fc.property(record, (texts) => {
        const body = bodyOf({ ...FULL, ...texts, invocation: FULL.invocation });
        assert.match(body, /^[\x20-\x7e]+$/);
        assert.deepEqual(Object.keys(JSON.parse(body)).toSorted(), Object.keys(FULL).toSorted());
        assert.equal(JSON.stringify(readEvent(body)), body, 'what is read is what was written, in its order');
      }),
    );
  });

  it('[R117] property: whatever is no number, class or list of rules, what is written is what is read', () => {
    const fields = [
      'pid',
      'uid',
      'tier',
      'count',
      'durationMs',
      'considered',
      'classification',
      'specificity',
    ];
    const record = fc.record(
      Object.fromEntries(fields.map((field) => [field, fc.anything({ maxDepth: 2 })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(record, (values) => {
        const body = bodyOf({ ...FULL, ...values });
        assert.match(body, /^[\x20-\x7e]+$/);
        assert.equal(JSON.stringify(readEvent(body)), body);
      }),
    );
  });

  it('records a made-up capability id only when it has the form of one', () => {
    for (const id of [
      'system.health',
      'editor.org.gnome.texteditor.open',
      'atspi.org.gnome.calculator.main.press.ok3fa',
    ]) {
      assert.include(bodyOf({ ...FULL, capability: id }), `"capability":"${id}"`);
    }
    for (const id of [
      'health',
      'Files.open',
      'a.b.',
      'a..b',
      'a.b c',
      `a.${'b'.repeat(254)}`,
      'files.open\n',
    ]) {
      assert.include(bodyOf({ ...FULL, capability: id }), `"capability":"invalid(${id.length})"`);
    }
  });

  it('[R116] names the rules that were considered, at most 20, each in the form of a rule', () => {
    const read = (considered: unknown) => readEvent(bodyOf({ ...FULL, considered }))?.considered;
    const rules = [
      'root:10-base:3',
      'user:web-2:14',
      'base:12',
      'locked',
      '6d1f0b5e-7d8b-4f6e-9f43-0a6b8c1d2e3f',
    ];
    assert.deepEqual(read(rules), rules);
    assert.deepEqual(read([MARKER, 7, 'root:Base:3', '/home/u/**']), [
      'invalid(12)',
      'invalid(0)',
      'invalid(11)',
      'invalid(10)',
    ]);
    assert.deepEqual(read(Array(30).fill('base:1')), Array(20).fill('base:1'));
    for (const none of [MARKER, 7, null, { 0: MARKER, length: 1 }]) assert.deepEqual(read(none), []);
  });

  it('[R116] records an effect, a grant and a replaced hash in no other form than theirs', () => {
    const forms = {
      effect: ['allow', 'ask', 'deny'],
      grant: ['session', '6d1f0b5e-7d8b-4f6e-9f43-0a6b8c1d2e3f'],
      replaced: ['d'.repeat(64)],
    };
    for (const [field, texts] of Object.entries(forms)) {
      for (const text of texts) assert.include(bodyOf({ ...FULL, [field]: text }), `"${field}":"${text}"`);
      for (const text of ['allowed', 'person', 'base:1'])
        assert.include(bodyOf({ ...FULL, [field]: text }), `"${field}":"invalid(${text.length})"`);
    }
  });

  it('refuses an event that could not be tied to its attempt', () => {
    for (const broken of [
      { type: 'made-up', time: 1 },
      { type: 'started', time: Number.NaN },
      { type: 'started', time: -1 },
      { type: 'started', time: 1.5 },
      { type: 'requested', time: 1 },
      { type: 'executed', time: 1 },
      { type: 'denied', time: 1, invocation: 'with space' },
      { type: 'requested', time: 1, invocation: 7 },
    ]) {
      assert.equal(
        codeOf(() => sealEvent(broken as AuditEvent)),
        'EventInvalid',
        JSON.stringify(broken),
      );
    }
    assert.equal(sealEvent({ type: 'denied', time: 1 }).invocation, undefined);
  });

  it('rounds a number and marks what is none', () => {
    const numbers = [3.4, -0.2, Number.NaN, Number.POSITIVE_INFINITY, -5, 2 ** 60];
    const read = numbers.map((durationMs) => readEvent(bodyOf({ ...FULL, durationMs }))?.durationMs);
    assert.deepEqual(read, [3, 0, -1, -1, -1, -1]);
  });

  it('reads back nothing but events, cleaned like new ones', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '"requested"',
      '{}',
      '{"type":"made-up","time":1}',
      '{"type":"started","time":"1"}',
    ]) {
      assert.isUndefined(readEvent(text), text);
    }
    const tampered = JSON.stringify({ type: 'started', time: 1, principal: '\u001b[2J', extra: MARKER });
    assert.deepEqual(readEvent(tampered), { type: 'started', time: 1, principal: 'invalid(4)' });
    assert.deepEqual(
      readEvent('{"type":"started","time":1,"principal":"invalid(4)"}')?.principal,
      'invalid(4)',
    );
  });

  it('says which names it can hold', () => {
    for (const name of ['public', 'assistant', 'uid:1000', 'gpt-4o', 'claude-3.5', 'desk-agent']) {
      assert.isTrue(isRecordableName(name), name);
    }
    for (const name of [MARKER, 'Assistant', 'two words', '', '4', 'a--b', `a${'-a'.repeat(200)}`]) {
      assert.isFalse(isRecordableName(name), name);
    }
  });
});
