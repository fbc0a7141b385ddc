// SPDX-License-Identifier: Apache-2.0
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'mocha';
import type { AuditEvent } from '../../broker/audit/event.ts';
import { type AuditFilter, queryEvents } from '../../broker/audit/query.ts';
import { type VerifyReport, verifyChain } from '../../broker/audit/verify.ts';
import { BUS_NAME, ROOT_PATH } from '../../broker/bus/names.ts';
import { readStat } from '../../broker/identity/procfs.ts';
import { type Connection, connect } from '../../dbus/connection.ts';
import { type PrivateBus, startPrivateBus } from '../../dbus/daemon.ts';
import { publicKeyOf } from '../../keys/sign.ts';
import { BrokerProcess, type BrokerStart } from './broker-process.ts';
import { FIXTURE, fixtureManifest, type Json, seed, signed } from './fixture-app.ts';
import { PeerProcess } from './peer-process.ts';
import { AgentPeer, AppPeer, PersonPeer, RawPeer } from './peers.ts';

export type RecordedEvent = AuditEvent & { readonly auditId: string };

const MOST_EVENTS = 100_000;

export interface DesktopOptions {
  /** Settings in place of this harness's own, as in the administrator's file. */
  readonly config?: Json;
  /** What the broker is started through, such as `unshare -m`. */
  readonly through?: (folders: { store: string }) => readonly string[];
  /** Notes every path that the broker opens; see `opened`. */
  readonly spyOnOpens?: boolean;
  /** Lets other users onto the bus too. */
  readonly anyUser?: boolean;
}

const OPEN_SPY = join(import.meta.dirname, 'peers', 'open-spy.ts');

/** The key that the fixture's manifests are signed with. */
export const KEY = seed(1);

/**
 * A desktop of a test's own: a message bus, keys, the broker and whoever talks to it, each in its own process. Everything
 * that a test starts from here counts as started by a developer's launcher, so its apps are bound.
 */
export class Desktop {
  readonly address: string;
  readonly folder: string;
  readonly keys: string;
  readonly store: string;
  readonly configPath: string;
  /** Where the administrator's policy files are, and the user's. */
  readonly rules: string;
  readonly userRules: string;
  broker: BrokerProcess;
  readonly #bus: PrivateBus;
  readonly #through: readonly string[];
  readonly #spy: Pick<BrokerStart, 'preload' | 'environment'>;
  readonly #peers: PeerProcess[] = [];
  readonly #brokers: BrokerProcess[] = [];
  readonly #connections: Connection[] = [];

  static async start(options: DesktopOptions = {}): Promise<Desktop> {
    const desktop = new Desktop(await startPrivateBus({ anyUser: options.anyUser ?? false }), options);
    try {
      await desktop.broker.ready();
      return desktop;
    } catch (error) {
      await desktop.stop();
      throw error;
    }
  }

  private constructor(bus: PrivateBus, { config = {}, through, spyOnOpens = false }: DesktopOptions) {
    this.#bus = bus;
    this.address = bus.address;
    this.folder = mkdtempSync(join(realpathSync(tmpdir()), 'portal-desktop-'));
    this.keys = join(this.folder, 'keys');
    this.store = join(this.folder, 'store');
    this.configPath = join(this.folder, 'broker.json');
    this.rules = join(this.folder, 'policy.d');
    this.userRules = join(this.folder, 'user-policy.d');
    mkdirSync(this.keys, { mode: 0o755 });
    mkdirSync(this.store, { mode: 0o700 });
    for (const folder of [this.rules, this.userRules]) mkdirSync(folder, { mode: 0o755 });
    this.configure(config);
    this.trust(FIXTURE);
    this.#through = through?.({ store: this.store }) ?? [];
    this.#spy = spyOnOpens
      ? { preload: OPEN_SPY, environment: { PORTAL_TEST_OPENED: join(this.folder, 'opened') } }
      : {};
    this.broker = this.startBroker();
  }

