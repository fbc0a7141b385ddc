// SPDX-License-Identifier: Apache-2.0
import { uptime } from 'node:os';
import type { Connection } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { IdentityError } from './error.ts';
import { readStat } from './procfs.ts';
import { readCredentials, readPeer } from './read-peer.ts';

/** A process as the kernel tells processes apart: a pid alone is used again, with its start time it is not. */
export interface ProcessId {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks since boot, as text. */
  readonly startTime: string;
}

/** Who is behind a connection, in the words of the message bus and the kernel. */
export interface Peer extends ProcessId {
  /** The unique bus name. */
  readonly name: string;
  readonly uid: number;
  /** The primary group; undefined where its real, effective and saved ids differ or the connection was made without it. */
  readonly gid: number | undefined;
  /** The path of the running program, links resolved. */
  readonly exe: string | undefined;
  /** The program does what its arguments say, so its path names nobody. */
  readonly exeIsInterpreter: boolean;
  readonly securityLabel: string | undefined;
  /** The system service it runs in; nothing below a user's own service manager counts. */
  readonly systemUnit: string | undefined;
  /** The application id in the name of the user unit it runs in. */
  readonly appUnit: string | undefined;
  /** The application id its sandbox states: the flatpak's id, or `snap.NAME`. */
  readonly sandboxId: string | undefined;
  /** Parent, grandparent and so on, at most 16. */
  readonly parents: readonly ProcessId[];
}

const TICKS_PER_SECOND = 100; // USER_HZ: fixed for what the kernel shows to programs

export interface PeersOptions {
  /** Where the process file system is; default `/proc`. */
  readonly proc?: string;
  /** Seconds since boot, on the clock that process start times are given in. */
  readonly uptime?: () => number;
}

/** As much of a connection as it takes to follow who comes and goes. */
type Bus = Pick<Connection, 'call' | 'watch'>;

/** Told of every connection that ends; `peer` is set where it had been looked up. */
export type VanishedListener = (name: string, peer: Peer | undefined) => void;

/** Who is behind each connection on a bus: found out once, and forgotten when the connection ends. */
export class Peers {
  readonly #connection: Bus;
  readonly #proc: string;
  readonly #uptime: () => number;
  readonly #known = new Map<string, Peer>();
  readonly #lookups = new Map<string, Promise<Peer>>();
  /** When each connection was first heard of, in ticks since boot. */
  readonly #since = new Map<string, number>();
  readonly #listeners = new Set<VanishedListener>();
  #watchingSince = 0;
  #comparable = true;

  /** Starts following who comes and goes. Do it early: of connections older than this it is only known that they are. */
  static async start(connection: Bus, options: PeersOptions = {}): Promise<Peers> {
    const peers = new Peers(connection, options);
    await connection.watch(
      { sender: BUS_NAME, interface: BUS_NAME, member: 'NameOwnerChanged' },
      (signal) => {
        const [name, , newOwner] = signal.body;
        if (typeof name === 'string' && name.startsWith(':')) peers.#changed(name, newOwner);
      },
    );
    // In some containers the uptime starts with the container while start times count from the boot of the machine.
    const started = readStat(peers.#proc, process.pid)?.startTime ?? '0';
    peers.#comparable = Number(started) <= peers.#ticks();
    peers.#watchingSince = peers.#ticks();
    return peers;
  }

  private constructor(connection: Bus, options: PeersOptions) {
    this.#connection = connection;
    this.#proc = options.proc ?? '/proc';
    this.#uptime = options.uptime ?? uptime;
  }

  /**
   * @param name a unique bus name
   * @throws IdentityError where nobody can be said to be behind that name
   */
  async lookup(name: string): Promise<Peer> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const running = this.#lookups.get(name) ?? this.#read(name);
    this.#lookups.set(name, running);
    return await running;
  }

  /** What `lookup` found before, at once. */
  cached(name: string): Peer | undefined {
    return this.#known.get(name);
  }

  /** Whether a process is still running, and is not another one with its number. */
  alive({ pid, startTime }: ProcessId): boolean {
    return readStat(this.#proc, pid)?.startTime === startTime;
  }

  /** Returns how to stop. */
  onVanished(listener: VanishedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #read(name: string): Promise<Peer> {
    try {
      const reply = await this.#ask(name);
      const peer = readPeer(
        name,
        readCredentials(reply),
        this.#proc,
        this.#since.get(name) ?? this.#watchingSince,
      );
      // The end of the connection may have been heard of meanwhile; then this is nobody's any more.
      if (!this.#lookups.has(name)) throw vanished();
      this.#known.set(name, peer);
      return peer;
    } finally {
      this.#lookups.delete(name);
    }
  }

  async #ask(name: string): Promise<readonly unknown[]> {
    const call = {
      destination: BUS_NAME,
      path: BUS_PATH,
      interface: BUS_NAME,
      member: 'GetConnectionCredentials',
    };
    try {
      return await this.#connection.call({ ...call, signature: 's', body: [name] });
    } catch (cause) {
      if (cause instanceof DBusError && cause.code === 'remote') throw vanished(cause);
      throw new IdentityError('unreadable', 'the message bus does not say who is calling', { cause });
    }
  }

  #changed(name: string, newOwner: unknown): void {
    if (newOwner !== '') {
      this.#since.set(name, this.#ticks());
      return;
    }
    const peer = this.#known.get(name);
    this.#known.delete(name);
    this.#lookups.delete(name);
    this.#since.delete(name);
    const faults: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(name, peer);
      } catch (fault) {
        faults.push(fault); // the others must hear of it all the same
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, 'a listener failed');
  }

  #ticks(): number {
    return this.#comparable ? Math.ceil(this.#uptime() * TICKS_PER_SECOND) : Number.POSITIVE_INFINITY;
  }
}

function vanished(cause?: unknown): IdentityError {
  return new IdentityError('vanished', 'the calling connection is gone', { cause });
}
