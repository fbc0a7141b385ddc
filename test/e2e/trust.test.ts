// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { publicKeyOf } from '../../keys/sign.ts';
import { Desktop, KEY, useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix, fixtureManifest, seed, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const look = fix('look');
const write = fix('write');
const NEW_KEY = seed(2);

/** Ways in which a key stops being trusted. Some of them no file watcher notices. */
const WITHDRAWALS: readonly [what: string, withdraw: (desktop: Desktop) => void][] = [
  ['is removed', ({ keys }) => rmSync(join(keys, `${FIXTURE}.pub`))],
  ['is revoked', (desktop) => desktop.revoke(KEY)],
  [
    'is replaced by a rename',
    ({ keys }) => {
      const aside = join(keys, 'new');
      writeFileSync(aside, publicKeyOf(NEW_KEY).bytes, { mode: 0o644 });
      renameSync(aside, join(keys, `${FIXTURE}.pub`));
    },
  ],
  [
    'is overwritten in place',
    ({ keys }) => writeFileSync(join(keys, `${FIXTURE}.pub`), publicKeyOf(NEW_KEY).bytes),
  ],
  [
    'becomes a link to itself',
    ({ keys, folder }) => {
      renameSync(join(keys, `${FIXTURE}.pub`), join(folder, 'moved.pub'));
      symlinkSync(join(folder, 'moved.pub'), join(keys, `${FIXTURE}.pub`));
    },
  ],
  [
    'goes with its whole directory',
    ({ keys, folder }) => renameSync(keys, join(folder, `old-${Date.now()}`)),
  ],
];

describe('a key that is no longer trusted, over the bus', () => {
  for (const [what, withdraw] of WITHDRAWALS) {
    describe(`because it ${what}`, () => {
      const desktop = useDesktop();
      let app: AppPeer;
      let agent: AgentPeer;
      let person: PersonPeer;

      before(async () => {
        [app, agent, person] = await Promise.all([
          desktop().fixture(),
          desktop().agent(),
          desktop().person(),
        ]);
        await person.confirm([{}]);
        await agent.list();
      });

      it('[R12] [R126] is gone at the next dispatch, and what waited for the person is void', async () => {
        assert.equal((await agent.dispatch(look)).status, 'executed');
        const pending = agent.dispatch(write);
        const { invocation } = await person.nextAsked();
        withdraw(desktop());
        // In the same turn: nothing can have told the broker but its own look at the files.
        const next = agent.dispatch(look);
        assert.deepInclude(await next, { status: 'denied', stage: 'resolve', code: 'NotFound' });
        await person.decide(invocation, 'once');
        assert.deepInclude(await pending, { status: 'denied', stage: 'confirm', code: 'Void' });
        assert.equal(app.timesInvoked(look), 1);
        assert.equal(app.timesInvoked(write), 0);
        const { apps, capabilities } = await agent.list();
        assert.deepInclude(apps[0] as object, { app_id: FIXTURE, tier: 2 });
        assert.equal(apps[0]?.reason?.code, 'KeyUnusable');
        assert.isFalse(capabilities.some((one) => typeof one !== 'string' && one.app_id === FIXTURE));
        const withdrawn = desktop().audit({ type: 'key-withdrawn' });
        assert.deepEqual(
          withdrawn.map(({ appId }) => appId),
          [FIXTURE],
        );
      });

      it('[R5] [R56] does not come back with the same manifest, and a new key works at the first try', async () => {
        const again = await desktop().app();
        const refused = await again.serve(signed(fixtureManifest(), KEY));
        assert.equal(refused.tier, 2);
        if (!what.includes('replaced') && !what.includes('overwritten')) return;
        const renewed = await desktop().app();
        const accepted = await renewed.serve(signed(fixtureManifest(), NEW_KEY));
        assert.equal(accepted.tier, 1);
        assert.equal((await agent.dispatch(look)).status, 'executed');
      });
    });
  }

  describe('because a directory above was exchanged, which no file watcher notices,', () => {
    const noticed: readonly [what: string, look: (app: AppPeer, agent: AgentPeer) => Promise<unknown>][] = [
      [
        'its event is refused, and reaches nobody',
        async (app, agent) => {
          assert.match(await codeOf(app.emit('changed', { what: 'after' })), /NotAllowed$/);
          await agent.list();
          assert.deepEqual(agent.process.tellings.all('event').length, 1);
        },
      ],
      [
        'a list does not show it',
        async (_app, agent) => {
          const { apps, capabilities } = await agent.list();
          assert.deepInclude(apps[0] as object, { app_id: FIXTURE, tier: 2 });
          assert.isFalse(capabilities.some((one) => typeof one !== 'string' && one.app_id === FIXTURE));
        },
      ],
      [
        'nobody can begin to follow it',
        async (_app, agent) => {
          await agent.process.ask('unsubscribe', { appId: FIXTURE });
          assert.equal(await codeOf(agent.process.ask('subscribe', { appId: FIXTURE })), 'NotFound');
        },
      ],
    ];
    for (const [what, look] of noticed) {
      it(`[R56] ${what}`, async () => {
        const above = mkdtempSync(join(realpathSync(tmpdir()), 'portal-keys-'));
        chmodSync(above, 0o755);
        const keys = join(above, 'outer', 'trusted');
        mkdirSync(keys, { recursive: true, mode: 0o755 });
        writeFileSync(join(keys, `${FIXTURE}.pub`), publicKeyOf(KEY).bytes, { mode: 0o644 });
        const desktop = await Desktop.start({ config: { trusted_directories: [keys] } });
        try {
          const [app, agent] = await Promise.all([desktop.fixture(), desktop.agent()]);
          await agent.process.ask('subscribe', { appId: FIXTURE });
          await app.emit('changed', { what: 'before' });
          await agent.process.tellings.next('event');
          renameSync(join(above, 'outer'), join(above, 'old'));
          mkdirSync(keys, { recursive: true, mode: 0o755 });
          await look(app, agent);
          // Nobody waits for its record.
          while (desktop.audit({ type: 'key-withdrawn' }).length === 0) await desktop.ping();
          assert.lengthOf(desktop.audit({ type: 'key-withdrawn' }), 1);
        } finally {
          await desktop.stop();
          rmSync(above, { recursive: true });
        }
      });
    }
  });

  describe('during a rotation', () => {
    const desktop = useDesktop();

    it('[R56] both keys count, until the old one goes; then what the new one signed goes on', async () => {
      const agent = await desktop().agent();
      const { keys } = desktop();
      mkdirSync(join(keys, `${FIXTURE}.d`), { mode: 0o755 });
      writeFileSync(join(keys, `${FIXTURE}.d`, 'next.pub'), publicKeyOf(NEW_KEY).bytes, { mode: 0o644 });
      const app = await desktop().app();
      assert.equal((await app.serve(signed(fixtureManifest(), NEW_KEY))).tier, 1);
      await agent.list();
      assert.equal((await agent.dispatch(look)).status, 'executed');
      rmSync(join(keys, `${FIXTURE}.pub`));
      assert.equal((await agent.dispatch(look)).status, 'executed');
      rmSync(join(keys, `${FIXTURE}.d`, 'next.pub'));
      assert.deepInclude(await agent.dispatch(look), { stage: 'resolve', code: 'NotFound' });
    });
  });

  describe('and nobody dispatches', () => {
    const desktop = useDesktop();

    it('[R56] is noticed by itself: the app falls to Tier 2 and whoever follows hears of it', async () => {
      const [, agent, person] = await Promise.all([
        desktop().fixture(),
        desktop().agent(),
        desktop().person(),
      ]);
      await agent.process.ask('follow');
      await person.process.ask('followApps');
      rmSync(join(desktop().keys, `${FIXTURE}.pub`));
      await person.process.tellings.next<string[]>('appsChanged', (ids) => ids.includes(FIXTURE));
      const { removed } = await agent.process.tellings.next<{ removed: string[] }>('changed');
      assert.include(removed, look);
    });
  });
});
