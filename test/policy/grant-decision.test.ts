// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { decide, type Question } from '../../policy/decide.ts';
import { PolicyError } from '../../policy/error.ts';
import { permit } from '../../policy/permit.ts';
import type { Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { standingQuestion } from '../../policy/standing-question.ts';
import { SIDE_EFFECTS } from './capabilities.ts';
import { circumstances, rule, subject } from './rules.ts';

const FLAGS = [false, true] as const;
const EFFECTS = [undefined, 'ALLOW', 'ASK', 'DENY'] as const;
const TARGETS = [{ kind: 'path', value: '/tmp/a' }] as const;

/** Every set of one rule of the administrator's and one of the person's, or neither. */
const RULES: readonly RuleSet[] = EFFECTS.flatMap((roots) =>
  EFFECTS.map((persons) => {
    const rules: readonly (Rule | undefined)[] = [
      roots && rule('root:a:1', { source: 'root', effect: roots }),
      persons && rule('p', { scope: 'agent', effect: persons }),
    ];
    return RuleSet.of(
      rules.filter((one) => one !== undefined),
      [],
    );
  }),
);

const STANDINGS: readonly Question[] = SIDE_EFFECTS.flatMap((sideEffects) =>
  ([1, 2, 'builtin'] as const).flatMap((tier) =>
    FLAGS.flatMap((bound) =>
      FLAGS.flatMap((signed) =>
        (['standard', 'strict'] as const).map((profile) => {
          const one = subject({ id: 'files.open' }, sideEffects, { tier, provider: { bound, signed } });
          const { declaresTargets: _, ...question } = standingQuestion(
            { id: 'agent', name: 'agent' },
            one,
            circumstances({ profile }),
          );
          return { ...question, targets: TARGETS };
        }),
      ),
    ),
  ),
);

/** Nothing in the way, or one thing. */
const OCCASIONS: readonly Partial<Question>[] = [
  {},
  { requireApproval: true },
  { locked: true },
  { suspended: true },
  { sessionLocked: true },
  { deniedForSession: true },
  { enabled: false },
];

const QUESTIONS: readonly Question[] = STANDINGS.flatMap((standing) =>
  OCCASIONS.flatMap((occasion) => RULES.map((rules) => ({ ...standing, ...occasion, rules }))),
);

const permits = (question: Question): boolean => {
  try {
    permit(decide(question), 'digest', { grant: 'g1' });
    return true;
  } catch (error) {
    assert.instanceOf(error, PolicyError);
    assert.equal(error.code, 'ApprovalMismatch');
    return false;
  }
};

describe('a grant', () => {
  it('[R109] [R110] answers only where policy asks and leaves room for it', () => {
    let answered = 0;
    for (const question of QUESTIONS) {
      const { effect, gate, grantable } = decide(question);
      assert.equal(permits(question), grantable);
      if (!grantable) continue;
      answered += 1;
      assert.equal(effect, 'ask');
      assert.equal(gate, 'ask');
      const { requireApproval, locked, suspended, sessionLocked, deniedForSession, enabled } = question;
      assert.isFalse(requireApproval || locked || suspended || sessionLocked || deniedForSession || !enabled);
      assert.equal(question.profile, 'standard');
      assert.isTrue(question.provider.bound);
      assert.notEqual(question.classification.gate, 'confirm');
      assert.isFalse(question.rules.rules.some((one) => one.source === 'root' && one.effect === 'DENY'));
    }
    assert.isAbove(answered, 50);
  });

  it('[R110] does not satisfy a wish for approval', () => {
    const asking = QUESTIONS.filter((question) => decide(question).grantable);
    for (const question of asking) assert.isFalse(permits({ ...question, requireApproval: true }));
  });
});
