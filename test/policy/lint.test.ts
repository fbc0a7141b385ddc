// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Glob } from '../../policy/glob.ts';
import { type Finding, type KnownCapability, lint, lintOne } from '../../policy/lint.ts';
import type { Rule } from '../../policy/rule.ts';
import { glob } from './grants.ts';
import { KNOWN, knownAs, OTHER } from './lint-world.ts';
import { rule } from './rules.ts';

const said = ({ kind, rule: about, by, example }: Finding): string =>
  [kind, about, by === undefined ? '' : `by ${by}`, example === undefined ? '' : `at ${example}`]
    .filter((part) => part !== '')
    .join(' ');
const findings = (rules: readonly Rule[], known?: readonly KnownCapability[]): string[] =>
  lint(rules, known).map(said);

describe('lint', () => {
  const TMP = glob('/tmp/**');
  const TMP_A = glob('/tmp/a*');

  const rows: readonly [title: string, rules: readonly Rule[], expected: readonly string[]][] = [
    [
      'nothing about rules apart',
      [rule('a', { scope: 'x' }), rule('b', { scope: 'y', effect: 'ALLOW' })],
      [],
    ],
    [
      '[R127] an equally specific rule that is stricter everywhere',
      [rule('a', { target: TMP }), rule('b', { target: TMP_A, effect: 'ALLOW' })],
      ['shadowed b by a'],
    ],
    [
      '[R127] an equally specific rule that is stricter at some targets',
      [rule('a', { target: TMP_A }), rule('b', { target: TMP, effect: 'ALLOW' })],
      ['conflict b by a at /tmp/a'],
    ],
    [
      '[R127] a conflict that no target is needed for',
      [
        rule('a', { scope: 'x', effect: 'ASK' }),
        rule('b', { scope: 'x', effect: 'ALLOW', hours: { from: 1, to: 1 } }),
      ],
      [],
    ],
    [
      '[R127] a conflict between hours and an action',
      [rule('a', { hours: { from: 8, to: 12 } }), rule('b', { action: 'write', effect: 'ASK' })],
      ['conflict b by a'],
    ],
    [
      '[R127] a conflict in the first hour of the day alone',
      [rule('a', { hours: { from: 23, to: 1 } }), rule('b', { hours: { from: 0, to: 5 }, effect: 'ASK' })],
      ['conflict b by a'],
    ],
    [
      '[R127] a conflict in the last hour of the day alone',
      [rule('a', { hours: { from: 20, to: 0 } }), rule('b', { hours: { from: 23, to: 5 }, effect: 'ASK' })],
      ['conflict b by a'],
    ],
    [
      'no conflict where one begins when the other ends',
      [rule('a', { hours: { from: 22, to: 3 } }), rule('b', { hours: { from: 3, to: 22 }, effect: 'ASK' })],
      [],
    ],
    [
      '[R127] hours past midnight inside the whole day',
      [
        rule('a', { source: 'root' }),
        rule('b', { hours: { from: 22, to: 6 }, effect: 'ASK' }),
        rule('c', { hours: { from: 20, to: 0 }, effect: 'ALLOW' }),
      ],
      ['shadowed b by a', 'shadowed c by a'],
    ],
    [
      '[R127] a conflict where only one names a target',
      [
        rule('a', { target: TMP, capability: 'files.trash', action: 'write', hours: { from: 8, to: 12 } }),
        rule('b', { scope: 'x', effect: 'ALLOW' }),
      ],
      ['conflict b by a at /tmp/'],
    ],
    [
      '[R127] the administrator’s denial over anything',
      [rule('a', { source: 'root' }), rule('b', { capability: 'files.trash', effect: 'ALLOW' })],
      ['shadowed b by a'],
    ],
    [
      '[R127] the administrator’s asking over an ALLOW',
      [
        rule('a', { source: 'root', effect: 'ASK' }),
        rule('b', { capability: 'files.trash', effect: 'ALLOW' }),
      ],
      ['shadowed b by a'],
    ],
    [
      'not where that ALLOW gets a denial out of the way',
      [
        rule('a', { source: 'root', effect: 'ASK' }),
        rule('b', { capability: 'files.trash', effect: 'ALLOW' }),
        rule('c', { action: 'write' }),
      ],
      [],
    ],
    [
      'not the administrator’s asking under a person’s denial: more specific ones may lift that',
      [rule('a', { scope: 'x' }), rule('b', { scope: 'x', source: 'root', effect: 'ASK' })],
      ['conflict b by a'],
    ],
    [
      'a person’s denial beside the same of the user’s files, which get nothing out of the way',
      [rule('a', { source: 'user', target: TMP }), rule('b', { target: TMP }), rule('c', { source: 'user' })],
      ['duplicate a by b'],
    ],
    [
      'a person’s ALLOW under a denial of the user’s files',
      [rule('a', { source: 'user', target: TMP }), rule('b', { target: TMP, effect: 'ALLOW' })],
      ['conflict b by a at /tmp/'],
    ],
    [
      '[R127] a rule of the user’s files under another of them',
      [
        rule('a', { source: 'user', target: TMP }),
        rule('b', { source: 'user', target: TMP_A, effect: 'ASK' }),
      ],
      ['shadowed b by a'],
    ],
    [
      'not the administrator’s asking beside the same of a person',
      [rule('a', { scope: 'x', effect: 'ASK' }), rule('b', { scope: 'x', source: 'root', effect: 'ASK' })],
      ['duplicate a by b'],
    ],
    [
      '[R127] the administrator’s asking under another of the administrator’s',
      [
        rule('a', { scope: 'x', source: 'root', effect: 'ASK' }),
        rule('b', { scope: 'x:pid:7:70', source: 'root', effect: 'ASK' }),
      ],
      ['duplicate b by a'],
    ],
    [
      '[R127] the same twice: the later one',
      [rule('a', { target: TMP }), rule('b', { target: TMP })],
      ['duplicate b by a'],
    ],
    [
      '[R127] the same, but narrower',
      [rule('a', { target: TMP_A }), rule('b', { target: TMP })],
      ['duplicate a by b'],
    ],
    [
      '[R127] a denial under the administrator’s, however specific',
      [rule('a', { scope: 'x' }), rule('b', { source: 'root' })],
      ['duplicate a by b'],
    ],
    [
      '[R127] a denial beside the same of the administrator’s',
      [rule('a', { scope: 'x' }), rule('b', { source: 'root', scope: 'x' })],
      ['duplicate a by b'],
    ],
    [
      '[R127] one process of whoever bears the name',
      [rule('a', { scope: 'x' }), rule('b', { scope: 'x:pid:7:70', effect: 'ALLOW' })],
      ['shadowed b by a'],
    ],
    [
      'not another name that starts the same',
      [rule('a', { scope: 'x' }), rule('b', { scope: 'xy', effect: 'ALLOW' })],
      [],
    ],
    [
      '[R127] the first of several conflicts',
      [
        rule('a', { target: TMP_A }),
        rule('b', { target: glob('/tmp/b') }),
        rule('c', { target: TMP, effect: 'ALLOW' }),
      ],
      ['conflict c by a at /tmp/a'],
    ],
  ];
  for (const [title, rules, expected] of rows) {
    it(title, () => assert.deepEqual(findings(rules), expected));
  }

  it('[R127] says it in one line, with the names', () => {
    const texts = lint(
      [
        rule('a', { target: TMP_A }),
        rule('b', { target: glob('/tmp/b') }),
        rule('c', { target: TMP, effect: 'ALLOW' }),
        rule('d', { scope: 'x', effect: 'ASK' }),
        rule('e', { scope: 'x', effect: 'ALLOW' }),
        rule('f', { scope: 'x', effect: 'ASK' }),
        rule('g', { capability: 'files.shred' }),
        rule('h', { capability: 'files.open', action: 'write' }),
        rule('i', { capability: 'files.wipe', effect: 'ALLOW', target: glob('/etc/x') }),
        rule('j', { app: 'org.example.Off' }),
        rule('k', { action: 'read', effect: 'ALLOW' }),
        rule('l', { action: 'external', effect: 'ASK' }),
      ],
      [...KNOWN, { ...knownAs(OTHER), capability: 'off.on', appId: 'org.example.Off', locked: true }],
    ).map(({ text }) => text);
    assert.deepEqual(texts, [
      '`a` is as specific as `c` and denies where both match, for example at `/tmp/a`',
      '`e` never comes to bear: `d` asks wherever it matches',
      '`f` adds nothing to `d`: it can go',
      '`g` is about `files.shred`, of which nothing is known now',
      '`h` never matches: `files.open` is not declared so',
      '`i` changes nothing: a person confirms `files.wipe` each time',
      '`j` changes nothing: `org.example.Off` is switched off',
      '`l` is as specific as `k` and asks where both match',
    ]);
  });

  const apart: readonly [by: string, allowing: Partial<Rule>, denying: Partial<Rule>][] = [
    ['scope', { scope: 'x' }, { scope: 'y', effect: 'DENY' }],
    ['hours', { scope: 'x', hours: { from: 8, to: 12 } }, { hours: { from: 12, to: 8 } }],
    ['action', { scope: 'x', action: 'read' }, { action: 'destructive' }],
    ['capability', { scope: 'x', capability: 'files.trash' }, { capability: 'files.wipe' }],
    ['app', { scope: 'x', app: 'org.example.App' }, { app: 'org.example.Notes' }],
    ['capability and app', { scope: 'x', capability: 'files.trash' }, { app: 'org.example.Notes' }],
    ['app and capability', { scope: 'x', app: 'org.example.Notes' }, { capability: 'files.trash' }],
    ['target', { scope: 'x', target: TMP }, { target: glob('/etc/**') }],
  ];
  const asking = rule('asking', { source: 'root', effect: 'ASK' });
  for (const [by, allowing, denying] of apart) {
    it(`[R129] sees that a denial is out of the way by its ${by}`, () => {
      const rules = [asking, rule('a', { ...allowing, effect: 'ALLOW' }), rule('d', denying)];
      assert.deepEqual(findings(rules, KNOWN), ['shadowed a by asking']);
    });
  }

  const inTheWay: readonly [by: string, allowing: Partial<Rule>, denying: Partial<Rule>][] = [
    ['scope', { scope: 'x:pid:7:70', capability: 'files.trash' }, { scope: 'x' }],
    ['hours', { scope: 'x', hours: { from: 8, to: 12 } }, { hours: { from: 11, to: 8 } }],
    ['action', { scope: 'x', action: 'write' }, { action: 'destructive' }],
    ['reach', { scope: 'x', action: 'read' }, { action: 'external' }],
    ['capability', { scope: 'x', capability: 'files.trash' }, { capability: 'files.trash' }],
    ['app', { scope: 'x', capability: 'files.trash' }, { app: 'org.example.App' }],
    ['unknown app', { scope: 'x', capability: 'off.on' }, { app: 'org.example.App' }],
    ['any capability', { scope: 'x', app: 'org.example.App' }, {}],
    ['target', { scope: 'x', target: TMP }, { target: TMP_A }],
    ['want of a target', { scope: 'x' }, { target: TMP_A }],
  ];
  for (const [by, allowing, denying] of inTheWay) {
    it(`[R129] sees that a denial may be in the way by its ${by}`, () => {
      const rules = [asking, rule('a', { ...allowing, effect: 'ALLOW' }), rule('d', denying)];
      assert.notInclude(findings(rules, KNOWN), 'shadowed a by asking');
    });
  }

  it('[R129] what has no target may meet any denial of one where it only asks', () => {
    const rules = [rule('a', { capability: 'files.wipe', target: TMP, effect: 'ASK' })];
    const denial = rule('d', { target: glob('/etc/**') });
    assert.deepEqual(findings(rules, KNOWN), ['no-effect a']);
    assert.deepEqual(findings([...rules, denial], KNOWN), []);
    const allowing = rules.map((one) => ({ ...one, effect: 'ALLOW' as const }));
    assert.deepEqual(findings([...allowing, denial], KNOWN), ['no-effect a']);
  });

  it('[R129] the administrator’s denials give way to none, and those of the user’s files do', () => {
    const rules = [asking, rule('a', { capability: 'files.trash', effect: 'ALLOW' })];
    const denial = (source: Rule['source']) => rule('d', { source, target: TMP });
    assert.deepEqual(findings([...rules, denial('root')]), ['shadowed a by asking']);
    assert.deepEqual(findings([...rules, denial('user')]), []);
  });

  it('[R127] an equally specific denial does not give way', () => {
    const about = { capability: 'files.trash' };
    const rules = [asking, rule('a', { ...about, effect: 'ALLOW' }), rule('d', about)];
    assert.deepEqual(findings(rules), ['shadowed a by asking']);
  });

  const OPEN = { capability: 'files.open' } as const;
  const about: readonly [title: string, rules: readonly Rule[], expected: readonly string[]][] = [
    [
      '[R129] a capability that is not there',
      [rule('a', { capability: 'files.shred' })],
      ['unknown-capability a'],
    ],
    ['[R129] an app that is not there', [rule('a', { app: 'org.example.Gone' })], ['unknown-capability a']],
    ['nothing about any capability', [rule('a', { effect: 'ALLOW', action: 'destructive' })], []],
    ['[R129] an action that it is not', [rule('a', { ...OPEN, action: 'write' })], ['no-effect a']],
    ['an action that it is', [rule('a', { ...OPEN, action: 'read' })], []],
    ['[R129] a reach that it has not', [rule('a', { ...OPEN, action: 'external' })], ['no-effect a']],
    ['an action that one of the app is', [rule('a', { app: 'org.example.App', action: 'destructive' })], []],
    [
      '[R129] a kind that none of the app is',
      [rule('a', { app: 'org.example.App', action: 'system' })],
      ['no-effect a'],
    ],
    [
      '[R129] an ALLOW for a target of what has none',
      [rule('a', { capability: 'notes.sync', target: TMP, effect: 'ALLOW' })],
      ['no-effect a'],
    ],
    ['a denial for a target of what has none', [rule('a', { capability: 'notes.sync', target: TMP })], []],
    [
      '[R129] an ALLOW for what a person confirms each time',
      [rule('a', { capability: 'files.wipe', effect: 'ALLOW' })],
      ['no-effect a'],
    ],
    [
      '[R129] asking for what a person confirms each time',
      [rule('a', { app: 'org.example.App', action: 'destructive', effect: 'ASK' })],
      ['no-effect a'],
    ],
    ['denying what a person confirms each time', [rule('a', { capability: 'files.wipe' })], []],
    [
      'not where it gets a denial out of the way',
      [rule('a', { capability: 'files.wipe', effect: 'ALLOW' }), rule('b', { action: 'destructive' })],
      [],
    ],
    [
      'unless that denial is of something else',
      [rule('a', { capability: 'files.wipe', effect: 'ALLOW' }), rule('b', { action: 'read' })],
      ['no-effect a'],
    ],
    [
      'no conflict where what both are about cannot be both',
      [
        rule('a', { app: 'org.example.App', action: 'read', effect: 'ALLOW' }),
        rule('b', { capability: 'files.trash', action: 'external' }),
      ],
      ['no-effect b'],
    ],
    [
      'no conflict with what never matches',
      [
        rule('a', { scope: 'x' }),
        rule('b', {
          capability: 'files.open',
          action: 'write',
          target: TMP,
          hours: { from: 1, to: 2 },
          effect: 'ALLOW',
        }),
      ],
      ['no-effect b'],
    ],
    [
      'not where it gets a denial of one of them out of the way',
      [rule('a', { app: 'org.example.Web', effect: 'ASK' }), rule('b', { action: 'destructive' })],
      [],
    ],
    [
      'no conflict where an ALLOW needs a target that there is not',
      [
        rule('a', { capability: 'notes.sync', target: TMP, effect: 'ALLOW' }),
        rule('b', { app: 'org.example.Notes', target: TMP_A }),
      ],
      ['no-effect a'],
    ],
    [
      '[R127] a conflict between kinds that a capability is at once',
      [
        rule('a', { app: 'org.example.Web', action: 'destructive', effect: 'ALLOW' }),
        rule('b', { app: 'org.example.Web', action: 'external' }),
      ],
      ['no-effect a', 'conflict a by b'],
    ],
    [
      '[R127] a conflict between kinds of whatever capability',
      [
        rule('a', { action: 'system', effect: 'ALLOW' }),
        rule('b', { action: 'external', effect: 'ASK' }),
        rule('c', { action: 'read' }),
      ],
      ['conflict a by b', 'conflict b by c'],
    ],
    [
      '[R127] a rule of an app over one of its capabilities',
      [rule('a', { app: 'org.example.App' }), rule('b', { capability: 'files.open', effect: 'ALLOW' })],
      ['shadowed b by a'],
    ],
    [
      'not over one of another app',
      [rule('a', { app: 'org.example.App' }), rule('b', { capability: 'notes.add', effect: 'ALLOW' })],
      [],
    ],
  ];
  for (const [title, rules, expected] of about) {
    it(`${title}`, () => assert.deepEqual(findings(rules, KNOWN), expected));
  }

  it('[R129] [R44] a rule about what is switched off', () => {
    const off = KNOWN.map((one) => ({ ...one, locked: one.capability === 'files.open' }));
    assert.deepEqual(findings([rule('a', OPEN)], off), ['no-effect a']);
    assert.deepEqual(findings([rule('a', { app: 'org.example.App' })], off), []);
    const wipeOnly = KNOWN.map((one) => ({ ...one, locked: one.capability !== 'files.wipe' }));
    assert.deepEqual(findings([rule('a', { app: 'org.example.App', effect: 'ASK' })], wipeOnly), [
      'no-effect a',
    ]);
  });

  it('says nothing about capabilities where nobody said which there are', () => {
    assert.deepEqual(findings([rule('a', { capability: 'files.shred' })]), []);
    assert.deepEqual(
      findings([
        rule('a', { app: 'org.example.App' }),
        rule('b', { capability: 'files.open', effect: 'ALLOW' }),
      ]),
      [],
    );
  });
});

