// SPDX-License-Identifier: Apache-2.0
// Reads the same live apps with and without libatspi, in one run; then how soon a change is known, what a stopped app
// costs the others, and what trees weigh. Needs `python3-pyatspi`, and the apps that scripts/setup installs.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { requireNode24 } from '../../scripts/node24.ts';
import { readActions } from '../../tier2-atspi/actions.ts';
import type { App } from '../../tier2-atspi/connect.ts';
import type { Element, Tree } from '../../tier2-atspi/element.ts';
import { Follower } from '../../tier2-atspi/follow.ts';
import { EVENT_OBJECT } from '../../tier2-atspi/names.ts';
import { readTree } from '../../tier2-atspi/read.ts';
import { AccessibleDesktop } from '../support/accessible-desktop.ts';
import { until } from '../support/programs.ts';
import { quantile } from './quantiles.ts';

requireNode24();

const PYTHON = '/usr/bin/python3';
const BASELINE = join(import.meta.dirname, 'atspi-baseline.py');
const APPS = [
  'mousepad',
  'galculator',
  'gtk3-widget-factory',
  'gtk4-widget-factory',
  'gnome-calculator',
  'gnome-text-editor',
  'featherpad',
];
const RUNS = 7;
const CHANGES = 60;
const LIMITS = { callMs: 10_000, walkMs: 30_000 };

interface Timed {
  readonly elements: number;
  readonly ms: number;
}

async function ours({ line }: App): Promise<Timed & { readonly tree: Tree }> {
  const started = performance.now();
  const tree = await readTree(line);
  return { tree, elements: tree.elements.size, ms: performance.now() - started };
}

async function theirs(desktop: AccessibleDesktop, { pid }: App): Promise<Timed> {
  // A process each time: libatspi remembers what it read.
  const env = {
    ...process.env,
    DBUS_SESSION_BUS_ADDRESS: desktop.sessionAddress,
    GSETTINGS_BACKEND: 'memory',
  };
  const { stdout } = await promisify(execFile)(PYTHON, [BASELINE, String(pid)], { env });
  const [elements = 0, ms = 0] = stdout.trim().split(' ').map(Number);
  return { elements, ms };
}

/** An app just started, drawn and unread: some build an element only when somebody asks for it. */
async function fresh(desktop: AccessibleDesktop, command: string): Promise<App> {
  const app = await desktop.app(command);
  await delay(1500);
  return app;
}

async function compare(desktop: AccessibleDesktop, command: string): Promise<readonly string[]> {
  const forThem = await fresh(desktop, command);
  const firstTheirs = await theirs(desktop, forThem);
  await desktop.end(forThem.pid);
  const app = await fresh(desktop, command);
  const firstOurs = await ours(app);
  const again: { ours: Timed[]; theirs: Timed[] } = { ours: [], theirs: [] };
  for (let run = 0; run < RUNS; run += 1) {
    again.ours.push(await ours(app));
    again.theirs.push(await theirs(desktop, app));
  }
  await desktop.end(app.pid);
  const mine = quantile(
    again.ours.map(({ ms }) => ms),
    0.5,
  );
  const other = quantile(
    again.theirs.map(({ ms }) => ms),
    0.5,
  );
  return [
    command,
    `${again.ours[0]?.elements} / ${again.theirs[0]?.elements}`,
    firstOurs.tree.fromCache ? 'yes' : 'no',
    `${firstOurs.ms.toFixed(0)} / ${firstTheirs.ms.toFixed(0)}`,
    `${(firstTheirs.ms / firstOurs.ms).toFixed(1)}x`,
    `${mine.toFixed(1)} / ${other.toFixed(1)}`,
    `${(other / mine).toFixed(1)}x`,
  ];
}

