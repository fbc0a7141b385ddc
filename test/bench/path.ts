// SPDX-License-Identifier: Apache-2.0
// What the path costs: a brokered call against a direct one between the same two processes, taken in turn in one run.
import { type Connection, connect } from '../../dbus/connection.ts';
import { variant } from '../../dbus/values.ts';
import { type BenchDesk, startDesk } from './bench-desk.ts';
import { quantile, row } from './quantiles.ts';

const PARAMS = JSON.stringify({ name: 'shopping', limit: 5 });
const ROUNDS = 20;
const CALLS = 100;

type Call = () => Promise<unknown>;

function direct(bus: Connection, desk: BenchDesk): Call {
  const context = [
    ['source', variant('s', 'bench')],
    ['app_id', variant('s', 'org.example.Bench')],
    ['timestamp', variant('s', '2026-11-30T12:00:00.000Z')],
  ];
  return () =>
    bus.call({
      destination: desk.appName,
      path: desk.appPath,
      interface: 'org.portal.Broker1.Provider',
      member: 'Invoke',
      signature: 'sssa{sv}',
      body: ['b3345ab8-a2e9-4180-bc93-b6ea761049d3', 'bench.org.example.bench.read', PARAMS, context],
    });
}

function brokered(bus: Connection, action: string): Call {
  const options = [['wait_ms', variant('u', 20_000)]];
  return async () => {
    const [, status, outcome] = await bus.call({
      destination: 'org.portal.Broker1',
      path: '/org/portal/Broker1',
      interface: 'org.portal.Broker1',
      member: 'Dispatch',
      signature: 'ssa{sv}',
      body: [`bench.org.example.bench.${action}`, PARAMS, options],
    });
    if (status !== 'executed') throw new Error(`the bench was not served: ${String(outcome)}`);
  };
}

async function oneByOne(call: Call, count: number): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    await call();
    samples.push(performance.now() - started);
  }
  return samples;
}

/** Calls a second with 64 in flight. */
async function together(call: Call, count: number): Promise<number> {
  const started = performance.now();
  let left = count;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left > 0) {
        left -= 1;
        await call();
      }
    }),
  );
  return (count * 1000) / (performance.now() - started);
}

const desk = await startDesk();
const bus = await connect({ address: desk.address });
const straight = direct(bus, desk);
const read = brokered(bus, 'read');
const write = brokered(bus, 'write');
await oneByOne(straight, 500);
// The broker is a service: what counts is how it runs, not how its code is first compiled.
await together(read, 20_000);
await oneByOne(write, 500);

const samples = { direct: [] as number[], read: [] as number[], write: [] as number[] };
const rates = { direct: [] as number[], read: [] as number[] };
for (let round = 0; round < ROUNDS; round += 1) {
  samples.direct.push(...(await oneByOne(straight, CALLS)));
  samples.read.push(...(await oneByOne(read, CALLS)));
  samples.write.push(...(await oneByOne(write, CALLS)));
  rates.direct.push(await together(straight, 640));
  rates.read.push(await together(read, 640));
}
const p50 = { direct: quantile(samples.direct, 0.5), read: quantile(samples.read, 0.5) };
const ratio = p50.read / p50.direct;
row('direct call, p50', `${(p50.direct * 1000).toFixed(0)} us`, 'baseline', true);
row(
  'brokered read, p50',
  `${(p50.read * 1000).toFixed(0)} us, ${ratio.toFixed(2)} times`,
  'at most 3.5 times',
  ratio <= 3.5,
);
const written = quantile(samples.write, 0.5);
row(
  'write, full commit, allowed by a rule, p50',
  `${(written * 1000).toFixed(0)} us, ${(written / p50.direct).toFixed(2)} times`,
  'at most 5 times',
  written / p50.direct <= 5,
);
const rate = { direct: quantile(rates.direct, 0.5), read: quantile(rates.read, 0.5) };
const share = rate.read / rate.direct;
row(
  'throughput, 64 in flight',
  `${rate.read.toFixed(0)}/s of ${rate.direct.toFixed(0)}/s, ${share.toFixed(2)}`,
  'at least 0.25',
  share >= 0.25,
);
await bus.close();
await desk.stop();