describe('lintOne', () => {
  const wide = rule('wide', { target: glob('/tmp/**') });
  const narrow = rule('narrow', { target: glob('/tmp/a*'), effect: 'ALLOW' });
  const apart = rule('apart', { scope: 'x' });

  it('[R127] tells of a new rule beside the others, and of them beside it', () => {
    assert.deepEqual(lintOne(narrow, [wide, apart]).map(said), ['shadowed narrow by wide']);
    assert.deepEqual(lintOne(wide, [narrow, apart]).map(said), ['shadowed narrow by wide']);
    assert.deepEqual(lintOne(apart, [narrow, wide]), []);
    assert.deepEqual(lintOne({ ...wide, id: 'again' }, [wide]).map(said), ['duplicate again by wide']);
  });

  it('[R127] leaves out what the others are to each other', () => {
    assert.deepEqual(lintOne(apart, [narrow, wide, { ...wide, id: 'again' }]), []);
  });

  it('[R127] sees what the others are for', () => {
    const asking = rule('asking', { source: 'root', effect: 'ASK' });
    const denial = rule('denial', { action: 'write' });
    assert.deepEqual(lintOne(asking, [narrow]).map(said), ['shadowed narrow by asking']);
    assert.deepEqual(lintOne(asking, [narrow, denial]).map(said), []);
    assert.deepEqual(lintOne(rule('a', { capability: 'files.shred' }), [], KNOWN).map(said), [
      'unknown-capability a',
    ]);
  });
});

