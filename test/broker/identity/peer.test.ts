// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { IdentityError, type IdentityErrorCode } from '../../../broker/identity/error.ts';
import { type Peer, Peers } from '../../../broker/identity/peer.ts';
import { readStat } from '../../../broker/identity/procfs.ts';
import type { Connection } from '../../../dbus/connection.ts';
import { BUS_NAME, BUS_PATH } from '../../../dbus/messages.ts';
import { useBus } from '../../support/bus.ts';
import { writeProcess } from './fake-proc.ts';

const CONNECTION = join(import.meta.dirname, '../../../dbus/connection.ts');
// A peer of its own: says its name, then does what it is told on its input, line by line.
const CHILD = `
  const { connect } = await import(${JSON.stringify(CONNECTION)});
  const { createInterface } = await import('node:readline');
  const connection = await connect();
  console.log(connection.name);
  for await (const line of createInterface({ input: process.stdin })) console.log(String(eval(line)));
  await connection.close();`;

async function refusal(promise: Promise<unknown>): Promise<IdentityErrorCode> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof IdentityError) return error.code;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('broker/identity/peer', () => {
  const bus = useBus({ anyUser: true });
  let connection: Connection;
  let peers: Peers;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    connection = await bus.connect();
    peers = await Peers.start(connection);
  });
  afterEach(async () => {
    const running = children
      .splice(0)
      .filter((child) => child.exitCode === null && child.signalCode === null);
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(running.map((child) => once(child, 'exit')));
  });

  /** Starts a peer in a process of its own, under `prefix`; `tell` lets it run a line of code. */
  async function start(prefix: readonly string[] = []) {
    const [program = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', CHILD];
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: bus.address };
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    const [name] = await once(lines, 'line');
    const tell = async (line: string): Promise<string> => {
      child.stdin.write(`${line}\n`);
      return String((await once(lines, 'line'))[0]);
    };
    return { child, name: String(name), tell };
  }

  async function settled(): Promise<void> {
    await connection.call({ destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member: 'GetId' });
  }

  it('[R122] says which process is behind a connection', async () => {
    const { child, name } = await start();
    const peer = await peers.lookup(name);
    const pid = child.pid ?? 0;
    assert.deepEqual(
      [peer.name, peer.pid, peer.uid, peer.gid],
      [name, pid, process.getuid?.(), process.getgid?.()],
    );
    assert.deepEqual([peer.exe, peer.exeIsInterpreter, peer.sandboxId], [process.execPath, true, undefined]);
    assert.equal(peer.startTime, readStat('/proc', pid)?.startTime);
    assert.deepEqual(peer.parents[0], {
      pid: process.pid,
      startTime: readStat('/proc', process.pid)?.startTime ?? '',
    });
  });

  it('[R122] names a program that is none of the interpreters', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-test-'));
    try {
      const program = join(folder, 'notes-app');
      copyFileSync(execFileSync('which', ['gdbus'], { encoding: 'utf8' }).trim(), program);
      chmodSync(program, 0o755);
      const appeared = new Promise<string>((resolve) => {
        const match = { sender: BUS_NAME, member: 'NameOwnerChanged' };
        void connection.watch(match, ({ body: [name, , owner] }) => owner !== '' && resolve(String(name)));
      });
      await settled();
      const child = spawn(program, ['monitor', '--address', bus.address, '--dest', 'org.example.Nobody'], {
        stdio: 'ignore',
      });
      children.push(child);
      const { exe, exeIsInterpreter, pid } = await peers.lookup(await appeared);
      assert.deepEqual([exe, exeIsInterpreter, pid], [program, false, child.pid]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('[R122] tells another user and another primary group apart (as root)', async () => {
    const { name } = await start(['setpriv', '--reuid', 'nobody', '--regid', '4343', '--clear-groups']);
    assert.deepInclude(await peers.lookup(name), { uid: 65534, gid: 4343 });
    const same = await start(['setpriv', '--regid', '4343', '--clear-groups']);
    assert.deepInclude(await peers.lookup(same.name), { uid: 0, gid: 4343 });
  });

  it('[R122] takes a supplementary group for no primary one (as root)', async () => {
    const { name } = await start(['setpriv', '--groups', '4343']);
    assert.equal((await peers.lookup(name)).gid, 0);
  });

  it('[R122] takes a group that came after the connection for none (as root)', async () => {
    const { name, tell } = await start(['setpriv', '--clear-groups']);
    await tell('process.setgid(4343)');
    assert.isUndefined((await peers.lookup(name)).gid);
  });

  it('asks the bus once for each connection, however many want to know', async () => {
    let asked = 0;
    const counting = {
      call: (call: Parameters<Connection['call']>[0]) => {
        asked += 1;
        return connection.call(call);
      },
      watch: (...args: Parameters<Connection['watch']>) => connection.watch(...args),
    };
    const counted = await Peers.start(counting);
    const other = await bus.connect();
    assert.isUndefined(counted.cached(other.name));
    const found = await Promise.all([counted.lookup(other.name), counted.lookup(other.name)]);
    assert.strictEqual(found[0], found[1]);
    assert.strictEqual(await counted.lookup(other.name), found[0]);
    assert.strictEqual(counted.cached(other.name), found[0]);
    assert.equal(asked, 1);
  });

  it('forgets a connection when it ends, and says so', async () => {
    const vanished: [string, Peer | undefined][] = [];
    peers.onVanished(() => vanished.push(['stopped', undefined]))();
    peers.onVanished((name, peer) => vanished.push([name, peer]));
    const known = await bus.connect();
    const unknown = await bus.connect();
    const peer = await peers.lookup(known.name);
    await known.close();
    await unknown.close();
    await settled();
    assert.deepEqual(vanished, [
      [known.name, peer],
      [unknown.name, undefined],
    ]);
    assert.isUndefined(peers.cached(known.name));
    assert.equal(await refusal(peers.lookup(known.name)), 'vanished');
  });

  it('tells every listener, even after one that throws', async () => {
    const faults: unknown[] = [];
    const watcher = await Peers.start(await bus.connect({ onFault: (error) => faults.push(error) }));
    const heard = new Promise<void>((resolve) => {
      watcher.onVanished(() => {
        throw new Error('bug');
      });
      watcher.onVanished(() => resolve());
    });
    await (await bus.connect()).close();
    await heard;
    await settled();
    assert.instanceOf(faults[0], AggregateError);
  });

  it('knows nobody who left while it was asking', async () => {
    const other = await bus.connect();
    // The answer is held back until the end of the connection has been heard of.
    const late = await Peers.start({
      call: async (call) => {
        const answer = await connection.call(call);
        await other.close();
        await settled();
        return answer;
      },
      watch: (...args) => connection.watch(...args),
    });
    assert.equal(await refusal(late.lookup(other.name)), 'vanished');
    assert.isUndefined(late.cached(other.name));
  });

  it('[R122] refuses a connection whose process is gone while a child keeps the socket', async () => {
    const { child, name, tell } = await start();
    // A child of it inherits the socket; the bus goes on naming the process that made the connection.
    const sockets =
      'process._getActiveHandles().filter((one) => one.write && one !== process.stdin && one !== process.stdout)';
    const spawned = `spawn('sleep', ['1000'], { detached: true, stdio: ['ignore', 'ignore', 'ignore', ...${sockets}] })`;
    const keeper = await tell(`process.getBuiltinModule('child_process').${spawned}.pid`);
    try {
      child.kill('SIGKILL');
      await once(child, 'exit');
      const owner = { destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member: 'NameHasOwner' };
      assert.deepEqual(
        await connection.call({ ...owner, signature: 's', body: [name] }),
        [true],
        'the connection lives on',
      );
      assert.equal(await refusal(peers.lookup(name)), 'vanished');
    } finally {
      process.kill(Number(keeper), 'SIGKILL');
    }
  });

  it('[R122] knows a living process from a dead one and from one with its number', async () => {
    const { child, name } = await start();
    const peer = await peers.lookup(name);
    assert.isTrue(peers.alive(peer));
    assert.isFalse(peers.alive({ ...peer, startTime: '1' }));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.isFalse(peers.alive(peer));
  });

  it('passes on that the bus cannot be asked', async () => {
    const other = await bus.connect();
    const lonely = await Peers.start(other);
    await other.close();
    assert.equal(await refusal(lonely.lookup(connection.name)), 'unreadable');
  });

  describe('with a process that only /proc could show', () => {
    let proc = '';
    beforeEach(() => {
      proc = mkdtempSync(join(tmpdir(), 'portal-test-'));
    });
    afterEach(() => rmSync(proc, { recursive: true }));

    const now = () => Math.ceil(uptime() * 100);

    it('[R122] refuses one that started after its connection existed: it only has the number', async () => {
      const other = await bus.connect();
      const old = await bus.connect();
      writeProcess(proc, { pid: process.pid, startTime: String(now()) });
      const watcher = await Peers.start(connection, { proc });
      assert.equal((await watcher.lookup(other.name)).pid, process.pid);
      writeProcess(proc, { pid: process.pid, startTime: String(now() + 1000) });
      assert.equal(await refusal(watcher.lookup(old.name)), 'changed');
    });

    it('[R122] measures that from when the connection came, where it saw it come', async () => {
      let seconds = 100;
      const watcher = await Peers.start(connection, { proc, uptime: () => seconds });
      seconds = 200;
      const other = await bus.connect();
      const second = await bus.connect();
      await settled();
      seconds = 300;
      writeProcess(proc, { pid: process.pid, startTime: '20000' });
      assert.equal((await watcher.lookup(other.name)).startTime, '20000');
      writeProcess(proc, { pid: process.pid, startTime: '20001' });
      assert.equal(await refusal(watcher.lookup(second.name)), 'changed');
    });

    it('[R122] refuses one that ends and whose number is taken again while it is read', async () => {
      const folder = writeProcess(proc, { pid: process.pid, startTime: '1' });
      const watcher = await Peers.start(connection, { proc });
      execFileSync('mkfifo', [join(folder, 'cgroup')]);
      // The shell gets on when the pipe is read from: after the start time was read first, and before it is again.
      const script = 'exec 3>"$1/cgroup"; sed -i "s/ 1 0 0$/ 2 0 0/" "$1/stat"';
      const shell = spawn('sh', ['-c', script, 'sh', folder], { stdio: 'ignore' });
      children.push(shell);
      const found = refusal(watcher.lookup(connection.name));
      assert.equal(await found, 'changed');
      assert.equal(readStat(proc, process.pid)?.startTime, '2');
    });

    it('does not compare clocks that cannot be compared', async () => {
      writeProcess(proc, { pid: process.pid, startTime: '500' });
      const watcher = await Peers.start(connection, { proc, uptime: () => 1 });
      assert.equal((await watcher.lookup((await bus.connect()).name)).startTime, '500');
    });

    it('[R122] reads units and the sandbox', async () => {
      const uid = process.getuid?.() ?? 0;
      const cgroup = `0::/user.slice/user@${uid}.service/app.slice/app-x-org.a.B-1.scope\n`;
      const folder = writeProcess(proc, { pid: process.pid, cgroup, groups: [9, 9, 9, 9] });
      writeFileSync(join(folder, 'root/.flatpak-info'), '[Application]\nname=org.c.D\n');
      const watcher = await Peers.start(connection, { proc });
      const peer = await watcher.lookup(connection.name);
      assert.deepInclude(peer, {
        appUnit: 'org.a.B',
        sandboxId: 'org.c.D',
        systemUnit: undefined,
        gid: undefined,
      });
    });

    it('[R122] refuses a sandbox that hides its name', async () => {
      for (const info of [
        '',
        '[Application]\nname=\n',
        '[Application]\nname=../x\n',
        '[Application]\nname=a\nname=b\n',
      ]) {
        const folder = writeProcess(proc, { pid: process.pid });
        writeFileSync(join(folder, 'root/.flatpak-info'), info);
        const watcher = await Peers.start(connection, { proc });
        assert.equal(await refusal(watcher.lookup(connection.name)), 'unreadable', JSON.stringify(info));
      }
    });
  });
});
