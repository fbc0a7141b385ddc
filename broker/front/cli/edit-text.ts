// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from './error.ts';

/** The command of the person's editor; undefined where the environment names none. */
export function editorIn(env: NodeJS.ProcessEnv): string | undefined {
  return [env.VISUAL, env.EDITOR].find((command) => command !== undefined && command.trim() !== '');
}

/**
 * `text` as the person left it in their editor, which has the terminal meanwhile. It lies in a file of the person's own, in
 * memory where the desktop has a place there, which is gone afterwards.
 *
 * @param signal ends the editor; what it had is lost
 * @throws CliError `Refused` where the editor did not end well
 */
export async function editText(
  text: string,
  editor: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(env.XDG_RUNTIME_DIR ?? tmpdir(), 'portalctl-'));
  try {
    const path = join(folder, 'parameters.json');
    await writeFile(path, `${text}\n`, { mode: 0o600 });
    // The variable holds a command line, such as `code --wait`; the path is no part of it.
    const child = spawn('/bin/sh', ['-c', `exec ${editor} "$1"`, 'sh', path], { env, stdio: 'inherit' });
    const stop = (): boolean => child.kill();
    signal?.addEventListener('abort', stop, { once: true });
    const [code] = await once(child, 'exit');
    signal?.removeEventListener('abort', stop);
    signal?.throwIfAborted();
    if (code === 0) return await readFile(path, 'utf8');
    throw new CliError(
      'Refused',
      `the editor \`${editor}\` did not end well`,
      'nothing was changed: try again',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
