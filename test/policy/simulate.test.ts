// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { decide } from '../../policy/decide.ts';
import type { Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { answerOf, type Recorded, type Simulation, simulate } from '../../policy/simulate.ts';
import { type Circumstances, type Subject, standingQuestion } from '../../policy/standing-question.ts';
import { glob } from './grants.ts';
import { circumstances, rule, subject } from './rules.ts';

const AGENT = { id: 'agent', name: 'agent' };
const OPEN = subject({ id: 'files.open' }, 'read');
const TRASH = subject({ id: 'files.trash' }, 'write');
const WIPE = subject({ id: 'files.wipe' }, 'destructive');
const SYNC = subject({ id: 'notes.sync', hasTarget: false }, 'write');

const recorded = (auditId: string, one: Subject, localHour = 9): Recorded => ({
  auditId,
  principal: AGENT,
  subject: one,
  localHour,
});
const run = (
  history: readonly Recorded[],
  before: readonly Rule[],
  after: readonly Rule[],
  more: { most?: number; locked?: readonly string[]; now?: Partial<Circumstances> } = {},
): Simulation => {
  const { rules: _, localHour: __, ...now } = circumstances(more.now);
  const candidate = RuleSet.of(after, more.locked ?? []);
  return simulate(history, RuleSet.of(before, []), candidate, now, more.most ?? 10);
};
const said = ({ examples }: Simulation): string[] =>
  examples.map(({ audit_id: id, before, after, verdict }) => `${id} ${before} > ${after}: ${verdict}`);

describe('simulate', () => {
  const denial = rule('a', { capability: 'files.trash' });
  const inTmp = rule('b', { target: glob('/tmp/**'), effect: 'ALLOW' });

  it('[R130] counts what stays, flips and depends, and tells of the flips first', () => {
    const history = [recorded('1', OPEN), recorded('2', TRASH), recorded('3', WIPE), recorded('4', TRASH)];
    const after = [denial, rule('c', { capability: 'files.wipe', target: glob('/etc/**') })];
    const found = run(history, [], after);
    assert.deepEqual(found, {
      decisions: 4,
      same: 1,
      flips: 2,
      depends: 1,
      examples: [
        {
          audit_id: '2',
          principal: 'agent',
          capability: 'files.trash',
          before: 'ask',
          after: 'deny',
          verdict: 'flip',
        },
        {
          audit_id: '4',
          principal: 'agent',
          capability: 'files.trash',
          before: 'ask',
          after: 'deny',
          verdict: 'flip',
        },
        {
          audit_id: '3',
          principal: 'agent',
          capability: 'files.wipe',
          before: 'confirm',
          after: 'deny or confirm',
          verdict: 'depends',
        },
      ],
    });
    assert.deepEqual(run(history, [], after, { most: 1 }).examples, found.examples.slice(0, 1));
    assert.deepEqual(run(history, [], after, { most: 0 }).examples, []);
  });

  const rows: readonly [
    title: string,
    subject: Subject,
    before: readonly Rule[],
    after: readonly Rule[],
    expected: readonly string[],
  ][] = [
    ['equal rules under other names and reasons', TRASH, [inTmp], [{ ...inTmp, id: 'x', reason: 'y' }], []],
    [
      'rules in another order, one of them twice',
      TRASH,
      [inTmp, denial],
      [denial, inTmp, { ...inTmp, id: 'x' }],
      [],
    ],
    [
      'patterns of one folder in another order',
      TRASH,
      [inTmp, rule('c', { target: glob('/tmp/*') })],
      [rule('c', { target: glob('/tmp/*') }), inTmp],
      [],
    ],
    ['rules about something else', OPEN, [], [denial], []],
    ['a rule that its kind does not let match', OPEN, [], [rule('c', { action: 'write' })], []],
    ['an ALLOW where nobody is asked', OPEN, [], [rule('c', { effect: 'ALLOW' })], []],
    ['an ALLOW where a person confirms', WIPE, [], [rule('c', { effect: 'ALLOW' })], []],
    [
      'a denial where there was an ALLOW',
      TRASH,
      [{ ...denial, effect: 'ALLOW' }],
      [denial],
      ['1 allow > deny: flip'],
    ],
    ['asking where nobody was asked', OPEN, [], [rule('c', { effect: 'ASK' })], ['1 allow > ask: flip']],
    ['a pattern that may match', TRASH, [], [inTmp], ['1 ask > ask or allow: depends']],
    [
      'another pattern',
      TRASH,
      [inTmp],
      [{ ...inTmp, target: glob('/tmp/*') }],
      ['1 ask or allow > ask or allow: depends'],
    ],
    [
      'the administrator’s word in place of a person’s',
      TRASH,
      [{ ...denial, target: glob('/tmp/*') }, rule('c', { scope: 'agent', effect: 'ALLOW' })],
      [{ ...denial, target: glob('/tmp/*'), source: 'root' }, rule('c', { scope: 'agent', effect: 'ALLOW' })],
      ['1 allow > deny or allow: depends'],
    ],
    [
      'the user’s file in place of a person’s rule: it gets no denial out of the way',
      TRASH,
      [rule('c', { action: 'write' }), rule('d', { scope: 'agent', target: glob('/tmp/*'), effect: 'ASK' })],
      [
        rule('c', { action: 'write' }),
        rule('d', { scope: 'agent', target: glob('/tmp/*'), effect: 'ASK', source: 'user' }),
      ],
      ['1 deny or ask > deny: depends'],
    ],
    ['an ALLOW for a pattern of what has no target', SYNC, [], [inTmp], []],
    [
      'a denial for a pattern of what has no target',
      SYNC,
      [],
      [{ ...inTmp, effect: 'DENY' }],
      ['1 ask > deny: flip'],
    ],
  ];
  for (const [title, one, before, after, expected] of rows) {
    it(`[R130] ${title}`, () => {
      const found = run([recorded('1', one)], before, after);
      assert.deepEqual(said(found), expected);
      assert.equal(found.same, expected.length === 0 ? 1 : 0);
    });
  }

  it('[R130] a lock flips, whatever the rules', () => {
    assert.deepEqual(said(run([recorded('1', OPEN)], [], [], { locked: ['files.open'] })), [
      '1 allow > deny: flip',
    ]);
    assert.deepEqual(said(run([recorded('1', TRASH)], [inTmp], [inTmp], { locked: ['files.trash'] })), [
      '1 ask or allow > deny: flip',
    ]);
  });

  it('[R130] decides in the hour of the record, and for whoever it was', () => {
    const atNight = rule('c', { hours: { from: 22, to: 6 } });
    const history = [recorded('1', OPEN, 21), recorded('2', OPEN, 22), recorded('3', OPEN, 21)];
    assert.deepEqual(said(run(history, [], [atNight])), ['2 allow > deny: flip']);
    const other = { ...recorded('4', OPEN), principal: { id: 'other', name: 'other' } };
    const found = run([recorded('1', OPEN), other], [], [rule('c', { scope: 'other' })]);
    assert.deepEqual(said(found), ['4 allow > deny: flip']);
    assert.equal(found.examples[0]?.principal, 'other');
  });

  it('[R130] tells a question that a grant may answer from one that it may not', () => {
    const strict = { profile: 'strict' as const };
    assert.deepEqual(said(run([recorded('1', OPEN)], [], [rule('c', { effect: 'ASK' })], { now: strict })), [
      '1 allow > confirm: flip',
    ]);
    const unbound = { ...TRASH, provider: { bound: false, signed: true } };
    assert.deepEqual(said(run([recorded('1', unbound)], [], [inTmp])), []);
  });

  it('[R130] is right for every target about what it is certain of', () => {
    const targets = ['/tmp/a', '/tmp/a/b', '/etc/a'].map((value) => [{ kind: 'path', value }] as const);
    const subjects = [
      OPEN,
      TRASH,
      WIPE,
      { ...TRASH, provider: { bound: false, signed: true } },
      { ...TRASH, provider: { bound: true, signed: false } },
      { ...OPEN, tier: 2 as const },
    ];
    const anyRule = fc
      .record({
        source: fc.constantFrom('root' as const, 'person' as const, 'user' as const),
        scope: fc.constantFrom(undefined, 'agent', 'other'),
        capability: fc.constantFrom(undefined, 'files.open', 'files.trash'),
        target: fc.constantFrom(undefined, glob('/tmp/**'), glob('/tmp/*'), glob('**')),
        effect: fc.constantFrom('ALLOW' as const, 'ASK' as const, 'DENY' as const),
      })
      // A user's file may not allow.
      .filter(({ source, effect }) => source !== 'user' || effect !== 'ALLOW')
      .map((axes) => rule('', axes));
    const anyRules = fc
      .array(anyRule, { maxLength: 4 })
      .map((rules) => rules.map((one, index) => ({ ...one, id: `r${index}` })));
    const counts = { same: 0, flip: 0, depends: 0 };
    fc.assert(
      fc.property(
        anyRules,
        anyRules,
        fc.constantFrom(...subjects),
        fc.constantFrom('standard' as const, 'strict' as const),
        fc.boolean(),
        (before, after, one, profile, sessionLocked) => {
          const now = circumstances({ profile, sessionLocked });
          const found = run([recorded('1', one)], before, after, { now });
          const verdict = found.examples[0]?.verdict ?? 'same';
          counts[verdict] += 1;
          const { declaresTargets: _, ...question } = standingQuestion(AGENT, one, now);
          for (const where of [...targets, 'undetermined' as const]) {
            const answers = [before, after].map((rules) =>
              answerOf(decide({ ...question, rules: RuleSet.of(rules, []), targets: where })),
            );
            if (verdict === 'same') assert.equal(answers[0], answers[1]);
            if (verdict === 'flip') assert.notEqual(answers[0], answers[1]);
          }
        },
      ),
      { numRuns: 2000 },
    );
    for (const count of Object.values(counts)) assert.isAbove(count, 100, JSON.stringify(counts));
  });
});
