// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import type { Classification, Gate } from '../../policy/classify.ts';
import { type Decision, decide, type Question } from '../../policy/decide.ts';

const GATES = ['automatic', 'ask', 'confirm'] as const;
const FLAGS = [false, true] as const;

const classification = (access: 'read' | 'write', gate: Gate): Classification => ({
  sideEffects: 'read',
  access,
  network: 'local',
  gate,
  risk: 'low',
  level: 'public',
});

const question = (more: Partial<Question> = {}): Question => ({
  classification: classification('read', 'automatic'),
  profile: 'standard',
  provider: { bound: true, signed: true },
  requireApproval: false,
  locked: false,
  enabled: true,
  takenBackByPerson: false,
  ...more,
});

const EVERY_QUESTION: readonly Question[] = FLAGS.flatMap((locked) =>
  FLAGS.flatMap((enabled) =>
    FLAGS.flatMap((takenBackByPerson) =>
      FLAGS.flatMap((requireApproval) =>
        FLAGS.flatMap((bound) =>
          FLAGS.flatMap((signed) =>
            (['standard', 'strict'] as const).flatMap((profile) =>
              (['read', 'write'] as const).flatMap((access) =>
                GATES.map((gate) => ({
                  locked,
                  enabled,
                  takenBackByPerson,
                  requireApproval,
                  provider: { bound, signed },
                  profile,
                  classification: classification(access, gate),
                })),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
);

const said = ({ effect, gate, decider }: Decision): string => `${effect} ${gate} ${decider}`;

describe('decide', () => {
  const rows: readonly [title: string, Partial<Question>, string][] = [
    ['[R23] an automatic gate lets pass', {}, 'allow automatic gate'],
    ['[R96] an asking gate asks', { classification: classification('write', 'ask') }, 'ask ask gate'],
    [
      '[R67] a confirming gate asks',
      { classification: classification('write', 'confirm') },
      'ask confirm gate',
    ],
    ['[R44] locked denies', { locked: true }, 'deny automatic locked'],
    ['[R66] not enabled denies', { enabled: false }, 'deny automatic not-enabled'],
    ['[R110] the caller wants approval', { requireApproval: true }, 'ask confirm require-approval'],
    [
      '[R156] the person takes back',
      { takenBackByPerson: true, classification: classification('write', 'confirm') },
      'allow confirm person',
    ],
    [
      'an unsigned provider writes',
      { provider: { bound: true, signed: false }, classification: classification('write', 'ask') },
      'ask confirm provider-unsigned',
    ],
    ['an unsigned provider reads', { provider: { bound: true, signed: false } }, 'allow automatic gate'],
    ['an unbound provider reads', { provider: { bound: false, signed: true } }, 'ask ask provider-unbound'],
    [
      'an unbound provider of a confirming gate',
      { provider: { bound: false, signed: true }, classification: classification('write', 'confirm') },
      'ask confirm provider-unbound',
    ],
    [
      'an unbound provider under the strict profile',
      { provider: { bound: false, signed: true }, profile: 'strict' },
      'ask confirm provider-unbound',
    ],
    [
      'an unbound and unsigned provider reads',
      { provider: { bound: false, signed: false } },
      'ask ask provider-unbound',
    ],
    [
      'an unbound and unsigned provider writes',
      { provider: { bound: false, signed: false }, classification: classification('write', 'ask') },
      'ask confirm provider-unsigned',
    ],
  ];
  for (const [title, more, expected] of rows) {
    it(title, () => assert.equal(said(decide(question(more))), expected));
  }

  it('[R44] [R65] [R66] [R96] denying beats every way of allowing', () => {
    for (const asked of EVERY_QUESTION) {
      const { effect } = decide(asked);
      assert.equal(effect === 'deny', asked.locked || !asked.enabled, JSON.stringify(asked));
    }
  });

  it('[R67] [R79] raises the gate and never lowers it; allows only what is automatic, or taken back by the person', () => {
    for (const asked of EVERY_QUESTION) {
      const { effect, gate } = decide(asked);
      assert.isAtLeast(GATES.indexOf(gate), GATES.indexOf(asked.classification.gate), JSON.stringify(asked));
      if (effect === 'allow' && !asked.takenBackByPerson) {
        assert.equal(gate, 'automatic');
        assert.isTrue(asked.provider.bound);
        assert.isFalse(asked.requireApproval);
        assert.isTrue(asked.provider.signed || asked.classification.access === 'read');
      }
      if (effect === 'ask') assert.notEqual(gate, 'automatic');
    }
  });

  it('[R98] is a function: equal questions, equal decisions', () => {
    for (const asked of EVERY_QUESTION) assert.deepEqual(decide(asked), decide(structuredClone(asked)));
  });

  it('[R71] denies where the evaluation fails', () => {
    const broken = question();
    Object.defineProperty(broken, 'locked', {
      get: () => {
        throw new Error('a fault');
      },
    });
    assert.equal(said(decide(broken)), 'deny confirm evaluation-failed');
  });

  it('[R71] is total: whatever comes in, nothing is thrown and nothing but what was understood is allowed', () => {
    const decideAnything: (asked: never) => Decision = decide;
    fc.assert(
      fc.property(fc.anything(), (garbage) => {
        const { effect } = Reflect.apply(decideAnything, undefined, [garbage]);
        assert.notEqual(effect, 'allow');
      }),
    );
  });
});
