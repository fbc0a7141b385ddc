// SPDX-License-Identifier: Apache-2.0
// The main job, step by step, with the same commands that anyone would type. Everything lives in a temporary folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectOperator } from '../broker/client.ts';
import { readStat } from '../broker/identity/procfs.ts';
import { startPrivateBus } from '../dbus/daemon.ts';
import { requireNode24 } from './node24.ts';

requireNode24();

const ROOT = join(import.meta.dirname, '..');
const APP = 'org.example.Notes';
const CAPABILITY = 'notes.org.example.notes';
const work = mkdtempSync(join(tmpdir(), 'portal-demo-'));
const place = (...parts: string[]): string => join(work, ...parts);
const children = new Set<ChildProcess>();
const color = process.stdout.isTTY && process.env.NO_COLOR === undefined;

function step(title: string): void {
  process.stdout.write(color ? `\n\u001b[1m${title}\u001b[0m\n` : `\n${title}\n`);
}

/** Starts a program of this project; it ends with the demonstration at the latest. */
function launch(script: string, args: readonly string[], output: 'inherit' | 'pipe' | 'quiet'): ChildProcess {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    stdio: output === 'inherit' ? 'inherit' : ['ignore', 'pipe', output === 'quiet' ? 'ignore' : 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** A command line as a person would type it. */
function typed(args: readonly string[]): string {
  const words = args.map((word) => (/^[\w./:=-]+$/.test(word) ? word : `'${word}'`));
  return `portalctl ${words.join(' ')}`;
}

/** Waits for the first line a program prints. */
async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('this program prints nowhere');
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    child.once('exit', () => resolve(undefined));
  });
  if (line === undefined) throw new Error('a program ended before it was ready; its own message is above');
  return line;
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1)),
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = ended(child);
  child.kill('SIGTERM');
  await end;
}

/** Runs one portalctl command in the open: what is typed, then what it prints. */
async function portalctl(...args: string[]): Promise<number> {
  process.stdout.write(`$ ${typed(args)}\n`);
  const child = launch('broker/front/cli/main.ts', args, 'pipe');
  child.stdout?.pipe(process.stdout, { end: false });
  return await ended(child);
}

async function mustSucceed(code: Promise<number>): Promise<void> {
  if ((await code) !== 0) throw new Error('that command should have succeeded');
}

function writeConfig(): void {
  const start = readStat('/proc', process.pid)?.startTime ?? '';
  const config = {
    trusted_directories: [place('trusted')],
    revoked_file: place('revoked'),
    owners: [process.getuid?.() ?? 0],
    // What this demonstration starts is known to be what it says; the same user may ask and decide, so it is only advisory.
    development: { launcher: { pid: process.pid, start_time: start } },
    principals: [
      {
        id: 'desk',
        roles: ['intelligence', 'provider', 'confirmer', 'operator'],
        level: 'user',
        match: { uid: process.getuid?.() ?? 0 },
        min_binding: 'pid',
      },
    ],
  };
  writeFileSync(place('broker.json'), JSON.stringify(config), { mode: 0o600 });
}

async function useBus(): Promise<() => Promise<void>> {
  if (process.env.DBUS_SESSION_BUS_ADDRESS !== undefined) {
    process.stdout.write('using the session bus that is there\n');
    return async () => undefined;
  }
  const bus = await startPrivateBus();
  process.env.DBUS_SESSION_BUS_ADDRESS = bus.address;
  process.stdout.write('there is no session bus here, so the demonstration has one of its own\n');
  return () => bus.stop();
}

async function startNotes(manifest: string): Promise<ChildProcess> {
  const notes = launch(
    'examples/notes/main.ts',
    ['--folder', place('notes'), '--manifest', manifest],
    'pipe',
  );
  process.stdout.write(`notes: ${await firstLine(notes)}\n`);
  return notes;
}

