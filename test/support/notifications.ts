// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before } from 'mocha';
import type { Connection } from '../../dbus/connection.ts';
import { BUS_NAME } from '../../dbus/messages.ts';
import { asDictionary, Variant } from '../../dbus/values.ts';
import type { TestBus } from './bus.ts';

const NAME = 'org.freedesktop.Notifications';
const SERVER = { destination: NAME, path: '/org/freedesktop/Notifications' };

export interface ShownNotification {
  readonly app: string;
  readonly summary: string;
  readonly body: string;
  readonly category: string;
  readonly urgency: string;
}

export interface NotificationDaemon {
  start(): Promise<void>;
  stop(): Promise<void>;
  pause(): void;
  resume(): void;
  /** How many are on the screen. */
  count(): Promise<number>;
  /** Takes all from the screen and says what was on it, oldest first. */
  clear(): Promise<readonly ShownNotification[]>;
  /** Closed and not yet told of by `clear`, oldest first. */
  closed(): Promise<readonly ShownNotification[]>;
}

/** A real notification daemon, dunst, on a screen of its own. Call it inside a `describe`, after the bus. */
export function useNotifications(bus: TestBus, markup: 'full' | 'no'): NotificationDaemon {
  let folder = '';
  let display = '';
  let screen: ChildProcess | undefined;
  let daemon: ChildProcess | undefined;
  let client: Connection;
  let told = 0;

  const start = async (): Promise<void> => {
    if (daemon !== undefined) return;
    told = 0;
    daemon = await startDunst(client, { config: join(folder, 'dunstrc'), address: bus.address, display });
  };
  const stop = async (): Promise<void> => {
    await end(daemon);
    daemon = undefined;
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portal-dunst-'));
    writeFileSync(join(folder, 'dunstrc'), configuration(markup));
    client = await bus.connect();
    screen = spawn('setpriv', ['--pdeathsig', 'TERM', 'Xvfb', '-displayfd', '3', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    display = `:${await firstWord(screen)}`;
    await start();
  });
  after(async () => {
    await stop();
    await end(screen);
    rmSync(folder, { recursive: true, force: true });
  });

  const control = async (member: string): Promise<readonly unknown[]> =>
    client.call({ ...SERVER, interface: 'org.dunstproject.cmd0', member });
  const property = async (name: string): Promise<number> => {
    const call = { ...SERVER, interface: 'org.freedesktop.DBus.Properties', member: 'Get', signature: 'ss' };
    const [value] = await client.call({ ...call, body: ['org.dunstproject.cmd0', name] });
    return value instanceof Variant ? Number(value.value) : Number.NaN;
  };
  const closed = async (): Promise<readonly ShownNotification[]> => {
    const [list] = await control('NotificationListHistory'); // newest first
    const all = (Array.isArray(list) ? list : []).map(readShown).reverse();
    const news = all.slice(told);
    told = all.length;
    return news;
  };
  return {
    start,
    stop,
    pause: () => daemon?.kill('SIGSTOP'),
    resume: () => daemon?.kill('SIGCONT'),
    count: async () => (await property('displayedLength')) + (await property('waitingLength')),
    clear: async () => {
      await closed();
      await control('NotificationCloseAll');
      return closed();
    },
    closed,
  };
}

/** Urgency is not in what dunst lists, so its format says it. Duplicates are not to be drawn as one. */
function configuration(markup: string): string {
  const urgencies = ['low', 'normal', 'critical'];
  return `[global]
  markup = ${markup}
  stack_duplicates = false
  history_length = 1000
  idle_threshold = 0
${urgencies.map((urgency) => `[urgency_${urgency}]\n  format = "${urgency}"\n  timeout = 0\n`).join('')}`;
}

async function firstWord(screen: ChildProcess): Promise<string> {
  const pipe = screen.stdio[3];
  if (!(pipe instanceof Readable)) throw new Error('there is no pipe to the screen');
  const failed = once(screen, 'exit').then(() => {
    throw new Error('Xvfb did not start: install it with `apt-get install xvfb`');
  });
  failed.catch(() => undefined);
  let word = '';
  while (!word.endsWith('\n')) word += String((await Promise.race([once(pipe, 'data'), failed]))[0]);
  return word.trim();
}

async function startDunst(
  client: Connection,
  {
    config,
    address,
    display,
  }: { readonly config: string; readonly address: string; readonly display: string },
): Promise<ChildProcess> {
  const appeared = Promise.withResolvers<void>();
  const match = { sender: BUS_NAME, member: 'NameOwnerChanged', arg0: NAME };
  const unwatch = await client.watch(match, ({ body: [, , owner] }) => owner !== '' && appeared.resolve());
  const daemon = spawn('setpriv', ['--pdeathsig', 'KILL', 'dunst', '-config', config], {
    env: { PATH: process.env.PATH, DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: address },
    stdio: 'ignore',
  });
  const failed = once(daemon, 'exit').then(() => {
    throw new Error('dunst did not start: install it with `apt-get install dunst`');
  });
  failed.catch(() => undefined);
  await Promise.race([appeared.promise, failed]);
  await unwatch();
  return daemon;
}

function readShown(entry: unknown): ShownNotification {
  const fields = asDictionary(entry);
  const text = (key: string): string => String(fields.get(key));
  return {
    app: text('appname'),
    summary: text('summary'),
    body: text('body'),
    category: text('category'),
    urgency: text('message'),
  };
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await ended;
}
