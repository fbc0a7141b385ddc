// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before } from 'mocha';
import { type Connection, connect } from '../../dbus/connection.ts';
import { type PrivateBus, startPrivateBus } from '../../dbus/daemon.ts';
import { variant } from '../../dbus/values.ts';
import { Accessibility, type App } from '../../tier2-atspi/connect.ts';
import { type AccessibilityLimits, DEFAULT_ACCESSIBILITY_LIMITS } from '../../tier2-atspi/limits.ts';
import { A11Y_BUS, A11Y_BUS_PATH, METHOD } from '../../tier2-atspi/names.ts';

export type Screen = 'wayland' | 'x11' | 'none';

/** Every process of a desktop has it in its environment, whoever started it. */
const MARK = 'PORTAL_TEST_DESKTOP';
const LAUNCHER = '/usr/libexec/at-spi-bus-launcher';
const NOBODY = 65534;
const PATIENCE_MS = 15_000;
const POLL_MS = 10;

/** A program on the desktop. */
export interface Program {
  readonly pid: number;
  readonly child: ChildProcess;
}

/**
 * A desktop with an accessibility bus of its own, and a screen that nobody sees: what real apps need to show what they are
 * made of. Ends with this process at the latest.
 */
export class AccessibleDesktop {
  readonly folder: string;
  readonly session: Connection;
  /** Of the accessibility bus. */
  readonly address: string;
  readonly accessibility: Accessibility;
  readonly faults: unknown[];
  readonly #bus: PrivateBus;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #programs: readonly Program[];
  readonly #apps: Program[] = [];
  readonly #connections: Connection[] = [];
  readonly #waiting: Waiting;

  static async start(screen: Screen, limits: Partial<AccessibilityLimits> = {}): Promise<AccessibleDesktop> {
    const folder = mkdtempSync(join(tmpdir(), 'portal-a11y-'));
    const bus = await startPrivateBus();
    const programs: Program[] = [];
    const session = await connect({ address: bus.address });
    try {
      const environment = environmentFor(folder, bus.address);
      programs.push(run(folder, environment, [LAUNCHER, '--launch-immediately']));
      const address = await until('the accessibility bus', () => addressOf(session));
      await enable(session);
      Object.assign(environment, await startScreen(screen, folder, environment, programs));
      const faults: unknown[] = [];
      const waiting = new Waiting();
      const accessibility = await Accessibility.start({
        session,
        limits: { ...DEFAULT_ACCESSIBILITY_LIMITS, ...limits },
        now: () => performance.now(),
        listener: waiting,
        onFault: (error) => faults.push(error),
      });
      return new AccessibleDesktop({
        folder,
        bus,
        session,
        address,
        accessibility,
        waiting,
        faults,
        environment,
        programs,
      });
    } catch (error) {
      await session.close();
      await clear(folder, programs, bus);
      throw error;
    }
  }

  private constructor(parts: {
    folder: string;
    bus: PrivateBus;
    session: Connection;
    address: string;
    accessibility: Accessibility;
    waiting: Waiting;
    faults: unknown[];
    environment: NodeJS.ProcessEnv;
    programs: readonly Program[];
  }) {
    this.folder = parts.folder;
    this.session = parts.session;
    this.address = parts.address;
    this.accessibility = parts.accessibility;
    this.faults = parts.faults;
    this.#bus = parts.bus;
    this.#waiting = parts.waiting;
    this.#environment = parts.environment;
    this.#programs = parts.programs;
  }

  get sessionAddress(): string {
    return this.#bus.address;
  }

