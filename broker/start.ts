// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../dbus/connection.ts';
import { type InterfaceSpec, ObjectTree } from '../dbus/serve.ts';
import { Keyring } from '../keys/keyring.ts';
import { selfTest } from '../keys/verify.ts';
import { parseBuiltin } from '../manifests/builtin.ts';
import { Registry } from '../manifests/registry.ts';
import { SchemaCache } from '../manifests/schema-cache.ts';
import { Confirmers } from './approval/confirmers.ts';
import { Aggregate } from './audit/aggregate.ts';
import { type Recorder, Records } from './audit/records.ts';
import { who } from './audit/who.ts';
import { AuditDesk } from './audit-desk.ts';
import { HEALTH_DEFINITION, health } from './builtin/health.ts';
import { SUBSCRIBE_DEFINITION, subscribe } from './builtin/subscribe.ts';
import { brokerInterface } from './bus/broker-interface.ts';
import { Dispatcher } from './bus/dispatcher.ts';
import { wireFault } from './bus/errors.ts';
import { Events } from './bus/events.ts';
import { ROOT_PATH } from './bus/names.ts';
import { operatorInterface } from './bus/operator-interface.ts';
import { registryInterface } from './bus/registry-interface.ts';
import { Requests, seesPath } from './bus/requests.ts';
import { type Session, Sessions } from './bus/sessions.ts';
import { WorkBudget } from './bus/work-budget.ts';
import type { BrokerConfig } from './config.ts';
import { keepHouse } from './housekeeping.ts';
import { bindApp } from './identity/app-binding.ts';
import { Peers, type ProcessId } from './identity/peer.ts';
import { assuranceOf, recogniser } from './identity/recognise.ts';
import { Roles } from './identity/roles.ts';
import { Allowances } from './intent/allowance.ts';
import { Undos } from './intent/undo.ts';
import { keyedHash } from './keyed-hash.ts';
import { Listing } from './listing.ts';
import type { Log } from './log.ts';
import { manifestReader } from './manifest-reader.ts';
import { tellOfChange } from './notices.ts';
import { Outcomes } from './outcomes.ts';
import { providerCaller } from './provider/invoke.ts';
import { type Builtin, Providers } from './provider/providers.ts';
import { Registration } from './registration.ts';
import { resolvePath } from './resolve-path.ts';
import type { Store } from './store/database.ts';
import { Definitions } from './store/definitions.ts';
import type { World } from './world.ts';

const APP_EVIDENCE = {
  applicationFolders: ['/usr/share/applications', '/usr/local/share/applications'],
  serviceFolders: ['/usr/share/dbus-1/services', '/usr/local/share/dbus-1/services'],
  programFolders: ['/usr/local/bin', '/usr/bin', '/bin'],
  owner: 0,
};
/** As the contract says of Request. */
const LINGER_MS = 60_000;
/** The steps bound the patterns of one validation to a fraction of a second. */
const SCHEMAS = { maxCompiled: 1000, maxPatternSize: 10_000, maxPatternSteps: 3_000_000 };
const ROLES = { mostClaims: 100_000 };
const MINUTE_MS = 60_000;

export interface Running {
  /** Records the end and lets go of everything but the connection. */
  stop(): Promise<void>;
}

