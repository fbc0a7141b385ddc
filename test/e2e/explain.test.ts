// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Explanation, IntentOptions, Outcome } from '../../broker/client.ts';
import { useDesktop } from '../support/desktop.ts';
import { fix, type Json } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

const mark = fix('mark');
const touch = fix('touch');

/** One of each class, with and without a target, and every way to be wrong about one. */
const INTENTS: readonly (readonly [capability: string, params?: Json, options?: IntentOptions])[] = [
  [fix('look')],
  [fix('anybody')],
  [fix('sing')],
  [fix('cautious')],
  [fix('write')],
  [fix('delete')],
  [fix('send')],
  [fix('unstated')],
  [fix('privileged')],
  [fix('nothing')],
  ['system.health'],
  [mark, { path: '/tmp/t/a' }],
  [mark, { path: '/tmp/t/b/c' }],
  [mark],
  [touch, { path: '/tmp/t/a' }],
  [touch, { path: '/tmp/t/a' }, { requireApproval: true }],
  [touch, { path: '/tmp/../etc/a' }],
  [touch, { path: '/tmp/t/a' }, { target: '/tmp/t/b' }],
  [fix('look'), { text: 7 }],
  [fix('look'), { more: true }],
  [fix('look'), {}, { version: '9.9' }],
  [fix('look'), {}, { category: 'SYSTEM' }],
];
const GRANT = {
  principal: 'desk',
  capability: mark,
  access: 'write',
  target: '/tmp/t/*',
  minutes: 5,
  operations: 50,
  reason: 'a test',
};
/** What holds meanwhile: rules of the person and of the administrator, locks, grants. */
const WORLDS: readonly {
  readonly what: string;
  readonly rules?: readonly Json[];
  readonly root?: readonly Json[];
  readonly locked?: readonly string[];
  readonly grant?: Json;
}[] = [
  { what: 'nothing but the capabilities themselves' },
  { what: 'a grant', grant: GRANT },
  { what: 'a grant and a rule that asks', grant: GRANT, rules: [{ effect: 'ASK', target: '/tmp/t/**' }] },
  {
    what: 'a grant, and a denial of some of it',
    grant: GRANT,
    rules: [{ effect: 'DENY', target: '/tmp/t/a' }],
  },
  {
    what: 'a grant with bounds on a parameter that is not given',
    grant: { ...GRANT, params: { '/text': 'x*' } },
  },
  { what: 'everything allowed', rules: [{ effect: 'ALLOW' }] },
  { what: 'everything asks', rules: [{ effect: 'ASK' }] },
  {
    what: 'writing denied, one target allowed',
    rules: [
      { effect: 'DENY', action: 'write' },
      { effect: 'ALLOW', capability: mark, target: '/tmp/t/*' },
    ],
  },
  { what: 'a denial of the administrator', grant: GRANT, root: [{ effect: 'DENY', target: '/tmp/t/**' }] },
  {
    what: "an administrator's ASK over an ALLOW",
    rules: [{ effect: 'ALLOW' }],
    root: [{ effect: 'ASK', capability: touch }],
  },
  { what: 'locks', grant: GRANT, locked: [mark, fix('look')] },
];

interface Foreseen {
  readonly effect: string;
  readonly stage: string | undefined;
  readonly code: string | undefined;
}

describe('Explain, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let self: string;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    await agent.dispatch('system.health');
    self = (await agent.selfModel()).principal;
  });

  /** What an outcome says that Explain can foresee. Nobody is there to be asked, so whatever asks says so. */
  const foreseeable = ({ status, stage, code }: Outcome): Foreseen =>
    status === 'executed'
      ? { effect: 'allow', stage: undefined, code: undefined }
      : code === 'NoConfirmer'
        ? { effect: 'ask', stage: 'confirm', code: undefined }
        : { effect: 'deny', stage, code };
  const foreseen = ({ effect, stage, code }: Explanation): Foreseen => ({
    effect,
    stage: effect === 'allow' ? undefined : stage,
    code,
  });
  const left = async () =>
    (await person.operate<readonly { operations_left?: number }[]>('grants.list')).map(
      (grant) => grant.operations_left,
    );
  /** Everything on record but that files were read again, which may come a moment after they hold. */
  const recorded = () =>
    desktop()
      .audit()
      .filter(({ type }) => type !== 'policy').length;
  const reasoned = (rules: readonly Json[] = []) => rules.map((rule) => ({ reason: 'a test', ...rule }));

  for (const { what, rules, root, locked = [], grant } of WORLDS) {
    it(`[R130] foresees what Dispatch then does, and does nothing: ${what}`, async () => {
      const made: string[] = [];
      for (const rule of reasoned(rules))
        made.push((await person.operate<{ id: string }>('policy.add', rule)).id);
      const grantId =
        grant === undefined ? undefined : (await person.operate<{ id: string }>('grants.add', grant)).id;
      await administer(reasoned(root), locked);

      const before = [app.invoked.length, recorded(), await left()];
      const expected: Explanation[] = [];
      for (const [capability, params = {}, options = {}] of INTENTS) {
        const own = await agent.explain(capability, params, options);
        expected.push(own);
        const full = await person.operate<Explanation & { stages: readonly Json[] }>(
          'policy.explain',
          self,
          capability,
          params,
          options,
        );
        assert.equal(full.effect, own.effect, capability);
        assert.isNotEmpty(full.stages);
      }
      assert.deepEqual(
        [app.invoked.length, recorded(), await left()],
        before,
        'nothing ran, was recorded or was used',
      );
      for (const [index, [capability, params = {}, options = {}]] of INTENTS.entries()) {
        const outcome = await agent.dispatch(capability, params, options);
        assert.deepEqual(
          foreseen(expected[index] as Explanation),
          foreseeable(outcome),
          `${capability} ${JSON.stringify({ params, options })}`,
        );
      }

      for (const id of made) await person.operate('policy.remove', id);
      if (grantId !== undefined) await person.operate('grants.revoke', grantId);
    });
  }

  /** Resolves once the administrator's rules and locks are these. Files are looked at again within a second. */
  async function administer(rules: readonly Json[], locked: readonly string[]): Promise<void> {
    desktop().writeRules({ rules, locked });
    for (;;) {
      const now = await person.operate<{
        rules: readonly { source: string; effect: string; target?: string; capability?: string }[];
        locked: readonly string[];
      }>('policy.rules');
      const root = now.rules.filter(({ source }) => source === 'root');
      const same = rules.every((rule) =>
        root.some(
          (one) =>
            one.effect === rule.effect &&
            one.target === rule.target &&
            one.capability === (rule.capability ?? '*'),
        ),
      );
      if (same && root.length === rules.length && now.locked.join() === [...locked].join()) return;
    }
  }
});