describe('lint of a great many rules', () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    rule(`r${index}`, { target: glob(`/tmp/d${index}/**`) }),
  );
  const allowing = rule('new', { target: glob('/tmp/**/new'), effect: 'ALLOW' });
  const inTheWay = rule('old', { target: glob('/tmp/**') });

  it('[R128] compares so many patterns, and says nothing that it has not seen', () => {
    assert.deepEqual(lintOne(allowing, [inTheWay, ...many]).map(said), ['shadowed new by old']);
    assert.deepEqual(lintOne(allowing, [...many, inTheWay]).map(said), ['conflict new by r0 at /tmp/d0/new']);
    assert.deepEqual(lintOne(allowing, [...many.slice(0, 50), inTheWay]).map(said), ['shadowed new by old']);
  });

  it('[R128] takes no longer however hard the patterns are, and however many', () => {
    let read = 0;
    const counted = (text: string): Glob => {
      const plain = glob(text);
      const steps = new Proxy([...plain.automaton.steps], {
        get: (of, key, receiver): unknown => {
          read += 1;
          return Reflect.get(of, key, receiver);
        },
      });
      return { ...plain, automaton: { ...plain.automaton, steps } };
    };
    const hard = ['a', 'b', 'c'].map((char) => counted(`**${char}${'?'.repeat(150)}`));
    const rules = hard.flatMap((target, index) =>
      Array.from({ length: 100 }, (_, one) => rule(`r${index}-${one}`, { target, effect: 'ASK' })),
    );
    lintOne(rule('new', { target: counted(`**d${'?'.repeat(150)}`) }), rules);
    assert.isBelow(read, 500_000);
  });
});
