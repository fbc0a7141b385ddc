// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DBusError, ERROR_NAME } from './error.ts';

export interface PrivateBusOptions {
  /** Folders of `.service` files for activation; none by default. */
  readonly serviceFolders?: readonly string[];
  /** Lets every user of this machine connect; by default only ours may. */
  readonly anyUser?: boolean;
}

export interface PrivateBus {
  readonly address: string;
  stop(): Promise<void>;
}

// The shell waits for the end of its input, which comes when this process ends in whatever way, kill -9 included. It
// then ends the daemon and removes the folder; setpriv ends the daemon should the shell itself be killed. The shell lets
// go of its output, so that the output ends where the daemon does not start.
const SCRIPT = `
trap '' INT HUP
setpriv --pdeathsig KILL dbus-daemon --nofork --config-file="$1/bus.conf" --print-address=1 &
exec >&- 2>&-
read -r _
kill $! 2>/dev/null
wait
rm -rf "$1"
`;

// As in the session bus's own configuration: the defaults are those of a system bus.
const SESSION_LIMITS = Object.entries({
  max_incoming_bytes: 1_000_000_000,
  max_outgoing_bytes: 1_000_000_000,
  max_message_size: 1_000_000_000,
  max_completed_connections: 100_000,
  max_connections_per_user: 100_000,
  max_match_rules_per_connection: 50_000,
  max_replies_per_connection: 50_000,
})
  .map(([name, value]) => `<limit name="${name}">${value}</limit>`)
  .join('\n  ');

/** Starts a message bus of its own for tests and demonstrations. It ends with this process at the latest. */
export async function startPrivateBus(options: PrivateBusOptions = {}): Promise<PrivateBus> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bus-'));
  if (options.anyUser === true) await chmod(folder, 0o711);
  await writeFile(join(folder, 'bus.conf'), configuration(folder, options));
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  const complaints: Buffer[] = [];
  shell.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
  shell.stdin.on('error', () => undefined); // the shell may be gone already
  const stop = async (): Promise<void> => {
    shell.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true }); // where the shell itself was killed
  };
  const address = await firstLine(createInterface({ input: shell.stdout }));
  if (address !== undefined) return { address, stop };
  await stop();
  throw cannotStart(Buffer.concat(complaints).toString());
}

function firstLine(lines: ReturnType<typeof createInterface>): Promise<string | undefined> {
  return new Promise((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
  });
}

function cannotStart(complaint: string): DBusError {
  const missing = /not found|No such file/.test(complaint);
  const advice = missing
    ? 'install it with `apt-get install dbus-daemon`'
    : complaint.trim().replaceAll(/\s+/g, ' ');
  return new DBusError('invalid', ERROR_NAME.failed, `cannot start dbus-daemon: ${advice}`);
}

function configuration(folder: string, { serviceFolders = [], anyUser = false }: PrivateBusOptions): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${folder}/bus</listen>
  <auth>EXTERNAL</auth>
  ${serviceFolders.map((path) => `<servicedir>${path}</servicedir>`).join('\n  ')}
  <policy context="default">
    ${anyUser ? '<allow user="*"/>' : ''}
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  ${SESSION_LIMITS}
</busconfig>
`;
}