interface Parts {
  readonly bus: Connection;
  readonly config: BrokerConfig;
  readonly store: Store;
  readonly version: string;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Puts the service together and serves it on a connection that owns its name. All wiring is in this file. */
export async function start(parts: Parts): Promise<Running> {
  const { config, log, now } = parts;
  const records = await openRecords(parts);
  const fault = (error: unknown) => log.fault(error);
  const { refusalsPerMinute: mostEqual } = config.quotas;
  const recorder = new Aggregate({ records, mostEqual, intervalMs: MINUTE_MS, now, fault });
  const { keyring, registration } = await serve(parts, recorder);
  // The first use of the signature code is slow: it happens now, before an app waits for it, and proves that it works.
  selfTest();
  const watching = await keyring.watch(() => registration.recheckKeys());
  const stopHousekeeping = keepHouse(records, config.retentionDays, now, log);
  return {
    async stop() {
      stopHousekeeping();
      await watching.close();
      await recorder.flush();
      await records.append({ type: 'stopped', time: now() }, 'full').catch(fault);
      log.checkpoint(records.checkpoint());
      records.close();
    },
  };
}

/** The record, in which whatever a crash left open is now ended. */
async function openRecords({ store, config, now }: Parts): Promise<Records> {
  const records = new Records({ store, now });
  const recovered = records.recover();
  await records.append({ type: 'started', time: now(), profile: config.profile, count: recovered }, 'full');
  return records;
}

/** What makes the service; each part knows only those before it, and the few that look ahead do so by a function. */
async function serve(
  parts: Parts,
  records: Recorder,
): Promise<{ keyring: Keyring; registration: Registration }> {
  const { bus, config, store, log, now } = parts;
  const fault = (error: unknown) => log.fault(error);
  const sessions = await openSessions(
    parts,
    records,
    () => registry.epoch,
    ({ connection }) => {
      registration.drop(connection);
      confirmers.remove(connection);
      requests.forget(connection);
    },
  );
  const keyring = openKeyring(config);
  const registry = new Registry();
  const schemas = new SchemaCache(SCHEMAS);
  const builtins = new Map<string, Builtin>();
  const providers = new Providers({
    builtins,
    call: providerCaller({ bus, now, maxDepth: config.params.maxDepth }),
    strikes: config.quotas.strikes,
    quarantine: (provider) => registration.quarantine(provider),
  });
  const confirmers = openConfirmers(parts, records);
  const tree = new ObjectTree(bus, {
    introspect: () => undefined,
    fault: (error) => wireFault(error, fault),
    visible: seesPath,
  });
  const requests = openRequests(parts, tree);
  const listing = new Listing(registry, config.profile, () => registration.recheckKeys());
  const registration: Registration = new Registration({
    registry,
    providers,
    definitions: new Definitions(store),
    records,
    ...manifestReader(keyring, config),
    bind: ({ peer }, appId) => bindApp(peer, appId, { ...APP_EVIDENCE, launchers: launchersOf(config) }),
    isTrusted: (appId, fingerprint) => keyring.isTrusted(appId, fingerprint),
    now,
    mostProviders: config.quotas.providers,
    changed: (change) => tellOfChange(change, bus, sessions, listing),
    fault,
  });
  const world: World = {
    config,
    now,
    mac: keyedHash(),
    resolvePath,
    registry,
    keyring,
    schemas,
    records,
    allowances: new Allowances(config.turns),
    confirmers,
    providers,
    standing: (entry, targets) => providers.standing(entry, targets),
    undos: new Undos(config.quotas.undos),
    fault,
    keyWithdrawn: (appId) => registration.keyWithdrawn(appId),
  };
  compileIn(
    parts,
    registry,
    builtins,
    subscribe({ sessions, registration, most: config.quotas.subscriptions }),
  );
  tree.add(
    ROOT_PATH,
    interfaces(parts, { world, registry, schemas, sessions, requests, listing, registration, confirmers }),
  );
  return { keyring, registration };
}

interface Served {
  readonly world: World;
  readonly registry: Registry;
  readonly schemas: SchemaCache;
  readonly sessions: Sessions;
  readonly requests: Requests;
  readonly listing: Listing;
  readonly registration: Registration;
  readonly confirmers: Confirmers;
}

/** What others can call. */
function interfaces({ bus, config, store, version, now }: Parts, served: Served): readonly InterfaceSpec[] {
  const { world, registry, schemas, sessions, registration, confirmers, requests } = served;
  const outcomes = new Outcomes(config.quotas.outcomeBytes);
  const dispatcher = new Dispatcher({ world, requests, outcomes, newId: randomUUID });
  const events = new Events({ bus, sessions, schemas, quotas: config.quotas, now });
  const audit = new AuditDesk({ database: store.databasePath, key: store.keyPath });
  const budget = new WorkBudget({ quotas: config.quotas, now });
  const assurance = assuranceOf(config.principals);
  return [
    brokerInterface({
      ...served,
      dispatcher,
      outcomes,
      budget,
      newId: randomUUID,
      version,
      epoch: () => registry.epoch,
      assurance: () => assurance,
    }),
    registryInterface({ sessions, registration, events, requests, budget }),
    operatorInterface({ world, sessions, confirmers, dispatcher, registration, audit }),
  ];
}

/** The broker's own capabilities; nothing can be added once they are complete. */
function compileIn(
  { config, version, now }: Parts,
  registry: Registry,
  builtins: Map<string, Builtin>,
  following: Builtin,
): void {
  const facts = { version, startedAt: now(), now, capabilities: () => registry.list().length };
  registry.addBuiltin(parseBuiltin(HEALTH_DEFINITION, config.manifests));
  builtins.set(HEALTH_DEFINITION.id, health(facts));
  registry.addBuiltin(parseBuiltin(SUBSCRIBE_DEFINITION, config.manifests));
  builtins.set(SUBSCRIBE_DEFINITION.id, following);
  registry.freezeBuiltins();
}

async function openSessions(
  { bus, config, log, now }: Parts,
  records: Recorder,
  epoch: () => number,
  gone: (session: Session) => void,
): Promise<Sessions> {
  const peers = await Peers.start(bus);
  const roles = new Roles((process) => peers.alive(process), ROLES);
  return new Sessions({
    peers,
    recognise: recogniser(config.principals),
    roles,
    epoch,
    refused: async ({ principal }, duty) => {
      await records
        .append({ type: 'role-refused', time: now(), stage: duty, ...who(principal) }, 'normal')
        .catch((error: unknown) => log.fault(error));
    },
    gone: (session) => {
      roles.forget(session.connection);
      gone(session);
    },
  });
}

function openKeyring({ trustedDirectories, revokedFile, owners }: BrokerConfig): Keyring {
  return new Keyring({ directories: trustedDirectories, revokedFile, owners });
}

function openConfirmers({ bus, config, log, now }: Parts, records: Recorder): Confirmers {
  return new Confirmers({
    bus,
    now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    limits: config.confirm,
    quotas: config.quotas,
    locale: (process.env.LANG ?? 'en').split('.')[0] ?? 'en',
    lost: ({ decider }) => {
      records
        .append({ type: 'confirmer', time: now(), code: 'Lost', principal: decider }, 'normal')
        .catch((error: unknown) => log.fault(error));
    },
  });
}

function openRequests({ bus, config }: Parts, tree: ObjectTree): Requests {
  return new Requests({
    bus,
    tree,
    newToken: () => randomUUID().replaceAll('-', ''),
    lingerMs: LINGER_MS,
    mostPerConnection: config.quotas.requestsPerConnection,
    mostUnmatched: config.quotas.requestsOfUnmatched,
  });
}

function launchersOf({ development }: BrokerConfig): readonly ProcessId[] {
  return development === undefined ? [] : [development.launcher];
}