/** From the moment the app tells of a pressed check box, and from the request to press it, until the tree shows it. */
async function changeTimes(
  desktop: AccessibleDesktop,
  command: string,
): Promise<readonly { readonly told: number; readonly asked: number }[]> {
  const app = await fresh(desktop, command);
  let known: () => void = () => undefined;
  const follower = await Follower.start(app.line, {
    changed: () => known(),
    failed: (error) => process.stderr.write(`${error.message}\n`),
    fault: (error) => process.stderr.write(`${error}\n`),
  });
  const box = await until('a check box', () =>
    [...(follower.tree?.elements.values() ?? [])].find(canBePressed),
  );
  const index = (await readActions(app.line, box)).findIndex((name) => name === 'click' || name === 'toggle');
  const press = { interface: 'org.a11y.atspi.Action', member: 'DoAction', in: 'i', out: 'b' };
  const isChecked = () => follower.tree?.elements.get(box.ref.path)?.states.has('checked') === true;
  let heard = 0;
  const stop = await app.line.connection.watch(
    { sender: app.bus, path: box.ref.path, interface: EVENT_OBJECT, member: 'StateChanged' },
    ({ body }) => {
      if (body[0] === 'checked') heard = performance.now();
    },
  );
  const times: { told: number; asked: number }[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const was = isChecked();
    const asked = performance.now();
    const shown = new Promise<void>((resolve) => {
      known = () => {
        if (isChecked() !== was) resolve();
      };
    });
    await app.line.ask(box.ref.path, press, [index]);
    await shown;
    times.push({ told: performance.now() - heard, asked: performance.now() - asked });
    await delay(50);
  }
  await stop();
  await follower.stop();
  await desktop.end(app.pid);
  return times;
}

function canBePressed({ role, states }: Element): boolean {
  return role === 'check box' && states.has('sensitive') && states.has('visible');
}

/** Reading one app, alone and while another that is stopped is read as well, in turns. */
async function besideStopped(desktop: AccessibleDesktop): Promise<readonly [alone: number, beside: number]> {
  const [app, other] = [await fresh(desktop, 'galculator'), await fresh(desktop, 'mousepad')];
  const [alone, beside]: [number[], number[]] = [[], []];
  const readInto = async (times: number[]): Promise<void> => {
    for (let run = 0; run < 20; run += 1) times.push((await ours(app)).ms);
  };
  await readInto([]);
  for (let round = 0; round < 4; round += 1) {
    await readInto(alone);
    process.kill(other.pid, 'SIGSTOP');
    const stopped = readTree(other.line).catch(() => undefined);
    await readInto(beside);
    process.kill(other.pid, 'SIGCONT');
    await stopped;
  }
  await desktop.end(app.pid);
  await desktop.end(other.pid);
  return [quantile(alone, 0.95), quantile(beside, 0.95)];
}

/** Kilobytes for 1000 elements that are kept. */
async function weight(desktop: AccessibleDesktop): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const app = await fresh(desktop, 'gtk3-widget-factory');
  const read = async (): Promise<Tree[]> => {
    const trees: Tree[] = [];
    for (let run = 0; run < 40; run += 1) trees.push((await ours(app)).tree);
    return trees;
  };
  const settled = async (): Promise<number> => {
    for (let round = 0; round < 5; round += 1) {
      collect();
      await delay(50);
    }
    return process.memoryUsage().heapUsed;
  };
  await read(); // what is compiled and pooled on the way is no weight of trees
  const before = await settled();
  const kept = await read();
  const after = await settled();
  const elements = kept.reduce((sum, tree) => sum + tree.elements.size, 0);
  await desktop.end(app.pid);
  return (((after - before) / elements) * 1000) / 1024;
}

function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_none, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of rows)
    process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
}

const desktop = await AccessibleDesktop.start('wayland', LIMITS);
try {
  // Our own code is compiled by the first readings, which are nobody's in particular.
  const first = await fresh(desktop, 'mousepad');
  for (let run = 0; run < RUNS; run += 1) await ours(first);
  await desktop.end(first.pid);
  const rows: (readonly string[])[] = [
    ['app', 'elements', 'list', 'first reading, ms', 'ratio', 'further, ms (median)', 'ratio'],
  ];
  for (const command of process.argv.length > 2 ? process.argv.slice(2) : APPS)
    rows.push(await compare(desktop, command));
  process.stdout.write('ours / libatspi\n');
  table(rows);
  for (const command of ['gtk3-widget-factory', 'gtk4-widget-factory']) {
    const times = await changeTimes(desktop, command);
    const [told, asked] = [times.map((time) => time.told), times.map((time) => time.asked)];
    process.stdout.write(
      `${command}: a change is known ${quantile(told, 0.5).toFixed(0)} ms after the app tells of it (p95 ${quantile(told, 0.95).toFixed(0)}), ` +
        `${quantile(asked, 0.5).toFixed(0)} ms after it was asked for (p95 ${quantile(asked, 0.95).toFixed(0)})\n`,
    );
  }
  const [alone, beside] = await besideStopped(desktop);
  process.stdout.write(
    `galculator, p95: ${alone.toFixed(1)} ms; while a stopped app is read too: ${beside.toFixed(1)} ms (${(beside / alone).toFixed(2)}x)\n`,
  );
  process.stdout.write(`1000 elements weigh ${(await weight(desktop)).toFixed(0)} KiB\n`);
} finally {
  await desktop.stop();
}
