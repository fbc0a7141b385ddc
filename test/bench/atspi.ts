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
import { readTree } from '../../tier2-atspi/read.ts';
import { AccessibleDesktop, until } from '../support/accessible-desktop.ts';

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

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
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
  const mine = median(again.ours.map(({ ms }) => ms));
  const other = median(again.theirs.map(({ ms }) => ms));
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

/** From the moment the app is asked to press a check box until the tree shows it. */
async function changeTimes(desktop: AccessibleDesktop, command: string): Promise<readonly number[]> {
  const app = await fresh(desktop, command);
  const follower = await Follower.start(app.line, {
    changed: () => undefined,
    failed: (error) => process.stderr.write(`${error.message}\n`),
    fault: (error) => process.stderr.write(`${error}\n`),
  });
  const box = await until('a check box', () =>
    [...(follower.tree?.elements.values() ?? [])].find(canBePressed),
  );
  const index = (await readActions(app.line, box)).findIndex((name) => name === 'click' || name === 'toggle');
  const press = { interface: 'org.a11y.atspi.Action', member: 'DoAction', in: 'i', out: 'b' };
  const isChecked = () => follower.tree?.elements.get(box.ref.path)?.states.has('checked') === true;
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const was = isChecked();
    const started = performance.now();
    await app.line.ask(box.ref.path, press, [index]);
    while (isChecked() === was) await delay(1);
    times.push(performance.now() - started);
    await delay(50);
  }
  await follower.stop();
  await desktop.end(app.pid);
  return times;
}

function canBePressed({ role, states }: Element): boolean {
  return role === 'check box' && states.has('sensitive') && states.has('visible');
}

/** Reading one app, alone and while another that is stopped is read as well. */
async function besideStopped(desktop: AccessibleDesktop): Promise<readonly [alone: number, beside: number]> {
  const [app, other] = [await fresh(desktop, 'galculator'), await fresh(desktop, 'mousepad')];
  const times = async (): Promise<number> => {
    const all: number[] = [];
    for (let run = 0; run < 40; run += 1) all.push((await ours(app)).ms);
    return at(all, 0.95);
  };
  await times();
  const alone = await times();
  process.kill(other.pid, 'SIGSTOP');
  const stopped = readTree(other.line).catch(() => undefined);
  const beside = await times();
  process.kill(other.pid, 'SIGCONT');
  await stopped;
  await desktop.end(app.pid);
  await desktop.end(other.pid);
  return [alone, beside];
}

/** Kilobytes for 1000 elements that are kept. */
async function weight(desktop: AccessibleDesktop): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const app = await fresh(desktop, 'gtk3-widget-factory');
  await ours(app);
  const kept: Tree[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  let elements = 0;
  for (let run = 0; run < 40; run += 1) {
    const { tree } = await ours(app);
    kept.push(tree);
    elements += tree.elements.size;
  }
  collect();
  const after = process.memoryUsage().heapUsed;
  await desktop.end(app.pid);
  return kept.length === 0 ? 0 : (((after - before) / elements) * 1000) / 1024;
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
  const rows: (readonly string[])[] = [
    ['app', 'elements', 'list', 'first reading, ms', 'ratio', 'further, ms (median)', 'ratio'],
  ];
  for (const command of process.argv.length > 2 ? process.argv.slice(2) : APPS)
    rows.push(await compare(desktop, command));
  process.stdout.write('ours / libatspi\n');
  table(rows);
  for (const command of ['gtk3-widget-factory', 'gtk4-widget-factory']) {
    const times = await changeTimes(desktop, command);
    process.stdout.write(
      `${command}: a change is known after ${at(times, 0.5).toFixed(0)} ms, p95 ${at(times, 0.95).toFixed(0)} ms\n`,
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
