// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readStat } from '../../broker/identity/procfs.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { KEY, sign } from '../manifests/fixtures.ts';

const ROOT = join(import.meta.dirname, '../..');
const APP = 'org.example.Bench';

/** A bus, the built broker and an app of its own, each a process. */
export interface BenchDesk {
  readonly address: string;
  readonly brokerPid: number;
  readonly appName: string;
  readonly appPath: string;
  stop(): Promise<void>;
}

const capability = (action: string, sideEffects: string) => ({
  id: `bench.org.example.bench.${action}`,
  name: action,
  description: 'Answers at once.',
  category: 'TEXT_QUERY',
  side_effects: sideEffects,
  bounds: { max_invocations_per_turn: 100 },
  parameters: {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 100 }, limit: { type: 'integer', minimum: 1 } },
    required: ['name'],
    additionalProperties: false,
  },
  returns: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
});

/** The administrator's rule: the write needs neither a grant nor a person, so what is measured is the broker. */
const POLICY = {
  rules: [
    {
      capability: 'bench.org.example.bench.write',
      effect: 'ALLOW',
      reason: 'a bench has nobody who could answer',
    },
  ],
};

/** A signed app, bound to its process as one that a developer's launcher started. */
export async function startDesk(): Promise<BenchDesk> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
  for (const name of ['trusted', 'policy.d']) mkdirSync(join(folder, name));
  const manifest = {
    app_id: APP,
    version: '1.0',
    manifest_version: '1.0',
    capabilities: [capability('read', 'read'), capability('write', 'write')],
  };
  writeFileSync(join(folder, 'trusted', `${APP}.pub`), KEY.bytes);
  writeFileSync(join(folder, 'policy.d', '10-bench.json'), JSON.stringify(POLICY));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(sign(manifest)));
  writeFileSync(join(folder, 'broker.json'), JSON.stringify(configuration(folder)), { mode: 0o600 });
  const bus = await startPrivateBus();
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: bus.address };
  const broker = spawn(
    join(ROOT, 'bin/portal-broker'),
    [
      '--config',
      join(folder, 'broker.json'),
      '--store',
      join(folder, 'store'),
      '--allow-owner',
      String(process.getuid?.()),
    ],
    { env, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  await firstLine(broker);
  const app = spawn(
    process.execPath,
    [join(import.meta.dirname, 'bench-app.ts'), join(folder, 'manifest.json')],
    { env, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const { name, tier } = JSON.parse(await firstLine(app)) as { name: string; tier: number };
  if (tier !== 1) throw new Error('the app of this bench was not accepted');
  return {
    address: bus.address,
    brokerPid: broker.pid ?? 0,
    appName: name,
    appPath: '/org/example/Bench',
    async stop() {
      await end(app, 'SIGKILL');
      await end(broker, 'SIGTERM');
      await bus.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function configuration(folder: string) {
  const uid = process.getuid?.() ?? 0;
  return {
    trusted_directories: [join(folder, 'trusted')],
    revoked_file: join(folder, 'revoked'),
    policy: { directory: join(folder, 'policy.d'), user_directory: join(folder, 'policy.d', 'none') },
    development: {
      accept_unsigned: false,
      launcher: { pid: process.pid, start_time: readStat('/proc', process.pid)?.startTime },
    },
    principals: [
      {
        id: 'bench',
        roles: ['intelligence', 'provider'],
        level: 'user',
        match: { uid },
        min_binding: 'pid',
      },
    ],
    // A turn as long as the clock's tick: the bound on invocations is checked and never in the way.
    turns: { turn_ms: 1 },
  };
}

export function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('this program prints nowhere');
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', () => reject(new Error('a program of this bench ended before it was ready')));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await over;
}
