// SPDX-License-Identifier: Apache-2.0
// Resident memory of the broker after many dispatches, against a process that imports the same and does nothing.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../dbus/connection.ts';
import { variant } from '../../dbus/values.ts';
import { firstLine, startDesk } from './bench-desk.ts';
import { row } from './quantiles.ts';

const DIST = join(import.meta.dirname, '../../dist/broker');
const MB = 1024 * 1024;
const PAGE = 4096;

function resident(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE) / MB;
}

async function bareProcess(): Promise<number> {
  const modules = ['start.js', 'config-file.js', 'log.js', 'store/database.js', '../dbus/connection.js'];
  const script = `Promise.all(${JSON.stringify(modules.map((name) => join(DIST, name)))}.map((name) => import(name))).then(() => console.log('ready')); process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  await firstLine(child);
  const size = resident(child.pid ?? 0);
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await Promise.race([over, ended]);
  return size;
}

const desk = await startDesk();
const bus = await connect({ address: desk.address });
const call = {
  destination: 'org.portal.Broker1',
  path: '/org/portal/Broker1',
  interface: 'org.portal.Broker1',
  member: 'Dispatch',
  signature: 'ssa{sv}',
  body: ['bench.org.example.bench.read', '{"name":"shopping"}', [['wait_ms', variant('u', 20_000)]]],
};

async function dispatch(count: number): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left > 0) {
        left -= 1;
        const [, status] = await bus.call(call);
        if (status !== 'executed') throw new Error('the bench was not served');
      }
    }),
  );
}

const bare = await bareProcess();
const idle = resident(desk.brokerPid);
await dispatch(1000);
const early = resident(desk.brokerPid);
const over = early - bare;
row('bare process, same imports', `${bare.toFixed(1)} MB`, 'baseline', true);
process.stdout.write(`broker when idle: ${idle.toFixed(1)} MB\n`);
row(
  'broker after 1000 dispatches',
  `${early.toFixed(1)} MB, ${over.toFixed(1)} MB over`,
  'at most 20 MB over',
  over <= 20,
);
const sizes: number[] = [];
for (let thousands = 10; thousands <= 100; thousands += 10) {
  await dispatch(10_000);
  sizes.push(resident(desk.brokerPid));
  process.stderr.write(`after ${thousands} thousand: ${sizes.at(-1)?.toFixed(1)} MB\n`);
}
// Flat: what the second half of the run adds to the first is within the noise of a collected heap.
const half = Math.max(...sizes.slice(0, 5));
const whole = Math.max(...sizes.slice(5));
row(
  'growth from 50 000 to 100 000 dispatches',
  `${(whole - half).toFixed(1)} MB`,
  'at most 2 MB',
  whole - half <= 2,
);
await bus.close();
await desk.stop();
