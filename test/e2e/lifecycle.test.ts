// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { Desktop, useDesktop } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';

describe('the life of the service', () => {
  const desktop = useDesktop();

  it('[R14] [R143] says once that it is ready, in one line of JSON, and serves', async () => {
    const [line, ...rest] = desktop().broker.output.trim().split('\n');
    assert.deepInclude(JSON.parse(line ?? ''), {
      ready: true,
      name: 'org.portal.Broker1',
      pid: desktop().broker.pid,
    });
    assert.deepEqual(rest, []);
    await desktop().ping();
  });

  it('[R59] a second one on the same bus refuses, and says why', async () => {
    const second = desktop().startBroker({ store: join(desktop().folder, 'second') });
    assert.deepEqual(await second.endsItself(), { code: 1, signal: null });
    assert.match(second.log, /^portal broker: the name `org\.portal\.Broker1` is taken/);
    assert.equal(second.output, '');
    await desktop().ping();
  });

  it('[R116] [R131] a second one on the same store refuses, and says why', async () => {
    const elsewhere = await startPrivateBus();
    try {
      const second = desktop().startBroker({ address: elsewhere.address });
      assert.deepEqual(await second.endsItself(), { code: 1, signal: null });
      assert.match(second.log, /^portal broker: another broker uses this store/);
    } finally {
      await elsewhere.stop();
    }
    await desktop().ping();
  });

  it('[R131] ends on SIGTERM with 0 and the end on record; the next one continues the chain', async () => {
    const [app, agent] = await Promise.all([desktop().fixture(), desktop().agent()]);
    await agent.list();
    const { invocation } = await agent.dispatch(fix('look'));
    assert.deepEqual(await desktop().broker.end('SIGTERM'), { code: 0, signal: null });
    assert.equal(desktop().audit().at(-1)?.type, 'stopped');
    await desktop().restart();
    assert.equal(desktop().audit({ type: 'started' }).at(-1)?.count, 0, 'nothing was left open');
    assert.isTrue(desktop().verify().ok);
    // The libraries find the new one by themselves; what the old one knew is gone with it.
    await app.process.tellings.next<{ tier?: number }>('standing', ({ tier }) => tier === undefined);
    await app.process.tellings.next<{ tier?: number }>('standing', ({ tier }) => tier === 1);
    await agent.list();
    assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
    assert.isUndefined(await agent.outcome(invocation).catch(() => undefined));
  });

  it('[R131] ends on SIGINT likewise', async () => {
    assert.deepEqual(await desktop().broker.end('SIGINT'), { code: 0, signal: null });
    assert.equal(desktop().audit().at(-1)?.type, 'stopped');
    await desktop().restart();
  });

  describe('a configuration that others could have written, or that is wrong,', () => {
    const broken: readonly [
      what: string,
      write: (path: string, desktop: Desktop) => void,
      message: RegExp,
    ][] = [
      [
        'is writable by others',
        (path) => chmodSync(path, 0o666),
        /cannot be used.*writable by group or others/,
      ],
      [
        'is a link',
        (path, { configPath }) => {
          rmSync(path);
          symlinkSync(configPath, path);
        },
        /cannot be used.*not a regular file/,
      ],
      ['is missing', (path) => rmSync(path), /cannot be used.*does not exist/],
      ['is no JSON', (path) => writeFileSync(path, '{"profile":'), /is not strict JSON/],
      [
        'has a key twice',
        (path) => writeFileSync(path, '{"profile":"strict","profile":"standard"}'),
        /is not strict JSON/,
      ],
      [
        'has an unknown setting',
        (path) => writeFileSync(path, '{"profil":"strict"}'),
        /`\/profil` is no known setting/,
      ],
      [
        'has a wrong value',
        (path) => writeFileSync(path, '{"profile":"lax"}'),
        /`\/profile` must be one of standard, strict/,
      ],
      [
        'names nothing to recognise a principal by',
        (path) => writeFileSync(path, '{"principals":[{"id":"a","match":{}}]}'),
        /`\/principals\/0\/match` must name/,
      ],
    ];
    for (const [what, spoil, message] of broken) {
      it(`[R103] and ${what}: nothing starts`, async () => {
        const folder = join(desktop().folder, 'etc');
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { mode: 0o755 });
        const config = join(folder, 'broker.json');
        writeFileSync(config, '{}', { mode: 0o644 });
        spoil(config, desktop());
        const elsewhere = await startPrivateBus();
        try {
          const store = join(desktop().folder, 'unused');
          const started = desktop().startBroker({ config, store, address: elsewhere.address });
          assert.deepEqual(await started.endsItself(), { code: 1, signal: null });
          assert.match(started.log, message);
          assert.match(started.log, /^portal broker: [^\n]+\n$/, 'one line');
          assert.equal(started.output, '');
        } finally {
          await elsewhere.stop();
        }
      });
    }

    it('[R103] or in a directory that others can write: nothing starts', async () => {
      const folder = join(desktop().folder, 'open');
      mkdirSync(folder);
      chmodSync(folder, 0o777);
      writeFileSync(join(folder, 'broker.json'), '{}', { mode: 0o644 });
      const started = desktop().startBroker({ config: join(folder, 'broker.json') });
      // The name is taken here as well: whichever is found first, nothing starts.
      assert.deepEqual(await started.endsItself(), { code: 1, signal: null });
    });
  });

  it('[R131] a store that others can read is refused', async () => {
    const store = join(desktop().folder, 'loose');
    mkdirSync(store, { mode: 0o700 });
    chmodSync(store, 0o777);
    const elsewhere = await startPrivateBus();
    try {
      const started = desktop().startBroker({ store, address: elsewhere.address });
      assert.deepEqual(await started.endsItself(), { code: 1, signal: null });
      assert.match(started.log, /others can write/);
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('a bus that goes away', () => {
  it('[R59] ends the service with a code that is not 0, and the end is on record', async () => {
    const desktop = await Desktop.start();
    try {
      const agent = await desktop.agent();
      await agent.list();
      await desktop.endBus();
      const { code, signal } = await desktop.broker.endsItself();
      assert.equal(signal, null);
      assert.equal(code, 1);
      assert.match(desktop.broker.log, /the message bus went away/);
      assert.equal(desktop.audit().at(-1)?.type, 'stopped');
      assert.isTrue(desktop.verify().ok);
    } finally {
      await desktop.stop();
    }
  });
});
