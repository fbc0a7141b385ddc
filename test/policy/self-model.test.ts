// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { parseVersion } from '../../manifests/id.ts';
import { decide } from '../../policy/decide.ts';
import { outlook } from '../../policy/outlook.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { selfModel } from '../../policy/self-model.ts';
import { type Circumstances, type Subject, standingQuestion } from '../../policy/standing-question.ts';
import { glob } from './grants.ts';
import { circumstances, principal, rule, subject } from './rules.ts';

const AGENT = principal('agent', { id: 'agent:pid:7:70', name: 'agent' });
const SUBJECTS: readonly Subject[] = [
  subject({ id: 'files.open' }, 'read'),
  subject({ id: 'files.trash' }, 'write'),
  subject({ id: 'files.wipe' }, 'destructive'),
  subject({ id: 'files.move' }, 'write'),
  subject({ id: 'notes.add' }, 'write', { provider: { bound: false, signed: true } }),
  subject({ id: 'notes.drop' }, 'write', { locked: true }),
  subject({ id: 'power.halt' }, 'system'),
];
const NOW = circumstances({
  rules: RuleSet.of(
    [
      rule('a', { capability: 'files.move', target: glob('/tmp/**'), effect: 'ALLOW' }),
      rule('b', { capability: 'files.open', effect: 'ALLOW' }),
    ],
    [],
  ),
});
const NOTHING = { grants: [], requests: [], actions: [] };
const modelOf = (subjects: readonly Subject[], now: Circumstances = NOW) =>
  selfModel(AGENT, subjects, now, NOTHING);

describe('selfModel', () => {
  it('[R113] puts each capability that may be seen where its answer is', () => {
    assert.deepEqual(modelOf(SUBJECTS), {
      principal: 'agent:pid:7:70',
      may: ['files.open'],
      asks: ['files.trash'],
      confirms: ['files.wipe', 'notes.add'],
      depends: [{ capability: 'files.move', possible: ['ask', 'allow'] }],
      forbidden: ['notes.drop'],
      grants: [],
      requests: [],
      actions: [],
    });
  });

  it('[R113] does not change with the order in which things come', () => {
    const grant = (id: string) => ({ id, capability: 'files.trash' });
    const request = (id: string) => ({ id, capability: 'files.move', state: 'open' });
    const one = selfModel(AGENT, SUBJECTS, NOW, {
      ...NOTHING,
      grants: [grant('a'), grant('b')],
      requests: [request('c'), request('d')],
    });
    const other = selfModel(AGENT, SUBJECTS.toReversed(), NOW, {
      ...NOTHING,
      grants: [grant('b'), grant('a')],
      requests: [request('d'), request('c')],
    });
    assert.equal(JSON.stringify(other), JSON.stringify(one));
    assert.deepEqual(
      [...one.grants, ...one.requests].map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('[R113] changes with a rule, a lock, a suspension and an hour', () => {
    const before = JSON.stringify(modelOf(SUBJECTS));
    const denial = rule('c', { capability: 'files.trash', hours: { from: 22, to: 6 } });
    const rules = RuleSet.of([...NOW.rules.rules, denial], []);
    const moments: readonly [Circumstances, string[]][] = [
      [{ ...NOW, rules }, ['notes.drop']],
      [{ ...NOW, rules, localHour: 23 }, ['files.trash', 'notes.drop']],
      [{ ...NOW, rules: RuleSet.of(NOW.rules.rules, ['files.open']) }, ['files.open', 'notes.drop']],
      [
        { ...NOW, isSuspended: ({ name }) => name === 'agent' },
        ['files.move', 'files.open', 'files.trash', 'files.wipe', 'notes.add', 'notes.drop'],
      ],
      [
        { ...NOW, sessionLocked: true },
        ['files.move', 'files.trash', 'files.wipe', 'notes.add', 'notes.drop'],
      ],
    ];
    moments.forEach(([now, forbidden], index) => {
      const model = modelOf(SUBJECTS, now);
      assert.deepEqual(model.forbidden, forbidden);
      assert.equal(JSON.stringify(model) === before, index === 0);
    });
  });

  it('[R113] of two versions the less welcome answer counts', () => {
    const older = subject({ id: 'files.open', version: parseVersion('1.0') }, 'read');
    const newer = subject({ id: 'files.open', version: parseVersion('2.0') }, 'destructive');
    for (const both of [
      [older, newer],
      [newer, older],
    ]) {
      const { may, confirms } = modelOf(both);
      assert.deepEqual([may, confirms], [[], ['files.open']]);
    }
  });

  it('[R113] of two versions with equally welcome answers the older counts', () => {
    const two = (['2.0', '1.0'] as const).map((version, index) =>
      subject({ id: 'files.move', version: parseVersion(version) }, index === 0 ? 'write' : 'read'),
    );
    const now = { ...NOW, rules: RuleSet.of([rule('a', { target: glob('/etc/**') })], []) };
    const expected = [{ capability: 'files.move', possible: ['deny', 'allow'] as const }];
    assert.deepEqual(modelOf(two, now).depends, expected);
    assert.deepEqual(modelOf(two.toReversed(), now).depends, expected);
  });

  it('[R114] tells grants, requests and actions as they are, and no grant for what cannot be seen', () => {
    const actions = [
      { invocation: 'i2', capability: 'files.trash', status: 'pending' },
      { invocation: 'i1', capability: 'files.trash', status: 'executed' },
    ] as const;
    const model = selfModel(AGENT, SUBJECTS, NOW, {
      grants: [
        { id: 'g2', capability: 'power.halt' },
        { id: 'g1', capability: 'files.trash', operations_left: 2 },
      ],
      requests: [{ id: 'q1', capability: 'power.halt', state: 'open' }],
      actions,
    });
    assert.deepEqual(model.grants, [{ id: 'g1', capability: 'files.trash', operations_left: 2 }]);
    assert.deepEqual(model.requests, [{ id: 'q1', capability: 'power.halt', state: 'open' }]);
    assert.deepEqual(model.actions, actions);
  });

  it('[R113] agrees with the outlook, and what it promises holds for every target', () => {
    const targets = ['/tmp/a', '/etc/a', '/home/a'].map((value) => [{ kind: 'path', value }] as const);
    const rules = [
      rule('a', { target: glob('/tmp/**'), effect: 'ALLOW' }),
      rule('b', { target: glob('/etc/**') }),
      rule('c', { capability: 'files.open', effect: 'ASK' }),
      rule('d', { source: 'root', effect: 'ASK', action: 'write', target: glob('/home/**') }),
    ];
    for (let chosen = 0; chosen < 2 ** rules.length; chosen += 1) {
      const some = rules.filter((_, index) => (chosen & (1 << index)) !== 0);
      const now = { ...NOW, rules: RuleSet.of(some, []) };
      for (const one of SUBJECTS.slice(0, 6)) {
        const question = standingQuestion(AGENT, one, now);
        const { may, asks, confirms, forbidden, depends } = modelOf([one], now);
        assert.equal([...may, ...asks, ...confirms, ...forbidden, ...depends].length, 1);
        assert.deepEqual(depends.length > 0, outlook(question).possible.length > 1);
        for (const where of targets) {
          const { effect, grantable } = decide({ ...question, targets: where });
          if (may.length > 0) assert.equal(effect, 'allow');
          if (forbidden.length > 0) assert.equal(effect, 'deny');
          if (asks.length > 0) assert.isTrue(grantable);
          if (confirms.length > 0) assert.equal(effect, 'ask');
          for (const { possible } of depends) assert.include(possible, effect);
        }
      }
    }
  });
});
