// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { decide, type Question } from '../../policy/decide.ts';
import { lint } from '../../policy/lint.ts';
import type { Facts, Rule } from '../../policy/rule.ts';
import { applies, reachesTarget } from '../../policy/rule-match.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { standingQuestion } from '../../policy/standing-question.ts';
import { glob } from './grants.ts';
import { KNOWN, SUBJECTS } from './lint-world.ts';
import { circumstances, rule } from './rules.ts';

/** A world small enough to go through. */
const TARGETS = ['/tmp/a', '/tmp/a/b', '/etc/x'];
const GLOBS = [undefined, glob('/tmp/**'), glob('/tmp/*'), glob('/{tmp,etc}/*')];
const HOURS = [undefined, { from: 8, to: 12 }, { from: 22, to: 9 }, { from: 3, to: 3 }];

const QUESTIONS: readonly Omit<Question, 'rules'>[] = SUBJECTS.flatMap((one) =>
  [
    { id: 'x', name: 'x' },
    { id: 'x:pid:7:70', name: 'x' },
    { id: 'y', name: 'y' },
  ].flatMap((who) =>
    [2, 8, 9, 23].flatMap((localHour) => {
      const {
        rules: _,
        declaresTargets,
        ...question
      } = standingQuestion(who, one, circumstances({ localHour }));
      if (!declaresTargets) return [{ ...question, targets: 'undetermined' as const }];
      const single = TARGETS.map((value) => [{ kind: 'path' as const, value }]);
      const targets: readonly Facts['targets'][] = ['undetermined', ...single, single.flat()];
      return targets.map((some) => ({ ...question, targets: some }));
    }),
  ),
);

const anyRule = fc
  .record({
    source: fc.constantFrom('root' as const, 'person' as const, 'user' as const),
    scope: fc.constantFrom(undefined, undefined, 'x', 'x:pid:7:70', 'y'),
    about: fc.constantFrom(
      {},
      { capability: 'files.trash' },
      { capability: 'files.wipe' },
      { capability: 'notes.sync' },
      { app: 'org.example.App' },
      { app: 'org.example.Notes' },
    ),
    target: fc.constantFrom(...GLOBS),
    action: fc.constantFrom(
      undefined,
      'read' as const,
      'write' as const,
      'destructive' as const,
      'external' as const,
    ),
    hours: fc.constantFrom(...HOURS),
    effect: fc.constantFrom('ALLOW' as const, 'ASK' as const, 'DENY' as const),
  })
  // A user's file may not allow.
  .filter(({ source, effect }) => source !== 'user' || effect !== 'ALLOW')
  .map(({ about, ...axes }) => rule('', { ...axes, ...about }));
const rulesOf = (most: number) =>
  fc
    .array(anyRule, { minLength: 1, maxLength: most })
    .map((rules) => rules.map((one, index) => ({ ...one, id: `r${index}` })));

type Asked = Omit<Question, 'rules'>;
const decisions = (rules: readonly Rule[], questions: readonly Asked[]) => {
  const set = RuleSet.of(rules, []);
  return questions.map((question) => decide({ ...question, rules: set }));
};

/** Checks each finding that says a rule does nothing, and counts them. */
const checkIdle = (rules: readonly Rule[], questions: readonly Asked[]): number => {
  const idle = lint(rules, KNOWN).filter(({ kind }) => kind !== 'conflict' && kind !== 'unknown-capability');
  if (idle.length === 0) return 0;
  const before = decisions(rules, questions);
  for (const { kind, rule: id } of idle) {
    const after = decisions(
      rules.filter((one) => one.id !== id),
      questions,
    );
    before.forEach(({ effect, gate, grantable, rule: decider }, index) => {
      const without = after[index];
      const same = effect === without?.effect && gate === without.gate && grantable === without.grantable;
      assert.isTrue(same, `${kind} ${id}: ${JSON.stringify(questions[index])}`);
      if (kind === 'shadowed') assert.notEqual(decider?.id, id);
    });
  }
  return idle.length;
};

describe('what lint says', () => {
  it('[R129] is true of every pair: without a rule that it calls idle nothing is decided otherwise', () => {
    const subjects = ['files.trash', 'notes.add'];
    const questions = QUESTIONS.filter(
      ({ capability: { id }, principal: who, localHour }) =>
        subjects.includes(id) && who.id === who.name && localHour === 9,
    );
    const sources = ['root', 'person', 'user'] as const;
    const all = [undefined, 'x'].flatMap((scope) =>
      [undefined, 'files.trash'].flatMap((capability) =>
        GLOBS.slice(0, 3).flatMap((target) =>
          (['ALLOW', 'ASK', 'DENY'] as const).flatMap((effect) =>
            sources
              .filter((source) => source !== 'user' || effect !== 'ALLOW')
              .map((source) => rule('a', { scope, capability, target, effect, source })),
          ),
        ),
      ),
    );
    const checked = all.flatMap((a) => all.map((b) => checkIdle([a, { ...b, id: 'b' }], questions)));
    assert.isAbove(checked.filter((count) => count > 0).length, 1000);
  });

  it('[R129] is true of several: without one of them nothing is decided otherwise, and a shadowed one never decides', () => {
    let checked = 0;
    fc.assert(
      fc.property(rulesOf(4), (rules) => {
        checked += checkIdle(rules, QUESTIONS);
      }),
      { numRuns: 150 },
    );
    assert.isAbove(checked, 50);
  });

  it('[R127] a conflict has a witness, and none goes unseen', () => {
    const both = ([a, b]: readonly [Rule, Rule], facts: Facts): boolean =>
      applies(a, facts) &&
      applies(b, facts) &&
      facts.targets !== 'undetermined' &&
      facts.targets.some((target) => reachesTarget(a, target) && reachesTarget(b, target));
    let seen = 0;
    fc.assert(
      fc.property(anyRule, anyRule, fc.boolean(), (first, other, alike) => {
        const { scope, capability, app, target } = first;
        // Two rules taken at random are hardly ever equally specific.
        const second = alike
          ? rule('b', { ...other, scope, capability, app, target: target && other.target })
          : other;
        const pair = [
          { ...first, id: 'a' },
          { ...second, id: 'b' },
        ] as const;
        const found = lint(pair, KNOWN);
        for (const { kind, example } of found) {
          if (kind !== 'conflict') continue;
          seen += 1;
          assert.isTrue(QUESTIONS.some((question) => pair.every((one) => applies(one, question))));
          if (example === undefined) continue;
          const target = { kind: 'path', value: example } as const;
          assert.isTrue(pair.every((one) => reachesTarget(one, target)));
        }
        const apart = first.effect === second.effect || first.specificity !== second.specificity;
        if (apart || found.some(({ by }) => by !== undefined)) return;
        const witness = QUESTIONS.find((question) => both(pair, question));
        assert.isUndefined(witness, JSON.stringify(pair));
      }),
      { numRuns: 1500 },
    );
    assert.isAbove(seen, 20);
  });
});
