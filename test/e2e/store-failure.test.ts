// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

const PAGE = Buffer.alloc(4096, 1);

/** Only root may mount, and what is mounted in a namespace of the broker's own is gone with the broker. */
const mayMount = process.getuid?.() === 0;

const REMOUNT = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`;

function onSmallDisk({ store }: { store: string }): readonly string[] {
  const script = `mount -t tmpfs -o size=1500k,mode=0700 tmpfs "$0" && exec "$@"`;
  return ['unshare', '-m', 'sh', '-c', script, store];
}

if (mayMount) {
  describe('a full disk under the store', () => {
    const desktop = useDesktop({ through: onSmallDisk });
    let app: AppPeer;
    let agent: AgentPeer;
    let person: PersonPeer;

    before(async () => {
      [app, agent, person] = await Promise.all([desktop().fixture(), desktop().agent(), desktop().person()]);
      await person.confirm([{ decision: 'once' }]);
      await agent.list();
    });

    /** A file on the broker's own small disk, seen from outside. */
    const filler = (): string =>
      join('/proc', String(desktop().broker.pid), 'root', desktop().store, 'filler');

    function fill(): void {
      for (;;) {
        try {
          writeFileSync(filler(), PAGE, { flag: 'a' });
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
          throw error;
        }
      }
    }

    it('[R72] [R118] nothing runs that cannot be recorded, and the caller learns why; with space it works again', async () => {
      assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
      assert.equal((await agent.dispatch(fix('write'))).status, 'executed');
      fill();
      // What SQLite still has room for in its log is used up first.
      let refused = await agent.dispatch(fix('look'));
      for (let count = 0; count < 90 && refused.status === 'executed'; count += 1)
        refused = await agent.dispatch(fix('look'));
      const before = app.invoked.length;
      assert.deepInclude(refused, { status: 'denied', stage: 'record', code: 'RecordFailed' });
      assert.notProperty(refused, 'audit_id');
      assert.match(refused.error?.message ?? '', /free disk space/);
      for (const action of ['anybody', 'touch', 'write', 'delete'])
        assert.deepInclude(await agent.dispatch(fix(action)), { status: 'denied', code: 'RecordFailed' });
      assert.equal((await agent.dispatch('system.health')).code, 'RecordFailed');
      assert.equal(app.invoked.length, before);
      await desktop().ping();
      rmSync(filler());
      for (const action of ['anybody', 'write'])
        assert.equal((await agent.dispatch(fix(action))).status, 'executed');
      assert.isTrue((await person.verify()).ok);
    });

    it('[R72] an app that cannot be put on record is not there either', async () => {
      desktop().trust('org.example.Unrecorded');
      const manifest = signed(fixtureManifest({}, 'org.example.Unrecorded'), KEY);
      const raw = await desktop().raw();
      fill();
      let code = 'none';
      // Each attempt is recorded until there is no space left.
      while (code === 'none')
        code = await raw.call(registerCall(manifest)).then(
          () => 'none',
          (error) => error.code,
        );
      assert.equal(code, 'org.portal.Broker1.Error.RecordFailed');
      rmSync(filler());
      assert.isFalse((await agent.list()).apps.some(({ app_id }) => app_id === 'org.example.Unrecorded'));
      assert.equal((await raw.call(registerCall(manifest)))[0], 1);
    });
  });
}

describe('a store that cannot be written', () => {
  const desktop = useDesktop();

  it('[R72] starts nothing at all, and says why', async () => {
    const elsewhere = await startPrivateBus();
    const store = join(desktop().folder, 'read-only');
    try {
      mkdirSync(store, { mode: 0o700 });
      const started = desktop().startBroker({ store, address: elsewhere.address });
      await started.ready();
      await started.end();
      // For root a mode forbids nothing: there the file system itself has to.
      chmodSync(store, 0o500);
      const through = mayMount ? ['unshare', '-m', 'sh', '-c', REMOUNT, store] : [];
      const blocked = desktop().startBroker({ store, address: elsewhere.address, through });
      assert.deepEqual(await blocked.endsItself(), { code: 1, signal: null });
      assert.match(blocked.log, /^portal broker: .*(EROFS|EACCES|read-only)/i);
      assert.equal(blocked.output, '');
    } finally {
      await elsewhere.stop();
    }
  });

  it('[R131] nor does one whose record was not made with its key', async () => {
    const elsewhere = await startPrivateBus();
    const store = join(desktop().folder, 'foreign');
    try {
      const started = desktop().startBroker({ store, address: elsewhere.address });
      await started.ready();
      await started.end();
      writeFileSync(join(store, 'audit.key'), Buffer.alloc(32, 7));
      const refused = desktop().startBroker({ store, address: elsewhere.address });
      assert.deepEqual(await refused.endsItself(), { code: 1, signal: null });
      assert.match(refused.log, /was not made with this store's key/);
      rmSync(join(store, 'audit.key'));
      const keyless = desktop().startBroker({ store, address: elsewhere.address });
      assert.deepEqual(await keyless.endsItself(), { code: 1, signal: null });
      assert.match(keyless.log, /audit\.key` is missing/);
    } finally {
      await elsewhere.stop();
    }
  });
});
