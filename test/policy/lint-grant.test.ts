// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { decide } from '../../policy/decide.ts';
import type { KnownCapability } from '../../policy/lint.ts';
import { type GrantFinding, lintGrant } from '../../policy/lint-grant.ts';
import type { Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { standingQuestion } from '../../policy/standing-question.ts';
import { glob } from './grants.ts';
import { circumstances, rule, subject } from './rules.ts';

const WRITING = subject({ id: 'files.trash' }, 'write');
const known = (more: Partial<KnownCapability> = {}): KnownCapability => ({
  capability: 'files.trash',
  appId: 'org.example.App',
  classification: WRITING.classification,
  hasTarget: true,
  locked: false,
  ...more,
});
const WANTED = {
  principal: 'x',
  capability: 'files.trash',
  target: glob('/tmp/*'),
  access: 'write',
} as const;
const said = ({ kind, by, text }: GrantFinding): string =>
  `${kind}${by === undefined ? '' : ` by ${by}`}: ${text}`;

describe('lintGrant', () => {
  const rows: readonly [
    title: string,
    wanted: object,
    rules: readonly Rule[],
    capability: KnownCapability | undefined,
    expected: readonly string[],
  ][] = [
    ['nothing where nothing denies', {}, [rule('a', { effect: 'ASK' })], known(), []],
    [
      'what is not there',
      { capability: 'files.shred' },
      [],
      known(),
      ['unknown-capability: nothing is known of `files.shred` now'],
    ],
    [
      'what is switched off',
      {},
      [],
      known({ locked: true }),
      ['no-effect: it never answers: `files.trash` is switched off'],
    ],
    [
      'what a person confirms each time',
      {},
      [],
      known({ classification: subject({ id: 'files.trash' }, 'destructive').classification }),
      ['no-effect: it never answers: a person confirms `files.trash` each time'],
    ],
    [
      'a grant to read for what writes',
      { access: 'read' },
      [],
      known(),
      ['no-effect: it never answers: `files.trash` writes, and it covers reading'],
    ],
    [
      'a grant to read for what reads',
      { access: 'read' },
      [],
      known({ classification: subject({ id: 'files.trash' }, 'read').classification }),
      [],
    ],
    [
      'the administrator’s denial of all of it',
      {},
      [rule('a', { source: 'root', app: 'org.example.App', action: 'write' })],
      known(),
      ['shadowed by a: it never answers: `a` denies all of it'],
    ],
    [
      'the administrator’s denial of some of it',
      {},
      [rule('a', { source: 'root', target: glob('/tmp/a*') })],
      known(),
      ['conflict by a: where `a` denies it does not answer, for example at `/tmp/a`'],
    ],
    [
      'a denial that more specific rules can lift',
      {},
      [rule('a', { scope: 'x' })],
      known(),
      ['conflict by a: where `a` denies it does not answer, for example at `/tmp/`'],
    ],
    [
      'a denial of a target, for what has none',
      { target: undefined },
      [rule('a', { target: glob('/etc/**') })],
      known({ hasTarget: false }),
      ['conflict by a: where `a` denies it does not answer'],
    ],
    ['a denial of another target', {}, [rule('a', { target: glob('/etc/**') })], known(), []],
    ['a denial for somebody else', {}, [rule('a', { scope: 'y' })], known(), []],
    ['a denial of what it is not', {}, [rule('a', { action: 'read' })], known(), []],
    [
      'only what is certain of a capability that nobody told of',
      {},
      [rule('a', { source: 'root', action: 'read' }), rule('b', { app: 'org.example.App' })],
      undefined,
      ['conflict by a: where `a` denies it does not answer, for example at `/tmp/`'],
    ],
  ];
  for (const [title, wanted, rules, capability, expected] of rows) {
    it(`[R109] [R127] ${title}`, () => {
      const found = lintGrant({ ...WANTED, ...wanted }, rules, capability && [capability]);
      assert.deepEqual(found.map(said), expected);
    });
  }

  it('[R109] is right that it never answers', () => {
    const rules = [rule('a', { source: 'root', target: glob('/tmp/**') })];
    assert.deepEqual(
      lintGrant(WANTED, rules, [known()]).map(({ kind }) => kind),
      ['shadowed'],
    );
    const { declaresTargets: _, ...question } = standingQuestion(
      { id: 'x', name: 'x' },
      WRITING,
      circumstances({ rules: RuleSet.of(rules, []) }),
    );
    const at = (value: string) => decide({ ...question, targets: [{ kind: 'path', value }] });
    assert.isFalse(at('/tmp/a').grantable);
    assert.isTrue(at('/etc/a').grantable);
  });
});
