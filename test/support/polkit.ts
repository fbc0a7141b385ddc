// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'mocha';
import type { DecidingPeer } from '../../broker/identity/decider.ts';
import { readStat } from '../../broker/identity/procfs.ts';
import { connect } from '../../dbus/connection.ts';
import { BUS_NAME } from '../../dbus/messages.ts';
import { useBus } from './bus.ts';
import { PeerProcess } from './peer-process.ts';

const PROGRAM = join(import.meta.dirname, 'peers', 'polkit-peer.ts');
const ACTIONS = join(import.meta.dirname, '..', '..', 'dbus-policy');
const POLKITD = '/usr/lib/polkit-1/polkitd';

/**
 * Users as whom polkit is asked. They are services' users that every system has, since a bus lets in only users that it
 * finds in the password file: the tests say that people begin at 1.
 */
export const USER = { allowed: 1, refused: 2, asked: 3, unnamed: 5 } as const;

/** For the unnamed one, what the action's file says. */
const RULES = `polkit.addRule(function (action, subject) {
  if (action.id !== 'org.portal.Broker1.decide') return polkit.Result.NOT_HANDLED;
  return { daemon: polkit.Result.YES, bin: polkit.Result.NO, sys: polkit.Result.AUTH_SELF }[subject.user];
});
`;

// polkitd has fixed places for its files: in a mount namespace of its own these folders are there instead, and this
// machine's files stay as they are. The namespace ends with the process, and that one at the latest with its bus.
const SCRIPT = `
export DBUS_SYSTEM_BUS_ADDRESS="$2"
mount --bind "$1/actions" /usr/share/polkit-1/actions &&
mount --bind "$1/rules.d" /usr/share/polkit-1/rules.d &&
mount --bind "$1/rules.d" /etc/polkit-1/rules.d &&
exec ${POLKITD} --no-debug
`;

/** A system bus of one's own with a real polkitd, our action and rules for the users above. Needs root. */
export interface Polkit {
  readonly address: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A process of that user which does nothing, until the test's end. */
  process(uid: number): Promise<DecidingPeer & { end(): Promise<void> }>;
  /** See peers/polkit-peer.ts. */
  peer(uid: number): Promise<PeerProcess>;
}

/**
 * Call it inside a `describe`. With `activated` polkitd does not run until the bus starts it for the first who asks.
 */
export function usePolkit({ activated = false } = {}): Polkit {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-polkit-'));
    writeFolders(folder, activated);
  });
  const bus = useBus({
    anyUser: true,
    get serviceFolders() {
      return [join(folder, 'services')];
    },
  });
  const started: ChildProcess[] = [];
  const peers: PeerProcess[] = [];
  let daemon: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    daemon = await startDaemon(folder, bus.address);
  };
  const stop = async (): Promise<void> => {
    if (daemon !== undefined) await end(daemon);
    daemon = undefined;
  };
  before(async () => {
    if (!activated) await start();
  });
  after(async () => {
    await Promise.all([...peers.map((peer) => peer.stop()), ...started.map(end)]);
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get address() {
      return bus.address;
    },
    start,
    stop,
    async process(uid) {
      const child = spawn('cat', { uid, gid: uid, stdio: ['pipe', 'ignore', 'ignore'] }); // ends with us
      started.push(child);
      await once(child, 'spawn');
      const stat = readStat('/proc', child.pid ?? 0);
      if (stat === undefined) throw new Error('the process ended at once');
      return { pid: stat.pid, startTime: stat.startTime, uid, end: () => end(child) };
    },
    async peer(uid) {
      const peer = await PeerProcess.start(bus.address, PROGRAM);
      peers.push(peer);
      await peer.ask('become', { uid });
      return peer;
    },
  };
}

function writeFolders(folder: string, activated: boolean): void {
  for (const name of ['actions', 'rules.d', 'services']) mkdirSync(join(folder, name));
  const start = join(folder, 'start');
  writeFileSync(start, `exec unshare --mount sh -c '${SCRIPT}' sh ${folder} "$DBUS_STARTER_ADDRESS"`);
  const service = `[D-BUS Service]\nName=org.freedesktop.PolicyKit1\nExec=/bin/sh ${start}\n`;
  if (activated) writeFileSync(join(folder, 'services', 'polkit.service'), service);
  cpSync(join(ACTIONS, 'org.portal.Broker1.policy'), join(folder, 'actions', 'org.portal.Broker1.policy'));
  writeFileSync(join(folder, 'rules.d', '10-test.rules'), RULES);
}

async function startDaemon(folder: string, address: string): Promise<ChildProcess> {
  const watching = await connect({ address });
  try {
    const appeared = Promise.withResolvers<void>();
    const match = { sender: BUS_NAME, member: 'NameOwnerChanged', arg0: 'org.freedesktop.PolicyKit1' };
    await watching.watch(match, ({ body: [, , owner] }) => owner !== '' && appeared.resolve());
    const daemon = spawn('unshare', ['--mount', 'sh', '-c', SCRIPT, 'sh', folder, address], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    daemon.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk;
    });
    const failed = once(daemon, 'close').then(() => {
      throw new Error(
        `polkitd did not start (install it with \`apt-get install polkitd\` and run the tests as root): ${complaint.trim()}`,
      );
    });
    await Promise.race([appeared.promise, failed]);
    failed.catch(() => undefined);
    return daemon;
  } finally {
    await watching.close();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
