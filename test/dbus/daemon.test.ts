// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { socketPath } from '../../dbus/address.ts';
import { connect } from '../../dbus/connection.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { failureOf } from './failure.ts';

const DAEMON = join(import.meta.dirname, '../../dbus/daemon.ts');

describe('dbus/daemon', () => {
  it('leaves nothing behind when it is stopped', async () => {
    const bus = await startPrivateBus();
    const folder = dirname(socketPath(bus.address));
    assert.isTrue(existsSync(folder));
    await bus.stop();
    await bus.stop();
    assert.isFalse(existsSync(folder));
  });

  it('ends with the process that started it, even one that is killed', async () => {
    const script = `const { startPrivateBus } = await import(${JSON.stringify(DAEMON)});
      console.log((await startPrivateBus()).address); setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [address] = await once(createInterface({ input: parent.stdout }), 'line');
    const connection = await connect({ address: String(address) });
    parent.kill('SIGKILL');
    assert.instanceOf(await connection.closed, Error);
    // The shell that watches removes the folder after the daemon is gone.
    const folder = dirname(socketPath(String(address)));
    while (existsSync(folder)) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('ends with the shell that watches over it', async () => {
    const bus = await startPrivateBus();
    const connection = await connect({ address: bus.address });
    const ask = {
      destination: BUS_NAME,
      path: BUS_PATH,
      interface: BUS_NAME,
      signature: 's',
      body: [BUS_NAME],
    };
    const [pid] = await connection.call({ ...ask, member: 'GetConnectionUnixProcessID' });
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    process.kill(Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]), 'SIGKILL');
    assert.instanceOf(await connection.closed, Error);
    await bus.stop();
    assert.isFalse(existsSync(dirname(socketPath(bus.address))));
  });

  it('starts services from the folders it is given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portal-test-'));
    await writeFile(join(folder, 'a.service'), '[D-BUS Service]\nName=org.example.Broken\nExec=/bin/false\n');
    const bus = await startPrivateBus({ serviceFolders: [folder] });
    const connection = await connect({ address: bus.address });
    const ask = {
      destination: BUS_NAME,
      path: BUS_PATH,
      interface: BUS_NAME,
      member: 'ListActivatableNames',
    };
    assert.deepInclude((await connection.call(ask))[0], 'org.example.Broken');
    await connection.close();
    await bus.stop();
    await rm(folder, { recursive: true });
  });

  it('says how to install what is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portal-test-'));
    const saved = process.env.PATH;
    process.env.PATH = folder;
    try {
      const error = await failureOf(startPrivateBus());
      assert.include(error.message, 'apt-get install dbus-daemon');
    } finally {
      process.env.PATH = saved;
      await rm(folder, { recursive: true });
    }
  });

  it('says what else went wrong', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portal-<&'));
    const saved = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const error = await failureOf(startPrivateBus());
      assert.match(error.message, /^cannot start dbus-daemon: ./);
      assert.notInclude(error.message, '\n');
    } finally {
      if (saved === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = saved;
      await rm(folder, { recursive: true });
    }
  });
});