/** A delete waits for a person: the question appears here, and only the word typed here lets it run. */
async function deleteWithPerson(): Promise<string | undefined> {
  const args = [
    'dispatch',
    `${CAPABILITY}.delete`,
    '--param',
    'name=shopping',
    '--reason',
    'the shopping is done',
    '--wait',
    '--json',
  ];
  if (!process.stdin.isTTY) {
    process.stdout.write('there is no terminal here, and a pipe must not decide: the request is refused\n');
    await portalctl(...args.filter((arg) => arg !== '--json'));
    return undefined;
  }
  process.stdout.write('$ portalctl confirm\n');
  const confirmer = launch('broker/front/cli/main.ts', ['confirm'], 'inherit');
  await untilSomebodyAsks();
  process.stdout.write(`$ ${typed(args)}\n`);
  const asking = launch('broker/front/cli/main.ts', args, 'quiet');
  let text = '';
  asking.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await ended(asking);
  await stop(confirmer);
  process.stdout.write(text);
  const outcome: unknown = JSON.parse(text);
  if (typeof outcome !== 'object' || outcome === null || !('status' in outcome) || !('invocation' in outcome))
    return undefined;
  return outcome.status === 'executed' ? String(outcome.invocation) : undefined;
}

/** The record says when the surface that asks people has registered. */
async function untilSomebodyAsks(): Promise<void> {
  const operator = await connectOperator();
  while ((await operator.audit({ type: 'confirmer' })).length === 0) await sleep(100);
  await operator.close();
}

function tamper(): void {
  const signed: string = readFileSync(place('manifest.json'), 'utf8');
  writeFileSync(place('tampered.json'), signed.replaceAll('"destructive"', '"read"'), { mode: 0o644 });
}

async function main(): Promise<void> {
  step('1. A key for the app, its manifest signed, the key trusted');
  for (const folder of ['trusted', 'notes', 'home']) mkdirSync(place(folder), { mode: 0o755 });
  writeFileSync(place('notes', 'shopping.md'), '# Shopping\n\nbread, milk, candles\n');
  await mustSucceed(portalctl('keys', 'generate', '--app-id', APP, '--home', place('home')));
  const key = place('home', '.config', `portal-${APP}`, `${APP}.pub`);
  await mustSucceed(
    portalctl(
      'sign',
      join(ROOT, 'examples/notes/manifest.json'),
      '--home',
      place('home'),
      '--out',
      place('manifest.json'),
    ),
  );
  await mustSucceed(portalctl('trust', 'install', key, '--trusted', place('trusted')));

  step('2. A bus, the broker, the app');
  const stopBus = await useBus();
  writeConfig();
  const owner = String(process.getuid?.() ?? 0);
  const broker = launch(
    'broker/main.ts',
    ['--config', place('broker.json'), '--store', place('store'), '--allow-owner', owner],
    'quiet',
  );
  await firstLine(broker);
  process.stdout.write('broker: ready\n');
  const notes = await startNotes(place('manifest.json'));
  await mustSucceed(portalctl('list', '--app', APP));

  step('3. A read runs at once');
  await mustSucceed(portalctl('dispatch', `${CAPABILITY}.read`, '--param', 'name=shopping'));

  step('4. A delete waits for a person');
  await mustSucceed(portalctl('explain', `${CAPABILITY}.delete`, '--param', 'name=shopping'));
  const invocation = await deleteWithPerson();

  step('5. Taking it back');
  if (invocation === undefined)
    process.stdout.write('nothing was deleted, so there is nothing to take back\n');
  else {
    await mustSucceed(portalctl('undo', invocation));
    await mustSucceed(portalctl('dispatch', `${CAPABILITY}.read`, '--param', 'name=shopping'));
  }

  step('6. Somebody tampers with the manifest: the app falls to Tier 2, and nothing of it can be dispatched');
  await stop(notes);
  tamper();
  const tampered = await startNotes(place('tampered.json'));
  await portalctl('apps');
  await portalctl('dispatch', `${CAPABILITY}.delete`, '--param', 'name=shopping');
  await stop(tampered);

  step('7. What happened is on record, and the record is whole');
  await mustSucceed(portalctl('audit', 'tail', '--limit', '8'));
  await mustSucceed(portalctl('audit', 'verify', '--store', place('store')));
  await stop(broker);
  await stopBus();
  process.stdout.write('\nDone; nothing of this is left behind. Next: README.md, "For app developers".\n');
}

const clean = (): void => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
};
process.once('exit', clean);
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, () => process.exit(code));
}
try {
  await main();
} catch (error) {
  process.stderr.write(
    `the demonstration stopped: ${error instanceof Error ? error.message : 'unknown reason'}\n`,
  );
  process.exit(1);
}
