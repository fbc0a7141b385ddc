// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { decide, type Question } from '../../policy/decide.ts';
import { type OpenQuestion, type Outlook, outlook } from '../../policy/outlook.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { glob } from './grants.ts';
import {
  CAPABILITY,
  classification,
  EVERY_RULE,
  EVERY_TARGETS,
  GATES,
  paths,
  question,
  ruleSet,
} from './questions.ts';
import { rule } from './rules.ts';

const open = (more: Partial<Question> = {}, declaresTargets = true): OpenQuestion => {
  const { targets: _, ...rest } = question(more);
  return { ...rest, declaresTargets };
};
const write = { classification: classification('write', 'ask') };

function said({ effect, gate, dependsOnTarget, possible, grantable, decider, rule: named }: Outlook): string {
  const certainty = dependsOnTarget ? possible.join('|') : 'surely';
  return `${effect} ${gate} ${certainty} ${grantable ? 'grantable ' : ''}${decider}${named === undefined ? '' : ` ${named.id}`}`;
}

/** Every list of targets of the places that some rule tells apart, and of two of them. */
const PLACES = ['/home/u/a', '/home/v/b', '/etc/passwd', '/tmp/x'];
const ALL_TARGETS: readonly Question['targets'][] = [
  ...EVERY_TARGETS,
  ...PLACES.flatMap((one) => [paths(one), ...PLACES.map((other) => paths(one, other))]),
  paths(...PLACES),
];

