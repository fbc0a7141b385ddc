// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { classify } from '../../policy/classify.ts';
import { type Decision, decide, type Question } from '../../policy/decide.ts';
import { parseRule, type Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { declaring, EVERYTHING } from './capabilities.ts';
import { glob, POLICY_LIMITS } from './grants.ts';
import { naiveEffect } from './naive-policy.ts';
import {
  APP,
  CAPABILITY,
  classification,
  EVERY_RULE,
  EVERY_TARGETS,
  GATES,
  paths,
  question,
  ruleSet,
  strictness,
} from './questions.ts';
import { rule } from './rules.ts';

const said = ({ effect, gate, decider }: Decision): string => `${effect} ${gate} ${decider}`;
const write = { classification: classification('write', 'ask') };
const confirm = { classification: classification('write', 'confirm') };

const anyOf = <T>(choices: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...choices);
const anyRules = fc.array(anyOf(EVERY_RULE), { maxLength: 6 });

/** Any question about the one capability, whatever the rules. */
const anyQuestion: fc.Arbitrary<Question> = fc
  .record({
    targets: anyOf(EVERY_TARGETS),
    tier: anyOf([1, 2, 'builtin'] as const),
    gate: anyOf(GATES),
    access: anyOf(['read', 'write'] as const),
    profile: anyOf(['standard', 'strict'] as const),
    // Mostly what does not decide by itself, so that the rules do.
    rare: fc.subarray(
      [
        'unbound',
        'unsigned',
        'requireApproval',
        'locked',
        'disabled',
        'takenBackByPerson',
        'suspended',
        'sessionLocked',
        'listed',
        'deniedForSession',
      ],
      { maxLength: 2 },
    ),
  })
  .map(({ targets, tier, gate, access, profile, rare }) =>
    question({
      targets,
      profile,
      capability: { id: CAPABILITY, appId: APP, tier },
      classification: classification(access, gate),
      provider: { bound: !rare.includes('unbound'), signed: !rare.includes('unsigned') },
      requireApproval: rare.includes('requireApproval'),
      locked: rare.includes('locked'),
      enabled: !rare.includes('disabled'),
      takenBackByPerson: rare.includes('takenBackByPerson'),
      suspended: rare.includes('suspended'),
      sessionLocked: rare.includes('sessionLocked'),
      allowedWhileLocked: rare.includes('listed') ? [CAPABILITY] : [],
      deniedForSession: rare.includes('deniedForSession'),
    }),
  );

describe('decide', () => {
  const rows: readonly [title: string, Partial<Question>, string][] = [
    ['[R23] an automatic gate lets pass', {}, 'allow automatic gate'],
    ['[R96] [R99] an asking gate asks', write, 'ask ask gate'],
    ['[R67] a confirming gate asks', confirm, 'ask confirm gate'],
    ['an asking gate confirms under the strict profile', { ...write, profile: 'strict' }, 'ask confirm gate'],
    ['[R151] suspended denies', { suspended: true }, 'deny automatic suspended'],
    ['[R44] locked denies', { locked: true }, 'deny automatic locked'],
    ['[R66] not enabled denies', { enabled: false }, 'deny automatic not-enabled'],
    ['denied for the session denies', { deniedForSession: true }, 'deny automatic denied-for-session'],
    ['[R110] the caller wants approval', { requireApproval: true }, 'ask confirm require-approval'],
    ['[R156] the person takes back', { ...confirm, takenBackByPerson: true }, 'allow confirm person'],
    ['[R2] what is derived asks', { capability: { id: CAPABILITY, appId: APP, tier: 2 } }, 'ask ask tier-2'],
    [
      'what the broker provides does not',
      { capability: { id: CAPABILITY, appId: undefined, tier: 'builtin' } },
      'allow automatic gate',
    ],
    [
      'an unsigned provider writes',
      { ...write, provider: { bound: true, signed: false } },
      'ask confirm provider-unsigned',
    ],
    ['an unsigned provider reads', { provider: { bound: true, signed: false } }, 'allow automatic gate'],
    ['an unbound provider reads', { provider: { bound: false, signed: true } }, 'ask ask provider-unbound'],
    [
      'an unbound provider of a confirming gate',
      { ...confirm, provider: { bound: false, signed: true } },
      'ask confirm gate',
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
      { ...write, provider: { bound: false, signed: false } },
      'ask confirm provider-unsigned',
    ],
    ['[R135] a local read runs while the session is locked', { sessionLocked: true }, 'allow automatic gate'],
    [
      '[R135] a local read that asks does not',
      { sessionLocked: true, classification: classification('read', 'ask') },
      'deny ask session-locked',
    ],
    [
      '[R135] nor does an external one',
      {
        sessionLocked: true,
        classification: { ...classification('read', 'automatic'), network: 'external' },
      },
      'deny automatic session-locked',
    ],
    [
      '[R135] nor a write',
      { sessionLocked: true, classification: classification('write', 'automatic') },
      'deny automatic session-locked',
    ],
    [
      '[R135] unless it is listed',
      {
        sessionLocked: true,
        allowedWhileLocked: [CAPABILITY],
        classification: classification('write', 'automatic'),
      },
      'allow automatic gate',
    ],
    [
      '[R135] which asks nobody',
      { ...write, sessionLocked: true, allowedWhileLocked: [CAPABILITY] },
      'deny ask session-locked',
    ],
  ];
  for (const [title, more, expected] of rows) {
    it(title, () => assert.equal(said(decide(question(more))), expected));
  }

  it('of what denies, the first of this order is named', () => {
    const denying: readonly [string, Partial<Question>][] = [
      ['suspended', { suspended: true }],
      ['locked', { locked: true }],
      ['not-enabled', { enabled: false }],
      ['root-rule', { rules: ruleSet(rule('r', { source: 'root' })) }],
      ['session-locked', { ...write, sessionLocked: true }],
      ['denied-for-session', { deniedForSession: true }],
      ['rule', { rules: ruleSet(rule('r', { source: 'person' })) }],
      ['require-approval', { requireApproval: true }],
    ];
    let merged: Partial<Question> = {};
    for (const [decider, more] of denying.toReversed()) {
      merged = { ...merged, ...more };
      assert.equal(decide(question(merged)).decider, decider);
    }
  });

  it('[R97] [R98] is what the words of the policy say: every single rule, every target, every gate', () => {
    for (const one of EVERY_RULE) {
      for (const targets of EVERY_TARGETS) {
        for (const gate of GATES) {
          const asked = question({
            targets,
            classification: classification('write', gate),
            rules: ruleSet(one),
          });
          assert.equal(decide(asked).effect, naiveEffect(asked, [one]), one.id);
        }
      }
    }
  });

  it('[R97] [R98] is what the words of the policy say: any rules, any question', () => {
    fc.assert(
      fc.property(anyQuestion, anyRules, (asked, rules) => {
        assert.equal(decide({ ...asked, rules: ruleSet(...rules) }).effect, naiveEffect(asked, rules));
      }),
      { numRuns: 5000 },
    );
  });

  it('[R96] another DENY never leads towards allowing', () => {
    const denials = EVERY_RULE.filter(({ effect }) => effect === 'DENY');
    fc.assert(
      fc.property(anyQuestion, anyRules, anyOf(denials), (asked, rules, more) => {
        const before = decide({ ...asked, rules: ruleSet(...rules) });
        const after = decide({ ...asked, rules: ruleSet(...rules, more) });
        assert.isAtLeast(strictness(after), strictness(before));
      }),
      { numRuns: 3000 },
    );
  });

  it('[R102] what a user’s files say never leads towards allowing', () => {
    const others = EVERY_RULE.filter(({ source }) => source !== 'user');
    const users = EVERY_RULE.filter(({ source }) => source === 'user');
    const list = (of: readonly Rule[]) => fc.array(anyOf(of), { maxLength: 4 });
    fc.assert(
      fc.property(anyQuestion, list(others), list(users), (asked, rules, more) => {
        const before = decide({ ...asked, rules: ruleSet(...rules) });
        const after = decide({ ...asked, rules: ruleSet(...rules, ...more) });
        assert.isAtLeast(strictness(after), strictness(before));
        assert.isTrue(before.grantable || !after.grantable || before.effect === 'allow');
      }),
      { numRuns: 3000 },
    );
  });

  it('[R44] another lock never leads towards allowing, and denies what it locks whatever the rules', () => {
    const locks = [CAPABILITY, 'files.org.example.files.open', 'system.health'];
    fc.assert(
      fc.property(anyQuestion, anyRules, fc.subarray(locks), anyOf(locks), (asked, rules, locked, more) => {
        const before = decide({ ...asked, rules: RuleSet.of(rules, locked) });
        const after = decide({ ...asked, rules: RuleSet.of(rules, [...locked, more]) });
        assert.isAtLeast(strictness(after), strictness(before));
        if (more === CAPABILITY) assert.equal(after.effect, 'deny');
        else assert.deepEqual(after, before);
      }),
    );
  });

  it('[R98] the order of rules and of targets never shows', () => {
    const shuffled = fc
      .uniqueArray(anyOf(EVERY_RULE), { maxLength: 6, selector: ({ id }) => id })
      .chain((rules) =>
        fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
      );
    fc.assert(
      fc.property(anyQuestion, shuffled, (asked, [rules, turned]) => {
        const targets = asked.targets === 'undetermined' ? asked.targets : asked.targets.toReversed();
        const expected = decide({ ...asked, rules: ruleSet(...rules) });
        assert.deepEqual(decide({ ...asked, targets, rules: ruleSet(...turned) }), expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('[R67] [R79] raises the gate and never lowers it, whatever the rules', () => {
    fc.assert(
      fc.property(anyQuestion, anyRules, (asked, rules) => {
        const { effect, gate, grantable } = decide({ ...asked, rules: ruleSet(...rules) });
        const declared = asked.classification.gate;
        assert.isAtLeast(GATES.indexOf(gate), GATES.indexOf(declared));
        if (effect === 'allow' && !asked.takenBackByPerson) {
          assert.notEqual(gate, 'confirm');
          assert.isTrue(asked.provider.bound && !asked.requireApproval);
          assert.isTrue(asked.provider.signed || asked.classification.access === 'read');
        }
        if (effect === 'ask') assert.notEqual(gate, 'automatic');
        // A grant answers where the person may answer for more than once, for an app that is known to be itself.
        assert.equal(grantable, effect === 'ask' && gate === 'ask' && asked.provider.bound);
      }),
      { numRuns: 2000 },
    );
  });

  it('[R80] strict is the contract’s table everywhere, or stricter where a floor or the author says so', () => {
    const allowing = ruleSet(rule('all', { source: 'root', effect: 'ALLOW' }));
    for (const declared of EVERYTHING) {
      const found = classify(declaring(declared), 'strict');
      const readsHere = ['none', 'read'].includes(declared.sideEffects) && declared.network === undefined;
      for (const rules of [ruleSet(), allowing]) {
        const { effect, gate, grantable } = decide(
          question({ classification: found, profile: 'strict', rules }),
        );
        assert.isFalse(grantable);
        if (effect === 'allow') assert.isTrue(readsHere && gate === 'automatic', JSON.stringify(declared));
        else assert.deepEqual([effect, gate], ['ask', 'confirm']);
        const asWritten = !declared.confirmationRequired && declared.category === 'STATE_QUERY';
        if (asWritten) assert.equal(effect === 'allow', readsHere, JSON.stringify(declared));
      }
    }
  });

  it('[R14] [R79] nothing that an author declares beyond the least leads towards allowing', () => {
    for (const declared of EVERYTHING) {
      const least = {
        ...declared,
        network: undefined,
        confirmationRequired: false,
        category: 'STATE_QUERY',
      } as const;
      for (const profile of ['standard', 'strict'] as const) {
        const [one, other] = [declared, least].map((each) =>
          decide(question({ classification: classify(declaring(each), profile), profile })),
        );
        assert.isDefined(one);
        assert.isDefined(other);
        assert.isAtLeast(GATES.indexOf(one.gate), GATES.indexOf(other.gate));
        assert.isAtLeast(strictness(one), strictness(other));
      }
    }
  });

  describe('several targets', () => {
    const allowHome = rule('home', { effect: 'ALLOW', capability: CAPABILITY, target: glob('/home/u/*') });
    const effectAt = (targets: Question['targets'], ...rules: readonly Rule[]) =>
      decide(question({ ...write, targets, rules: ruleSet(...rules) })).effect;

    it('[R43] a rule that allows one does not open the other', () => {
      assert.equal(effectAt(paths('/home/u/a'), allowHome), 'allow');
      assert.equal(effectAt(paths('/home/u/a', '/home/u/b'), allowHome), 'allow');
      assert.equal(effectAt(paths('/home/u/a', '/tmp/b'), allowHome), 'ask');
    });

    it('[R43] two rules can each allow their own', () => {
      const allowTmp = rule('tmp', { effect: 'ALLOW', target: glob('/tmp/*') });
      assert.equal(effectAt(paths('/home/u/a', '/tmp/b'), allowHome, allowTmp), 'allow');
    });

    it('[R43] one that is denied denies all', () => {
      const denyTmp = rule('tmp', { effect: 'DENY', target: glob('/tmp/*') });
      assert.equal(effectAt(paths('/home/u/a', '/tmp/b'), allowHome, denyTmp), 'deny');
      assert.equal(effectAt(paths('/tmp/b', '/home/u/a'), allowHome, denyTmp), 'deny');
    });

    it('[R43] one that nobody could determine is none that is allowed, and any that is denied or asked about', () => {
      const denyTmp = rule('tmp', { effect: 'DENY', target: glob('/tmp/*') });
      for (const targets of ['undetermined', []] as const) {
        assert.equal(effectAt(targets, allowHome), 'ask');
        assert.equal(effectAt(targets, allowHome, denyTmp), 'deny');
        assert.equal(effectAt(targets, rule('all', { effect: 'ALLOW' })), 'allow');
      }
    });
  });

  describe('what it says of the rules', () => {
    it('[R100] names the rule that decided with its specificity, and those that matched in their order', () => {
      const rules = ruleSet(
        rule('general', { effect: 'ASK' }),
        rule('elsewhere', { target: glob('/etc/**') }),
        rule('specific', { effect: 'ALLOW', capability: CAPABILITY, scope: 'agent' }),
        rule('middling', { effect: 'ASK', target: glob('/home/**') }),
      );
      const found = decide(question({ ...write, rules }));
      assert.deepEqual(found.rule, { id: 'specific', specificity: 12 });
      assert.deepEqual(found.considered, ['specific', 'middling', 'general']);
      assert.equal(found.consideredCount, 3);
    });

    it('[R100] names the decider first where it is not the most specific', () => {
      const rules = ruleSet(
        rule('allows', { effect: 'ALLOW', capability: CAPABILITY }),
        rule('floor', { effect: 'ASK', source: 'root' }),
      );
      const found = decide(question({ ...write, rules }));
      assert.equal(said(found), 'ask ask rule');
      assert.deepEqual(found.considered, ['floor', 'allows']);
    });

    it('[R100] names twenty at most, the decider among them, and counts all', () => {
      const many = Array.from({ length: 30 }, (_, index) =>
        rule(`r${String(index).padStart(2, '0')}`, { effect: 'ALLOW', capability: CAPABILITY }),
      );
      const found = decide(
        question({ rules: ruleSet(...many, rule('floor', { effect: 'ASK', source: 'root' })) }),
      );
      assert.lengthOf(found.considered, 20);
      assert.deepEqual(found.considered.slice(0, 2), ['floor', 'r00']);
      assert.equal(found.considered.at(-1), 'r18');
      assert.equal(found.consideredCount, 31);
    });

    it('[R100] names none as the decider where none decided', () => {
      const found = decide(question({ ...confirm, rules: ruleSet(rule('r', { effect: 'ASK' })) }));
      assert.equal(said(found), 'ask confirm gate');
      assert.isUndefined(found.rule);
      assert.deepEqual(found.considered, ['r']);
    });

    it('[R43] [R100] of targets that come to the same names the rule that ranks first', () => {
      const rules = ruleSet(
        rule('general', { target: glob('/tmp/*') }),
        rule('specific', { capability: CAPABILITY, target: glob('/home/u/*') }),
      );
      for (const targets of [paths('/tmp/b', '/home/u/a'), paths('/home/u/a', '/tmp/b')]) {
        assert.deepEqual(decide(question({ targets, rules })).rule, { id: 'specific', specificity: 6 });
      }
    });

    it('[R98] of two rules that say the same names one, by who made it and then by its id', () => {
      const twins = (['user', 'person', 'root'] as const).flatMap((source, index) =>
        ['b', 'a'].map((id) => rule(`${index}${id}`, { effect: 'ASK', source })),
      );
      const { considered } = decide(question({ ...write, rules: ruleSet(...twins) }));
      assert.deepEqual(considered, ['2a', '2b', '1a', '1b', '0a', '0b']);
    });
  });

  it('[R102] a user’s ASK, however specific, does not get a denial of others out of the way', () => {
    const specific = { capability: CAPABILITY, scope: 'agent', source: 'user', effect: 'ASK' } as const;
    const rules = ruleSet(rule('users', specific), rule('persons', { effect: 'DENY', source: 'person' }));
    const found = decide(question({ rules }));
    assert.equal(said(found), 'deny automatic rule');
    assert.equal(found.rule?.id, 'persons');
  });

  it('[R98] is a function: equal questions, equal decisions', () => {
    fc.assert(
      fc.property(anyQuestion, anyRules, (asked, rules) => {
        const [one, other] = [ruleSet(...rules), ruleSet(...structuredClone(rules))];
        const { rules: _, ...plain } = asked;
        assert.deepEqual(
          decide({ ...asked, rules: one }),
          decide({ ...structuredClone(plain), rules: other }),
        );
      }),
    );
  });

  it('[R71] denies where the evaluation fails', () => {
    const broken = question();
    Object.defineProperty(broken, 'locked', {
      get: () => {
        throw new Error('a fault');
      },
    });
    const failed: Decision = {
      effect: 'deny',
      gate: 'confirm',
      decider: 'evaluation-failed',
      grantable: false,
      rule: undefined,
      considered: [],
      consideredCount: 0,
      wouldChange: ['nothing'],
    };
    assert.deepEqual(decide(broken), failed);
    for (const localHour of [24, -1, 1.5, Number.NaN])
      assert.deepEqual(decide(question({ localHour })), failed);
  });

  it('[R71] is total: whatever comes in, nothing is thrown and nothing but what was understood is allowed', () => {
    const decideAnything: (asked: never) => Decision = decide;
    fc.assert(
      fc.property(fc.anything(), (garbage) => {
        const { effect } = Reflect.apply(decideAnything, undefined, [garbage]);
        assert.equal(effect, 'deny');
      }),
    );
    const keys = Object.keys(question());
    fc.assert(
      fc.property(anyOf(keys), fc.anything({ withNullPrototype: true }), (key, garbage) => {
        const { effect } = Reflect.apply(decideAnything, undefined, [{ ...question(), [key]: garbage }]);
        assert.include(['allow', 'ask', 'deny'], effect);
      }),
    );
  });

  describe('B17: the result does not depend on the order of rules', () => {
    const nautilus = 'files.org.gnome.nautilus.open';
    const read = (id: string, value: object) =>
      parseRule({ reason: 'because', ...value }, { id, source: 'person', mayAllow: true }, POLICY_LIMITS);
    const orders = (rules: readonly Rule[]): readonly (readonly Rule[])[] =>
      rules.length <= 1
        ? [rules]
        : rules.flatMap((first) =>
            orders(rules.filter((one) => one !== first)).map((rest) => [first, ...rest]),
          );
    const decided = (rules: readonly Rule[], more: Partial<Question> = {}) =>
      decide(
        question({
          ...write,
          capability: { id: nautilus, appId: 'org.gnome.Nautilus', tier: 1 },
          targets: paths('/home/u/Downloads/a.txt'),
          rules: ruleSet(...rules),
          ...more,
        }),
      );
    const same = { capability: nautilus, target: '/home/u/Downloads/*' };

    it('[R97] [R98] the more specific rule allows in both orders', () => {
      const rules = [
        read('R1', { capability: '*', target: '/home/u/**', effect: 'DENY' }),
        read('R2', { ...same, effect: 'ALLOW' }),
      ];
      for (const order of orders(rules)) {
        const { effect, rule: decider } = decided(order);
        assert.equal(effect, 'allow');
        assert.deepEqual(decider, { id: 'R2', specificity: 6 });
      }
    });

    it('[R97] [R98] of three equal rules DENY wins in all six orders, of two ASK in both', () => {
      const rules = (['ALLOW', 'ASK', 'DENY'] as const).map((effect) => read(effect, { ...same, effect }));
      const [allow, ask] = rules;
      assert.isDefined(allow);
      assert.isDefined(ask);
      assert.lengthOf(orders(rules), 6);
      for (const order of orders(rules)) {
        assert.equal(decided(order).effect, 'deny');
        assert.equal(decided(order).rule?.id, 'DENY');
      }
      for (const order of orders([allow, ask])) {
        assert.equal(decided(order).effect, 'ask');
        assert.equal(decided(order).rule?.id, 'ASK');
      }
    });

    it('[R42] [R99] where no rule matches the capability’s own gate decides', () => {
      const rules = [read('R1', { target: '/etc/**', effect: 'DENY' })];
      assert.equal(decided(rules).effect, 'ask');
      assert.equal(decided(rules, { classification: classification('read', 'automatic') }).effect, 'allow');
    });

    it('[R44] locked stays denied, whatever rule allows exactly that', () => {
      const exact = read('R1', {
        scope: 'agent',
        ...same,
        action: 'write',
        hours: { from: 9, to: 10 },
        effect: 'ALLOW',
      });
      assert.equal(decided([exact]).effect, 'allow');
      for (const more of [{ locked: true }, { rules: RuleSet.of([exact], [nautilus]) }]) {
        assert.equal(said(decided([exact], more)), 'deny ask locked');
      }
    });
  });

  describe('B18: hours over midnight', () => {
    const clock: readonly [hour: number, inside: boolean][] = [
      [21, false], // 21:59
      [22, true],
      [23, true], // 23:59
      [0, true],
      [2, true],
      [5, true], // 05:59
      [7, false],
    ];
    const night = (effect: 'ALLOW' | 'DENY') =>
      parseRule(
        { hours: { from: 22, to: 6 }, effect, reason: 'night' },
        { id: 'night', source: 'person', mayAllow: true },
        POLICY_LIMITS,
      );

    for (const [localHour, inside] of clock) {
      it(`[R95] at ${localHour} a rule for 22 to 6 ${inside ? 'matches' : 'does not match'}`, () => {
        const allow = question({
          ...write,
          localHour,
          rules: ruleSet(night('ALLOW'), rule('default', { effect: 'DENY' })),
        });
        assert.equal(decide(allow).effect, inside ? 'allow' : 'deny');
        const deny = question({ localHour, rules: ruleSet(night('DENY')) });
        assert.equal(decide(deny).effect, inside ? 'deny' : 'allow');
      });
    }
  });
});
