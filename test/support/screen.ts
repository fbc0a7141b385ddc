// SPDX-License-Identifier: Apache-2.0
import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, run, until } from './programs.ts';

export type Screen = 'wayland' | 'x11' | 'none';

const NOBODY = 65534;

/** Starts the screen; gives what apps need to find it. */
export async function startScreen(
  screen: Screen,
  folder: string,
  environment: NodeJS.ProcessEnv,
  programs: Program[],
): Promise<NodeJS.ProcessEnv> {
  if (screen === 'none') return {};
  if (screen === 'x11') {
    const server = ['Xvfb', '-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp', '-ac'];
    const program = run(folder, environment, server);
    programs.push(program);
    const number = await firstLine(program.child);
    return { DISPLAY: `:${number}`, GDK_BACKEND: 'x11', QT_QPA_PLATFORM: 'xcb' };
  }
  const runtime = join(folder, 'compositor');
  const config = join(folder, 'sway.conf');
  mkdirSync(runtime, { mode: 0o700 });
  writeFileSync(config, 'output HEADLESS-1 resolution 1280x1024\nxwayland disable\n', { mode: 0o644 });
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    // sway does not run as root; apps reach its socket by an absolute path.
    chownSync(runtime, NOBODY, NOBODY);
    chmodSync(folder, 0o711);
  }
  const drop = [
    'setpriv',
    '--reuid',
    `${NOBODY}`,
    '--regid',
    `${NOBODY}`,
    '--clear-groups',
    '--pdeathsig',
    'KILL',
  ];
  const own = { XDG_RUNTIME_DIR: runtime, HOME: runtime, WLR_BACKENDS: 'headless' };
  const headless = { ...own, WLR_LIBINPUT_NO_DEVICES: '1', WLR_RENDERER: 'pixman' };
  programs.push(
    run(folder, { ...environment, ...headless }, [...(asRoot ? drop : []), 'sway', '-c', config]),
  );
  const socket = await until('the compositor', () =>
    readdirSync(runtime).find((name) => /^wayland-\d+$/.test(name)),
  );
  return { WAYLAND_DISPLAY: join(runtime, socket), GDK_BACKEND: 'wayland', QT_QPA_PLATFORM: 'wayland' };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const pipe = child.stdio[3];
  if (pipe === null || pipe === undefined || !('setEncoding' in pipe)) throw new Error('no pipe');
  let text = '';
  for await (const chunk of pipe) {
    text += chunk;
    // Not before: Xvfb ends when nobody reads the rest of the line.
    if (text.endsWith('\n')) return text.trim();
  }
  throw new Error('the screen did not start');
}
