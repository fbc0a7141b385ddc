// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { decide } from '../../policy/decide.ts';
import type { Finding, KnownCapability } from '../../policy/lint.ts';
import { lintGrant } from '../../policy/lint-grant.ts';
import type { Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { standingQuestion } from '../../policy/standing-question.ts';
import { glob } from './grants.ts';
import { circumstances, rule, subject } from './rules.ts';

const WRITING = subject({ id: 'files.trash' }, 'write');
const KNOWN: KnownCapability = {
  capability: 'files.trash',
  appId: 'org.example.App',
  classification: WRITING.classification,
  hasTarget: true,
  locked: false,
};
const WANTED = { principal: 'x', capability: 'files.trash', target: glob('/tmp/*') };
const DENIES_TMP_A = { target: glob('/tmp/a*') };

describe('lintGrant', () => {
  const rows: readonly [title: string, wanted: Partial<typeof WANTED>, rules: readonly Rule[], Finding[]][] =
    [
      ['nothing where nothing denies', {}, [rule('a', { effect: 'ASK' })], []],
      [
        'the administrator’s denial of all of it, however specific others are',
        {},
        [rule('b', DENIES_TMP_A), rule('a', { source: 'root', app: 'org.example.App', action: 'write' })],
        [{ kind: 'shadowed', rule: 'g', by: 'a', text: 'it never answers: `a` denies all of it' }],
      ],
      [
        'the administrator’s denial of some of it',
        {},
        [rule('a', { source: 'root', ...DENIES_TMP_A })],
        [
          {
            kind: 'conflict',
            rule: 'g',
            by: 'a',
            example: '/tmp/a',
            text: 'it does not answer where `a` denies, for example at `/tmp/a`',
          },
        ],
      ],
      [
        'denials that more specific rules can lift',
        {},
        [rule('a', { scope: 'x' }), rule('b', DENIES_TMP_A)],
        [
          {
            kind: 'conflict',
            rule: 'g',
            by: 'a',
            example: '/tmp/',
            text: 'it does not answer where `a` denies, for example at `/tmp/`',
          },
        ],
      ],
      ['a denial of another target', {}, [rule('a', { target: glob('/etc/**') })], []],
      ['a denial for somebody else', {}, [rule('a', { scope: 'y' })], []],
      ['a denial of what it is not', {}, [rule('a', { source: 'root', action: 'read' })], []],
      ['a denial of another app', {}, [rule('a', { source: 'root', app: 'org.example.Notes' })], []],
    ];
  for (const [title, wanted, rules, expected] of rows) {
    it(`[R109] [R127] ${title}`, () => {
      assert.deepEqual(lintGrant('g', { ...WANTED, ...wanted }, rules, KNOWN), expected);
    });
  }

  it('[R109] [R127] a denial of a target counts for what has none', () => {
    const rules = [rule('a', { target: glob('/etc/**') })];
    const known = { ...KNOWN, hasTarget: false };
    assert.deepEqual(lintGrant('g', { ...WANTED, target: undefined }, rules, known), [
      { kind: 'conflict', rule: 'g', by: 'a', text: 'it does not answer where `a` denies' },
    ]);
  });

  it('[R109] is right that it never answers', () => {
    const rules = [rule('a', { source: 'root', target: glob('/tmp/**') })];
    assert.deepEqual(
      lintGrant('g', WANTED, rules, KNOWN).map(({ kind }) => kind),
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
