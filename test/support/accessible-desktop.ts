// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'mocha';
import { type Connection, connect } from '../../dbus/connection.ts';
import { type PrivateBus, startPrivateBus } from '../../dbus/daemon.ts';
import { variant } from '../../dbus/values.ts';
import { Accessibility, type App } from '../../tier2-atspi/connect.ts';
import { type AccessibilityLimits, DEFAULT_ACCESSIBILITY_LIMITS } from '../../tier2-atspi/limits.ts';
import { A11Y_BUS, A11Y_BUS_PATH, METHOD } from '../../tier2-atspi/names.ts';
import { end, kill, MARK, PATIENCE_MS, type Program, processesOf, run, until } from './programs.ts';
import { type Screen, startScreen } from './screen.ts';

const LAUNCHER = '/usr/libexec/at-spi-bus-launcher';

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
    const { pid, child } = this.run(command);
    try {
      return await this.appOf(pid, command.join(' '));
    } catch (cause) {
      const state = `exit ${child.exitCode ?? child.signalCode}; faults: ${this.faults.join('; ')}`;
      throw new Error(`\`${command.join(' ')}\` did not appear (${state})`, { cause });
    }
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
