// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { matrix } from '../../policy/matrix.ts';
import { outlook } from '../../policy/outlook.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { standingQuestion } from '../../policy/standing-question.ts';
import { glob } from './grants.ts';
import { circumstances, principal, rule, subject } from './rules.ts';

describe('matrix', () => {
  const open = subject({ id: 'files.open' }, 'read');
  const trash = subject({ id: 'files.trash' }, 'write');
  const wipe = subject({ id: 'files.wipe' }, 'destructive');
  const halt = subject({ id: 'power.halt' }, 'system');
  const agent = principal('agent');
  const guest = principal('guest', { level: 'public' });
  const now = circumstances({
    rules: RuleSet.of(
      [
        rule('deny-etc', { target: glob('/etc/**') }),
        rule('allow-trash', { scope: 'agent', capability: 'files.trash', effect: 'ALLOW' }),
      ],
      [],
    ),
  });

  it('[R101] is what each may do with each, in the order given', () => {
    const rows = matrix([agent, guest], [trash, wipe, open], now);
    assert.deepEqual(
      rows.map(({ principal: who, capability, effect, decider }) => [who, capability, effect, decider]),
      [
        ['agent', 'files.trash', 'allow', 'rule'],
        ['agent', 'files.wipe', 'deny', 'rule'],
        ['agent', 'files.open', 'deny', 'rule'],
        ['guest', 'files.trash', 'deny', 'level'],
        ['guest', 'files.wipe', 'deny', 'level'],
        ['guest', 'files.open', 'deny', 'level'],
      ],
    );
  });

  it('[R101] tells the rule where one decides, and where the target matters', () => {
    const [trashed, opened] = matrix([agent], [trash, open], now);
    assert.deepEqual(trashed, {
      principal: 'agent',
      capability: 'files.trash',
      effect: 'allow',
      gate: 'ask',
      decider: 'rule',
      rule: 'allow-trash',
      depends_on_target: false,
      possible: ['allow'],
    });
    assert.deepEqual(opened, {
      principal: 'agent',
      capability: 'files.open',
      effect: 'deny',
      gate: 'automatic',
      decider: 'rule',
      rule: 'deny-etc',
      depends_on_target: true,
      possible: ['deny', 'allow'],
    });
  });

  it('[R103] a level that does not reach denies, whatever rules say', () => {
    const [row] = matrix([agent], [halt], now);
    assert.deepEqual(row, {
      principal: 'agent',
      capability: 'power.halt',
      effect: 'deny',
      gate: 'confirm',
      decider: 'level',
      depends_on_target: false,
      possible: ['deny'],
    });
  });

  it('[R101] [R103] agrees with the outlook under all circumstances', () => {
    const moments = [false, true].flatMap((sessionLocked) =>
      [false, true].flatMap((suspended) =>
        (['standard', 'strict'] as const).flatMap((profile) =>
          [now.rules, RuleSet.of([], ['files.open'])].map((rules) =>
            circumstances({
              rules,
              profile,
              sessionLocked,
              isSuspended: ({ name }) => suspended && name === 'agent',
            }),
          ),
        ),
      ),
    );
    const subjects = [
      open,
      trash,
      wipe,
      subject({ id: 'notes.sync', hasTarget: false }, 'write'),
      subject({ id: 'web.fetch' }, 'read', { tier: 'builtin', enabled: false }),
      subject({ id: 'notes.add' }, 'write', { provider: { bound: false, signed: true } }),
      subject({ id: 'notes.list' }, 'read', { tier: 2 }),
      subject({ id: 'notes.drop' }, 'read', { locked: true }),
    ];
    for (const moment of moments) {
      const seen = subjects.map((one) => outlook(standingQuestion(agent, one, moment)));
      assert.deepEqual(
        matrix([agent], subjects, moment).map(({ effect, gate, decider, rule: id, possible }) => ({
          effect,
          gate,
          decider,
          id,
          possible,
        })),
        seen.map(({ effect, gate, decider, rule: by, possible }) => ({
          effect,
          gate,
          decider,
          id: by?.id,
          possible,
        })),
      );
    }
  });
});
