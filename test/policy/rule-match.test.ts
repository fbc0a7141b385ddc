// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { ActionKind, Facts, Rule } from '../../policy/rule.ts';
import { applies, isOfKind, reachesTarget } from '../../policy/rule-match.ts';
import { glob } from './grants.ts';
import { APP, CAPABILITY, classification, question } from './questions.ts';
import { rule } from './rules.ts';

const about = (axes: Partial<Rule>, facts: Facts = question()): boolean => applies(rule('r', axes), facts);

describe('applies', () => {
  it('[R95] a rule that names nothing is about everything', () => {
    assert.isTrue(about({}));
  });

  it('[R95] whom it names is compared with the id and with the name', () => {
    for (const scope of ['agent', 'agent:pid:7:70']) assert.isTrue(about({ scope }));
    for (const scope of ['agent:pid:7:71', 'agen', 'other', 'agent:pid:7']) assert.isFalse(about({ scope }));
  });

  it('[R95] a capability is that one alone, and an app has all of its own', () => {
    assert.isTrue(about({ capability: CAPABILITY }));
    assert.isFalse(about({ capability: 'files.org.example.files.open' }));
    assert.isTrue(about({ app: APP }));
    assert.isFalse(about({ app: 'org.example.files' }));
    assert.isFalse(
      about(
        { app: APP },
        question({ capability: { id: 'system.health', appId: undefined, tier: 'builtin' } }),
      ),
    );
    assert.isTrue(about({ app: APP }, question({ capability: { id: 'atspi.x.y', appId: APP, tier: 2 } })));
  });

  it('[R95] hours are those of the clock that is given', () => {
    const hours = { from: 22, to: 6 };
    assert.isTrue(about({ hours }, question({ localHour: 23 })));
    assert.isFalse(about({ hours }, question({ localHour: 7 })));
  });
});

describe('isOfKind', () => {
  const rows: readonly [title: string, Facts['classification'], kinds: readonly ActionKind[]][] = [
    ['a read', classification('read', 'automatic'), ['read']],
    ['an external read', { ...classification('read', 'confirm'), network: 'external' }, ['read', 'external']],
    ['a write', classification('write', 'ask'), ['write']],
    [
      'a destructive write',
      { ...classification('write', 'confirm'), sideEffects: 'destructive' },
      ['write', 'destructive'],
    ],
    [
      'an external write',
      { ...classification('write', 'confirm'), sideEffects: 'network', network: 'external' },
      ['write', 'external'],
    ],
    ['a system write', { ...classification('write', 'confirm'), sideEffects: 'system' }, ['write', 'system']],
    [
      'what says nothing',
      { sideEffects: 'unknown', access: 'write', network: 'external' },
      ['write', 'external'],
    ],
  ];
  for (const [title, found, kinds] of rows) {
    it(`[R40] [R95] ${title} is ${kinds.join(' and ')}`, () => {
      for (const action of ['read', 'write', 'destructive', 'external', 'system'] as const) {
        assert.equal(isOfKind(action, found), kinds.includes(action), action);
        assert.equal(about({ action }, { ...question(), classification: found }), kinds.includes(action));
      }
    });
  }
});

describe('reachesTarget', () => {
  const home = { kind: 'path', value: '/home/a' } as const;

  it('[R95] a rule without a target reaches every one', () => {
    for (const effect of ['ALLOW', 'ASK', 'DENY'] as const) {
      assert.isTrue(reachesTarget(rule('r', { effect }), home));
      assert.isTrue(reachesTarget(rule('r', { effect }), 'undetermined'));
    }
  });

  it('[R43] [R95] one that nobody could determine is reached by what asks or denies', () => {
    for (const effect of ['ALLOW', 'ASK', 'DENY'] as const) {
      const [same, other] = ['/home/*', '/etc/*'].map((text) => rule('r', { effect, target: glob(text) }));
      assert.isDefined(same);
      assert.isDefined(other);
      assert.isTrue(reachesTarget(same, home));
      assert.isFalse(reachesTarget(other, home));
      assert.equal(reachesTarget(other, 'undetermined'), effect !== 'ALLOW');
    }
  });
});
