// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const PORTALCTL = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'portalctl');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
}

/** Runs the real command as a child process, without a terminal, to its end. */
export async function portalctl(
  args: readonly string[],
  { env, cwd, input = '' }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(PORTALCTL, args, { env: env ?? process.env, ...(cwd !== undefined && { cwd }) });
  child.stdin.on('error', () => undefined); // it need not read
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Runs it with `--json`; standard output must be one JSON document. */
export async function portalctlJson(
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ code: number | null; json: Record<string, unknown>; stderr: string }> {
  const at = args.includes('--') ? args.indexOf('--') : args.length;
  const { code, stdout, stderr } = await portalctl(
    [...args.slice(0, at), '--json', ...args.slice(at)],
    options,
  );
  return { code, json: JSON.parse(stdout) as Record<string, unknown>, stderr };
}
