// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import type { Facts, Rule } from '../../policy/rule.ts';
import { applies, reachesTarget } from '../../policy/rule-match.ts';
import { EMPTY_RULES, RuleSet } from '../../policy/rule-set.ts';
import { glob } from './grants.ts';
import { CAPABILITY, EVERY_RULE, EVERY_TARGETS, paths, question, ruleSet } from './questions.ts';
import { rule } from './rules.ts';

const ids = (rules: readonly Rule[]): readonly string[] => rules.map(({ id }) => id).toSorted();

const matches = (one: Rule, facts: Facts): boolean => {
  const targets = facts.targets === 'undetermined' ? [facts.targets] : facts.targets;
  return applies(one, facts) && targets.some((target) => reachesTarget(one, target));
};

describe('RuleSet', () => {
  it('[R98] finds every rule that matches, each once: every rule, every target', () => {
    const all = ruleSet(...EVERY_RULE);
    for (const targets of [...EVERY_TARGETS, []]) {
      const facts = question({ targets: targets.length === 0 ? 'undetermined' : targets });
      const found = all.candidates({ ...facts, targets });
      assert.equal(new Set(found).size, found.length);
      for (const one of EVERY_RULE.filter((each) => matches(each, facts))) assert.include(found, one, one.id);
    }
  });

  const part = fc.constantFrom('a', 'b', '/', '/a', '*', '**', '?', '{a,/b}', '\\*');
  const anyGlob = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  const anyTarget = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 6 }).map((chars) => chars.join(''));

  it('[R98] finds every rule that matches, whatever globs and targets look like', () => {
    fc.assert(
      fc.property(
        fc.array(anyGlob, { maxLength: 6 }),
        fc.array(anyTarget, { minLength: 1, maxLength: 3 }),
        (globs, values) => {
          const rules = globs.map((text, index) => rule(`r${index}`, { target: glob(text) }));
          const facts = question({ targets: paths(...values) });
          const found = ruleSet(...rules).candidates(facts);
          assert.equal(new Set(found).size, found.length);
          for (const one of rules.filter((each) => matches(each, facts))) assert.include(found, one);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('passes over what is of others, and what lies elsewhere', () => {
    const rules = ruleSet(
      rule('mine', { scope: 'agent', capability: CAPABILITY, target: glob('/home/u/*') }),
      rule('deeper', { target: glob('/home/u/a/b/*') }),
      rule('others', { scope: 'other' }),
      rule('other capability', { capability: 'files.org.example.files.open' }),
      rule('other app', { app: 'org.example.Other' }),
      rule('elsewhere', { target: glob('/etc/**') }),
      rule('anywhere', { target: glob('*.txt') }),
    );
    assert.deepEqual(ids(rules.candidates(question({ targets: paths('/home/u/a') }))), ['anywhere', 'mine']);
    assert.deepEqual(ids(rules.candidates(question({ targets: paths('/home/u/a/b/c') }))), [
      'anywhere',
      'deeper',
      'mine',
    ]);
    assert.deepEqual(ids(rules.candidates(question({ targets: 'undetermined' }))), [
      'anywhere',
      'deeper',
      'elsewhere',
      'mine',
    ]);
  });

  it('is looked through as far down as some rule reaches, and no further', () => {
    const rules = ruleSet(rule('r', { target: glob('/home/u/*') }));
    let asked = 0;
    const value = new Proxy(Object('/a'.repeat(2000)), {
      get: (text, key) => {
        if (key !== 'indexOf') return Reflect.get(text, key).bind(text);
        asked += 1;
        return (...search: [string, number]) => String(text).indexOf(...search);
      },
    });
    assert.deepEqual(rules.candidates(question({ targets: [{ kind: 'path', value }] })), []);
    assert.isBelow(asked, 10);
  });

  it('[R44] knows what is locked', () => {
    const rules = RuleSet.of([], [CAPABILITY]);
    assert.isTrue(rules.isLocked(CAPABILITY));
    assert.isFalse(rules.isLocked('system.health'));
    assert.isFalse(EMPTY_RULES.isLocked(CAPABILITY));
    assert.deepEqual(RuleSet.of([], ['b.b', 'a.a', 'b.b']).locked, ['b.b', 'a.a']);
  });

  it('[R98] ranks what denies first, and what is not in it last', () => {
    const [allowing, denying] = [rule('a', { effect: 'ALLOW' }), rule('b')];
    const set = RuleSet.of([allowing, denying], []);
    assert.deepEqual(
      [denying, allowing, rule('none')].map((one) => set.rankOf(one)),
      [0, 1, 2],
    );
  });

  it('does not change with the lists that it was made of', () => {
    const [rules, locked] = [[rule('r')], [CAPABILITY]];
    const set = RuleSet.of(rules, locked);
    rules.push(rule('more'));
    locked.push('system.health');
    assert.deepEqual(ids(set.rules), ['r']);
    assert.deepEqual(ids(set.candidates(question())), ['r']);
    assert.isFalse(set.isLocked('system.health'));
  });
});