  /** Writes the administrator's file; the broker reads it when it starts. */
  configure(config: Json = {}): void {
    writeFileSync(this.configPath, JSON.stringify({ ...this.#usualConfig(), ...config }), { mode: 0o644 });
  }

  /** Puts a policy file in place, all at once as an administrator's tools do. */
  writeRules(content: Json, { name = 'test.json', folder = this.rules } = {}): void {
    const path = join(folder, name);
    writeFileSync(`${path}.new`, JSON.stringify(content, null, 2), { mode: 0o644 });
    renameSync(`${path}.new`, path);
  }

  /** The paths that the broker has opened so far, where it is spied on. */
  opened(): readonly string[] {
    const lines = readFileSync(join(this.folder, 'opened'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => String(JSON.parse(line)));
  }

  /** Starts a broker without waiting for it. */
  startBroker(over: Partial<BrokerStart> = {}): BrokerProcess {
    const broker = new BrokerProcess({
      address: this.address,
      config: this.configPath,
      store: this.store,
      through: this.#through,
      ...this.#spy,
      ...over,
    });
    this.#brokers.push(broker);
    return broker;
  }

  /** A new broker in place of one that has ended. */
  async restart(): Promise<void> {
    this.broker = this.startBroker();
    await this.broker.ready();
  }

  trust(appId: string, key: Uint8Array = KEY): string {
    const path = join(this.keys, `${appId}.pub`);
    const aside = `${path}.new`;
    writeFileSync(aside, publicKeyOf(key).bytes, { mode: 0o644 });
    rmSync(path, { force: true });
    writeFileSync(path, publicKeyOf(key).bytes, { mode: 0o644 });
    rmSync(aside);
    return path;
  }

  revoke(key: Uint8Array): void {
    writeFileSync(join(this.folder, 'revoked'), `${publicKeyOf(key).fingerprint}\n`, { mode: 0o644 });
  }

  async app(): Promise<AppPeer> {
    return new AppPeer(await this.#peer());
  }

  /** An app that has registered the fixture's manifest, or one like it. */
  async fixture(fields: Json = {}, appId: string = FIXTURE): Promise<AppPeer> {
    const app = await this.app();
    await app.serve(signed(fixtureManifest(fields, appId), KEY));
    return app;
  }

  async agent(): Promise<AgentPeer> {
    return new AgentPeer(await this.#peer());
  }

  async person(): Promise<PersonPeer> {
    return new PersonPeer(await this.#peer());
  }

  /** Those most tests need: an app that has registered the fixture, an agent that has listed it, a tool of the person. */
  async trio(): Promise<[AppPeer, AgentPeer, PersonPeer]> {
    const trio = await Promise.all([this.fixture(), this.agent(), this.person()]);
    await trio[1].list();
    return trio;
  }

  async raw(): Promise<RawPeer> {
    return new RawPeer(await this.#peer());
  }

  /** What the record holds, read from its file: the same as an operator gets, without a thread for each look. */
  audit(filter: AuditFilter = {}): readonly RecordedEvent[] {
    const database = new DatabaseSync(join(this.store, 'broker.db'), { readOnly: true });
    try {
      return queryEvents(database, { newest: true, ...filter }, MOST_EVENTS).map(({ auditId, event }) => {
        if (event === undefined) throw new Error('the record holds something that is no event');
        return { auditId, ...event };
      });
    } finally {
      database.close();
    }
  }

  /** What checking the record finds. */
  verify(): VerifyReport {
    return verifyChain(join(this.store, 'broker.db'), join(this.store, 'audit.key'));
  }

  /** Takes the message bus away from everybody. */
  async endBus(): Promise<void> {
    await this.#bus.stop();
  }

  /** A connection of this process, which has no role and is nobody's child. */
  async connect(): Promise<Connection> {
    const connection = await connect({ address: this.address, onFault: () => undefined });
    this.#connections.push(connection);
    return connection;
  }

  /** Resolves when the broker answers somebody else. */
  async ping(): Promise<void> {
    const connection = await connect({ address: this.address });
    try {
      await connection.call({
        destination: BUS_NAME,
        path: ROOT_PATH,
        interface: 'org.freedesktop.DBus.Peer',
        member: 'Ping',
        timeoutMs: 10_000,
      });
    } finally {
      await connection.close();
    }
  }

  /** Ends everything; throws when something had to be killed or is still there. */
  async stop(): Promise<void> {
    const died = this.#brokers.find(({ running, wasEnded }) => !running && !wasEnded);
    const left = await Promise.all(this.#peers.map((peer) => peer.stop()));
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await Promise.all(this.#brokers.filter(({ running }) => running).map((broker) => broker.end()));
    await this.#bus.stop();
    rmSync(this.folder, { recursive: true, force: true });
    if (died !== undefined) throw new Error(`the broker ended on its own: ${died.log}`);
    if (left.includes(false)) throw new Error('a peer did not leave when its input ended');
    const behind = processesOn(this.address);
    if (behind.length > 0) throw new Error(`processes were left behind: ${behind.join(', ')}`);
  }

  async #peer(): Promise<PeerProcess> {
    const peer = await PeerProcess.start(this.address);
    this.#peers.push(peer);
    return peer;
  }

  #usualConfig(): Json {
    const uid = process.getuid?.() ?? 0;
    return {
      trusted_directories: [this.keys],
      revoked_file: join(this.folder, 'revoked'),
      owners: [uid],
      principals: [
        {
          id: 'desk',
          roles: ['intelligence', 'confirmer', 'operator', 'provider'],
          level: 'user',
          match: { uid },
          min_binding: 'pid',
        },
      ],
      development: {
        accept_unsigned: false,
        launcher: { pid: process.pid, start_time: readStat('/proc', process.pid)?.startTime ?? '' },
      },
      confirm: { deadline_ms: 15_000, arming_ms: 0, reoffer_ms: 1500 },
      policy: { directory: this.rules, user_directory: this.userRules },
      decide: { polkit: false },
    };
  }
}

/** One desktop for the tests of a `describe`. */
export function useDesktop(options: DesktopOptions = {}): () => Desktop {
  let desktop: Desktop | undefined;
  before(async () => {
    desktop = await Desktop.start(options);
  });
  after(async () => {
    await desktop?.stop();
  });
  return () => {
    if (desktop === undefined) throw new Error('the desktop is there only while tests run');
    return desktop;
  };
}

/** The processes whose environment names this bus: whatever was started for it, by whomever. */
function processesOn(address: string): readonly string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(join('/proc', entry, 'environ'), 'utf8').includes(address);
    } catch {
      return false; // gone, or another user's
    }
  });
}
