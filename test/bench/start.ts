// SPDX-License-Identifier: Apache-2.0
// From exec to owning the name, against a process that does nothing, taken in turn in one run.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, connect } from '../../dbus/connection.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { quantile, row } from './quantiles.ts';

const BROKER = join(import.meta.dirname, '../../bin/portal-broker');
const ROUNDS = 15;

async function bare(): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - started;
}

/** Milliseconds until the name is owned, and until the first call is answered. */
async function broker(bus: Connection, address: string): Promise<{ owned: number; answered: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
  const owned = Promise.withResolvers<void>();
  const unwatch = await bus.watch(
    {
      sender: 'org.freedesktop.DBus',
      interface: 'org.freedesktop.DBus',
      member: 'NameOwnerChanged',
      arg0: 'org.portal.Broker1',
    },
    ({ body }) => {
      if (body[2] !== '') owned.resolve();
    },
  );
  const started = performance.now();
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address };
  const child = spawn(BROKER, ['--store', join(folder, 'store')], { env, stdio: 'ignore' });
  await owned.promise;
  const times = { owned: performance.now() - started, answered: 0 };
  await bus.call({
    destination: 'org.portal.Broker1',
    path: '/org/portal/Broker1',
    interface: 'org.portal.Broker1',
    member: 'List',
    signature: 'a{sv}',
    body: [[]],
  });
  times.answered = performance.now() - started;
  await unwatch();
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await over;
  rmSync(folder, { recursive: true });
  return times;
}

const daemon = await startPrivateBus();
const bus = await connect({ address: daemon.address });
const nothing: number[] = [];
const owned: number[] = [];
const answered: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  nothing.push(await bare());
  const times = await broker(bus, daemon.address);
  owned.push(times.owned);
  answered.push(times.answered);
}
const base = quantile(nothing, 0.5);
const ratio = quantile(owned, 0.5) / base;
row('`node -e 0`, p50', `${base.toFixed(0)} ms`, 'baseline', true);
row(
  'exec to name owned, p50',
  `${quantile(owned, 0.5).toFixed(0)} ms, ${ratio.toFixed(2)} times`,
  'at most 2.5 times',
  ratio <= 2.5,
);
process.stdout.write(`exec to first answer, p50: ${quantile(answered, 0.5).toFixed(0)} ms\n`);
await bus.close();
await daemon.stop();