  /** Starts a program of the desktop. */
  run(command: readonly string[], environment: NodeJS.ProcessEnv = {}): Program {
    const program = run(this.folder, { ...this.#environment, ...environment }, command);
    this.#apps.push(program);
    return program;
  }

  /** Starts an app, and resolves when it is on the accessibility bus. */
  async app(...command: readonly string[]): Promise<App> {
    const { pid } = this.run(command);
    return await this.appOf(pid, command.join(' '));
  }

  async appOf(pid: number, what = `process ${pid}`): Promise<App> {
    return await this.#waiting.first((app) => app.pid === pid, what);
  }

  /** The app behind a connection. */
  async appAt(bus: string): Promise<App> {
    return await this.#waiting.first((app) => app.bus === bus, bus);
  }

  async vanished(bus: string): Promise<void> {
    await until(`the end of ${bus}`, () => (this.accessibility.apps.has(bus) ? undefined : true));
  }

  /** Another connection to the accessibility bus. */
  async connect(): Promise<Connection> {
    const connection = await connect({ address: this.address, onFault: () => undefined });
    this.#connections.push(connection);
    return connection;
  }

  /** Ends one program. */
  async end(pid: number): Promise<void> {
    await end(this.#apps.filter((program) => program.pid === pid));
  }

  /** Where the accessibility bus is now. */
  async currentAddress(): Promise<string | undefined> {
    return await addressOf(this.session);
  }

  /** Ends the accessibility bus as a crash would, and starts another. */
  async replaceAccessibilityBus(): Promise<void> {
    const [launcher] = this.#programs;
    if (launcher !== undefined) await end([launcher]);
    const environment = { ...this.#environment };
    delete environment.DISPLAY;
    this.#apps.push(run(this.folder, environment, [LAUNCHER, '--launch-immediately']));
  }

  async stop(): Promise<void> {
    await this.accessibility.stop();
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await this.session.close();
    await clear(this.folder, [...this.#apps, ...this.#programs.toReversed()], this.#bus);
  }
}

/** One desktop for the tests of a `describe`. */
export function useAccessibleDesktop(
  screen: Screen,
  limits: Partial<AccessibilityLimits> = {},
): () => AccessibleDesktop {
  let desktop: AccessibleDesktop | undefined;
  before(async function () {
    this.timeout(2 * PATIENCE_MS);
    desktop = await AccessibleDesktop.start(screen, limits);
  });
  after(async () => {
    await desktop?.stop();
  });
  return () => {
    if (desktop === undefined) throw new Error('the desktop is there only while tests run');
    return desktop;
  };
}

/** Waits for something that comes about by itself; throws where it does not. */
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const ends = performance.now() + PATIENCE_MS;
  while (performance.now() < ends) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(POLL_MS);
  }
  throw new Error(`${what} did not come about`);
}

/** The apps that came, for whoever waits for one of them. */
class Waiting {
  readonly #apps = new Set<App>();
  readonly #listeners = new Set<(app: App) => void>();

  appeared(app: App): void {
    this.#apps.add(app);
    for (const listener of [...this.#listeners]) listener(app);
  }

  vanished(app: App): void {
    this.#apps.delete(app);
  }

  async first(is: (app: App) => boolean, what: string): Promise<App> {
    const found = [...this.#apps].find(is);
    if (found !== undefined) return found;
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error(`${what} did not appear`))), PATIENCE_MS);
      const listener = (app: App): void => {
        if (is(app)) settle(() => resolve(app));
      };
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        end();
      };
      this.#listeners.add(listener);
    });
  }
}

function environmentFor(folder: string, address: string): NodeJS.ProcessEnv {
  const runtime = join(folder, 'run');
  const home = join(folder, 'home');
  for (const path of [runtime, home]) mkdirSync(path, { mode: 0o700 });
  return {
    [MARK]: folder,
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    XDG_RUNTIME_DIR: runtime,
    XDG_DATA_DIRS: '/usr/local/share:/usr/share',
    DBUS_SESSION_BUS_ADDRESS: address,
    // No settings daemon, no virtual file systems, no portals: an app then starts nothing that outlives it.
    GSETTINGS_BACKEND: 'memory',
    GIO_USE_VFS: 'local',
    GTK_USE_PORTAL: '0',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GSK_RENDERER: 'cairo',
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
  };
}

async function addressOf(session: Connection): Promise<string | undefined> {
  const { interface: name, member } = METHOD.getAddress;
  const call = { destination: A11Y_BUS, path: A11Y_BUS_PATH, interface: name, member };
  const [address] = await session.call(call).catch(() => []);
  return typeof address === 'string' && address !== '' ? address : undefined;
}

/** As a person who needs it does: Qt and others build their trees only then. */
async function enable(session: Connection): Promise<void> {
  await session.call({
    destination: A11Y_BUS,
    path: A11Y_BUS_PATH,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Set',
    signature: 'ssv',
    body: ['org.a11y.Status', 'IsEnabled', variant('b', true)],
  });
}

/** Starts the screen; gives what apps need to find it. */
async function startScreen(
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

/** Descriptor 3 of the program is a pipe to here. It is killed should this process end in whatever way. */
function run(folder: string, environment: NodeJS.ProcessEnv, command: readonly string[]): Program {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  child.on('error', () => undefined); // then there is no process id
  if (child.pid === undefined) throw new Error(`\`${command[0]}\` cannot be started`);
  return { pid: child.pid, child };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const pipe = child.stdio[3];
  if (pipe === null || pipe === undefined || !('setEncoding' in pipe)) throw new Error('no pipe');
  for await (const chunk of pipe) return String(chunk).trim();
  throw new Error('the screen did not start');
}

/** Ends programs by their process ids: asked first, then made to. */
async function end(programs: readonly Program[]): Promise<void> {
  await Promise.all(
    programs.map(async ({ child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 1000);
      await gone;
      clearTimeout(timer);
    }),
  );
}

async function clear(folder: string, programs: readonly Program[], bus: PrivateBus): Promise<void> {
  await end(programs);
  // What the programs had started themselves; each is known by its environment.
  await until('the end of every process', () => {
    const left = processesOf(folder);
    for (const pid of left) kill(pid);
    return left.length === 0 ? true : undefined;
  });
  await bus.stop();
  rmSync(folder, { recursive: true, force: true });
}

function processesOf(folder: string): readonly number[] {
  const mark = `${MARK}=${folder}\0`;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(join('/proc', entry, 'environ'), 'utf8').includes(mark);
      } catch {
        return false; // gone, or another user's
      }
    })
    .map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}
