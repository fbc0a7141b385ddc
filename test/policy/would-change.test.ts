// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { type Decision, decide, type Question } from '../../policy/decide.ts';
import type { Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import type { WouldChange } from '../../policy/would-change.ts';
import { glob } from './grants.ts';
import {
  CAPABILITY,
  classification,
  EVERY_RULE,
  EVERY_TARGETS,
  GATES,
  question,
  ruleSet,
} from './questions.ts';
import { rule } from './rules.ts';

const write = { classification: classification('write', 'ask') };
const target = glob('/home/**');

describe('wouldChange', () => {
  const rows: readonly [title: string, Partial<Question>, readonly WouldChange[]][] = [
    ['what runs', {}, []],
    ['what the person takes back', { ...write, takenBackByPerson: true }, []],
    ['a suspension', { suspended: true }, ['resume']],
    ['a lock', { locked: true }, ['unlock']],
    ['what is not enabled', { enabled: false }, ['enable-external']],
    ['a denial of root', { rules: ruleSet(rule('r', { source: 'root' })) }, ['root-rule']],
    ['a locked session', { ...write, sessionLocked: true }, ['unlock-session']],
    ['a denial for the session', { deniedForSession: true }, ['nothing']],
    ['a wish for approval', { requireApproval: true }, ['answer']],
    ['a confirming gate', { classification: classification('write', 'confirm') }, ['answer']],
    ['an asking gate', write, ['answer', 'grant', 'more-specific-allow']],
    ['an asking gate under the strict profile', { ...write, profile: 'strict' }, ['answer']],
    [
      'an unsigned provider',
      { ...write, provider: { bound: true, signed: false } },
      ['answer', 'sign-provider'],
    ],
    ['an unbound provider', { provider: { bound: false, signed: true } }, ['answer', 'bind-provider']],
    [
      'what is derived',
      { capability: { id: CAPABILITY, appId: undefined, tier: 2 } },
      ['answer', 'grant', 'more-specific-allow'],
    ],
    ['a rule that denies', { rules: ruleSet(rule('r')) }, ['remove-rule', 'more-specific-allow']],
    [
      'a rule that asks',
      { rules: ruleSet(rule('r', { effect: 'ASK' })) },
      ['answer', 'grant', 'remove-rule', 'more-specific-allow'],
    ],
    [
      'a rule that asks, strict',
      { profile: 'strict', rules: ruleSet(rule('r', { effect: 'ASK' })) },
      ['answer', 'remove-rule', 'more-specific-allow'],
    ],
    [
      'asking of root',
      { rules: ruleSet(rule('r', { effect: 'ASK', source: 'root' })) },
      ['answer', 'grant', 'root-rule'],
    ],
    [
      'asking of root and another',
      {
        rules: ruleSet(
          rule('r', { effect: 'ASK', source: 'root' }),
          rule('s', { effect: 'ASK', scope: 'agent' }),
        ),
      },
      ['answer', 'grant', 'root-rule'],
    ],
    [
      'a rule that denies, under asking of root',
      { rules: ruleSet(rule('r', { effect: 'ASK', source: 'root' }), rule('s', { scope: 'agent' })) },
      ['remove-rule', 'more-specific-allow'],
    ],
    [
      'the most specific rule',
      {
        rules: ruleSet(
          rule('r', {
            scope: 'agent',
            capability: CAPABILITY,
            target,
            action: 'read',
            hours: { from: 0, to: 0 },
          }),
        ),
      },
      ['remove-rule'],
    ],
    [
      'all but the most specific',
      { rules: ruleSet(rule('r', { scope: 'agent', capability: CAPABILITY, target, action: 'read' })) },
      ['remove-rule', 'more-specific-allow'],
    ],
    [
      'the most specific where there is no target',
      {
        targets: 'undetermined',
        rules: ruleSet(
          rule('r', { scope: 'agent', capability: CAPABILITY, action: 'read', hours: { from: 0, to: 0 } }),
        ),
      },
      ['remove-rule'],
    ],
    [
      'all but that',
      {
        targets: 'undetermined',
        rules: ruleSet(rule('r', { scope: 'agent', capability: CAPABILITY, action: 'read' })),
      },
      ['remove-rule', 'more-specific-allow'],
    ],
    ['a fault', { localHour: 24 }, ['nothing']],
  ];
  for (const [title, more, expected] of rows) {
    it(`[R130] of ${title}: ${expected.join(', ') || 'nothing is needed'}`, () => {
      assert.deepEqual(decide(question(more)).wouldChange, expected);
    });
  }

  const asked = fc
    .record({
      gate: fc.constantFrom(...GATES),
      targets: fc.constantFrom(...EVERY_TARGETS),
      rules: fc.array(fc.constantFrom(...EVERY_RULE), { maxLength: 4 }),
    })
    .map(({ gate, targets, rules }) => ({ gate, targets, rules, found: decidedBy(gate, targets, rules) }));

  const decidedBy = (
    gate: (typeof GATES)[number],
    targets: Question['targets'],
    rules: readonly Rule[],
  ): Decision =>
    decide(
      question({ classification: classification('write', gate), targets, rules: RuleSet.of(rules, []) }),
    );

  it('[R130] a more specific rule that allows leads elsewhere exactly where that is said', () => {
    fc.assert(
      fc.property(asked, ({ gate, targets, rules, found }) => {
        fc.pre(found.effect !== 'allow');
        const reached =
          targets === 'undetermined' ? undefined : glob(`{${targets.map(({ value }) => value).join(',')}}`);
        const allow = rule('allow', {
          effect: 'ALLOW',
          scope: 'agent',
          capability: CAPABILITY,
          action: 'write',
          hours: { from: 0, to: 0 },
          target: reached,
        });
        const after = decidedBy(gate, targets, [...rules, allow]);
        assert.equal(after.effect !== found.effect, found.wouldChange.includes('more-specific-allow'));
      }),
      { numRuns: 2000 },
    );
  });
});
