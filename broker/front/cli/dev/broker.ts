// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CliError } from '../error.ts';
import { Child } from './child.ts';
import { developmentSettings } from './settings.ts';

export interface DevelopmentBroker {
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** pino's number for `warn`. */
const WARN = 40;

/**
 * Starts a broker whose settings, trust and records are in `folder`, and resolves once it serves.
 *
 * @param say told of what the broker complains about
 * @throws CliError `Refused` when it ends instead
 */
export async function startBroker(
  folder: string,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<DevelopmentBroker> {
  const uid = process.getuid?.() ?? 0;
  const config = join(folder, 'broker.json');
  await mkdir(join(folder, 'trusted'), { mode: 0o700 });
  await writeFile(config, JSON.stringify(developmentSettings(folder, uid)), { mode: 0o600 });
  // Beside this file in the source and in the build alike.
  const main = join(import.meta.dirname, '..', '..', '..', `main${extname(import.meta.filename)}`);
  const ready = Promise.withResolvers<undefined>();
  let complaint = '';
  const broker = new Child([process.execPath, main, '--config', config, '--allow-owner', String(uid)], {
    env,
    onLine: (line, output) => {
      if (output === 'stdout') return ready.resolve(undefined);
      complaint = line;
      if (isComplaint(line)) say(line);
    },
  });
  const end = await Promise.race([ready.promise, broker.ended]);
  if (end === undefined) return broker;
  throw new CliError(
    'Refused',
    `the broker ended ${end}: ${complaint}`,
    'set right what it says and try again',
  );
}

/** Whether a line of the broker's log is more than information. */
function isComplaint(line: string): boolean {
  try {
    const entry: unknown = JSON.parse(line);
    return !(typeof entry === 'object' && entry !== null && 'level' in entry && Number(entry.level) < WARN);
  } catch {
    return true;
  }
}