describe('outlook', () => {
  const home = glob('/home/**');
  const rows: readonly [title: string, Partial<Question>, expected: string][] = [
    ['no rules', write, 'ask ask surely grantable gate'],
    [
      'a rule without a target',
      { ...write, rules: ruleSet(rule('r', { effect: 'ALLOW' })) },
      'allow ask surely rule r',
    ],
    [
      'a rule that allows some',
      { ...write, rules: ruleSet(rule('r', { effect: 'ALLOW', target: home })) },
      'ask ask ask|allow grantable gate',
    ],
    [
      'a rule that denies some',
      { rules: ruleSet(rule('r', { target: home })) },
      'deny automatic deny|allow rule r',
    ],
    [
      'a denial of root for some',
      { rules: ruleSet(rule('r', { target: home, source: 'root' })) },
      'deny automatic deny|allow root-rule r',
    ],
    [
      'asking of root for some',
      { rules: ruleSet(rule('r', { effect: 'ASK', target: home, source: 'root' })) },
      'ask ask ask|allow grantable rule r',
    ],
    [
      'a denial of root for all',
      { rules: ruleSet(rule('r', { source: 'root' }), rule('s', { effect: 'ALLOW', target: home })) },
      'deny automatic surely root-rule r',
    ],
    [
      'an ALLOW for some above a denial',
      { rules: ruleSet(rule('r'), rule('s', { effect: 'ALLOW', target: home })) },
      'deny automatic deny|allow rule r',
    ],
    [
      'an ALLOW for some below a denial',
      { rules: ruleSet(rule('r', { scope: 'agent' }), rule('s', { effect: 'ALLOW', target: home })) },
      'deny automatic surely rule r',
    ],
    [
      'what always confirms',
      {
        classification: classification('write', 'confirm'),
        rules: ruleSet(rule('s', { effect: 'ALLOW', target: home })),
      },
      'ask confirm surely gate',
    ],
    [
      'asking for some, strict',
      { profile: 'strict', rules: ruleSet(rule('r', { effect: 'ASK', target: home })) },
      'ask confirm ask|allow rule r',
    ],
    [
      'a lock',
      { rules: RuleSet.of([rule('s', { effect: 'ALLOW', target: home })], [CAPABILITY]) },
      'deny automatic surely locked',
    ],
    [
      'a user’s asking for all above a denial for some',
      {
        rules: ruleSet(
          rule('u', { effect: 'ASK', source: 'user', scope: 'agent' }),
          rule('p', { target: home }),
        ),
      },
      'deny ask deny|ask grantable rule p',
    ],
    [
      'a user’s denial for all',
      { rules: ruleSet(rule('u', { source: 'user' })) },
      'deny automatic surely rule u',
    ],
    [
      'a denial for some below asking for others and a user’s for all',
      {
        rules: ruleSet(
          rule('u', { effect: 'ASK', source: 'user', scope: 'agent', capability: CAPABILITY }),
          rule('q', { effect: 'ASK', scope: 'agent', target: glob('/etc/**') }),
          rule('p', { target: home }),
        ),
      },
      'deny ask deny|ask grantable rule p',
    ],
    [
      'a denial for some below a user’s asking for all and asking for others',
      {
        rules: ruleSet(
          rule('q', { effect: 'ASK', scope: 'agent', capability: CAPABILITY, target: glob('/etc/**') }),
          rule('u', { effect: 'ASK', source: 'user', scope: 'agent', capability: CAPABILITY }),
          rule('p', { target: home }),
        ),
      },
      'deny ask deny|ask grantable rule p',
    ],
    [
      'two denials for some',
      {
        rules: ruleSet(
          rule('r', { target: glob('/etc/**') }),
          rule('s', { capability: CAPABILITY, target: home }),
        ),
      },
      'deny automatic deny|allow rule s',
    ],
    ['a fault', { localHour: 24 }, 'deny confirm surely evaluation-failed'],
  ];
  for (const [title, more, expected] of rows) {
    it(`[R101] [R130] of ${title}`, () => assert.equal(said(outlook(open(more))), expected));
  }

  it('[R101] where no target is declared it is the decision', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...EVERY_RULE), { maxLength: 4 }),
        fc.constantFrom(...GATES),
        (rules, gate) => {
          const more = { classification: classification('write', gate), rules: ruleSet(...rules) };
          const decided = decide(question({ ...more, targets: 'undetermined' }));
          const { effect, dependsOnTarget, possible, rule: named } = outlook(open(more, false));
          assert.deepEqual(
            [effect, dependsOnTarget, possible, named],
            [decided.effect, false, [decided.effect], decided.rule],
          );
        },
      ),
    );
  });

  const flags = fc.record({
    profile: fc.constantFrom('standard' as const, 'strict' as const),
    sessionLocked: fc.boolean(),
    requireApproval: fc.constantFrom(false, false, true),
    tier: fc.constantFrom(1 as const, 2 as const),
    bound: fc.constantFrom(true, true, false),
  });

  it('[R101] [R129] every decision that a target can lead to is among what it says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...EVERY_RULE), { maxLength: 6 }),
        fc.constantFrom(...GATES),
        fc.constantFrom('read' as const, 'write' as const),
        flags,
        (rules, gate, access, { tier, bound, ...more }) => {
          const asked = {
            ...more,
            rules: ruleSet(...rules),
            classification: classification(access, gate),
            capability: { id: CAPABILITY, appId: 'org.example.Files', tier },
            provider: { bound, signed: true },
          };
          const seen = outlook(open(asked));
          const decisions = ALL_TARGETS.map((targets) => decide(question({ ...asked, targets })));
          for (const decision of decisions) {
            assert.include(seen.possible, decision.effect);
            assert.isAtLeast(GATES.indexOf(seen.gate), GATES.indexOf(decision.gate));
            if (decision.effect === 'ask' && seen.grantable) assert.isTrue(decision.grantable);
            if (seen.dependsOnTarget) continue;
            const { effect, gate: certain, grantable } = decision;
            assert.deepEqual([effect, certain, grantable], [seen.effect, seen.gate, seen.grantable]);
          }
          assert.equal(seen.effect, seen.possible[0]);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('[R101] [R129] of one rule it says no more is possible than some target leads to', () => {
    for (const one of EVERY_RULE.filter(({ target }) => target?.text !== '/etc/**')) {
      for (const gate of GATES) {
        const asked = { rules: ruleSet(one), classification: classification('write', gate) };
        const effects = ALL_TARGETS.map((targets) => decide(question({ ...asked, targets })).effect);
        assert.sameMembers([...outlook(open(asked)).possible], [...new Set(effects)], one.id);
      }
    }
  });

  it('[R71] never throws: what goes wrong denies', () => {
    const look: (asked: never) => Outlook = outlook;
    fc.assert(
      fc.property(fc.anything(), (garbage) => {
        assert.equal(
          said(Reflect.apply(look, undefined, [garbage])),
          'deny confirm surely evaluation-failed',
        );
      }),
    );
  });
});
