// SPDX-License-Identifier: Apache-2.0
import { createHmac, createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../dbus/connection.ts';
import { ObjectTree } from '../dbus/serve.ts';
import { Keyring } from '../keys/keyring.ts';
import { selfTest } from '../keys/verify.ts';
import { parseBuiltin } from '../manifests/builtin.ts';
import { Registry } from '../manifests/registry.ts';
import { SchemaCache } from '../manifests/schema-cache.ts';
import { Confirmers } from './approval/confirmers.ts';
import { Records } from './audit/records.ts';
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
import type { BrokerConfig } from './config.ts';
import { bindApp } from './identity/app-binding.ts';
import { Peers } from './identity/peer.ts';
import { assuranceOf, recogniser } from './identity/recognise.ts';
import { Roles } from './identity/roles.ts';
import { Allowances } from './intent/allowance.ts';
import { Undos } from './intent/undo.ts';
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
const SCHEMAS = { maxCompiled: 1000, maxPatternSize: 10_000, maxPatternSteps: 50_000_000 };

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

/** Puts the service together and serves it on a connection that owns its name. All wiring is here and nowhere else. */
export async function start({ bus, config, store, version, log, now }: Parts): Promise<Running> {
  const newId = () => randomUUID();
  const macKey = createSecretKey(randomBytes(32)); // an approval does not outlive the process, so neither does its key
  const fault = (error: unknown) => log.fault(error);
  const records = new Records({ store, now });
  const recovered = records.recover();
  await records.append({ type: 'started', time: now(), profile: config.profile, count: recovered }, 'full');

  const keyring = new Keyring({
    directories: config.trustedDirectories,
    revokedFile: config.revokedFile,
    owners: config.owners,
  });
  const registry = new Registry();
  const schemas = new SchemaCache(SCHEMAS);
  const builtins = new Map<string, Builtin>();
  const providers: Providers = new Providers({
    builtins,
    call: providerCaller({ bus, now, maxDepth: config.params.maxDepth }),
    strikes: config.quotas.strikes,
    quarantine: (provider) => registration.quarantine(provider),
  });
  const confirmers = new Confirmers({
    bus,
    now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    limits: config.confirm,
    locale: (process.env.LANG ?? 'en').split('.')[0] ?? 'en',
  });
  const peers = await Peers.start(bus);
  const roles = new Roles((process) => peers.alive(process), { mostClaims: 100_000 });
  const sessions = new Sessions({
    peers,
    recognise: recogniser(config.principals),
    roles,
    epoch: () => registry.epoch,
    refused: (session, duty) => noteRefusedRole(session, duty),
    gone: (session) => {
      roles.forget(session.connection);
      registration.drop(session.connection);
      confirmers.remove(session.connection);
      requests.forget(session.connection);
    },
  });
  const listing = new Listing(registry, config.profile);
  const { accept, claimed } = manifestReader(keyring, config);
  const registration: Registration = new Registration({
    registry,
    providers,
    definitions: new Definitions(store),
    records,
    accept,
    claimed,
    bind: ({ peer }, appId) =>
      bindApp(peer, appId, {
        ...APP_EVIDENCE,
        launchers: config.development === undefined ? [] : [config.development.launcher],
      }),
    isTrusted: (appId, fingerprint) => keyring.isTrusted(appId, fingerprint),
    now,
    mostProviders: config.quotas.providers,
    changed: (change) => tellOfChange(change, bus, sessions, listing),
    fault,
  });
  const world: World = {
    config,
    now,
    mac: (bytes) => createHmac('sha256', macKey).update(bytes).digest('hex'),
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

  const startedAt = now();
  registry.addBuiltin(parseBuiltin(HEALTH_DEFINITION, config.manifests));
  registry.addBuiltin(parseBuiltin(SUBSCRIBE_DEFINITION, config.manifests));
  builtins.set(
    HEALTH_DEFINITION.id,
    health({ version, startedAt, now, capabilities: () => registry.list().length }),
  );
  builtins.set(
    SUBSCRIBE_DEFINITION.id,
    subscribe({ sessions, providers, most: config.quotas.subscriptions }),
  );
  registry.freezeBuiltins();

  const tree = new ObjectTree(bus, {
    introspect: () => undefined,
    fault: (error) => wireFault(error, fault),
    visible: seesPath,
  });
  const requests = new Requests({
    bus,
    tree,
    newToken: () => newId().replaceAll('-', ''),
    mostPerConnection: config.quotas.requestsPerConnection,
    mostUnmatched: config.quotas.requestsOfUnmatched,
  });
  const outcomes = new Outcomes(config.quotas.outcomeBytes);
  const dispatcher = new Dispatcher({ world, requests, outcomes, newId });
  const events = new Events({ bus, sessions, schemas, quotas: config.quotas, now });
  const audit = new AuditDesk({ database: store.databasePath, key: store.keyPath });
  const assurance = assuranceOf(config.principals);
  tree.add(ROOT_PATH, [
    brokerInterface({
      world,
      sessions,
      dispatcher,
      requests,
      listing,
      outcomes,
      newId,
      version,
      epoch: () => registry.epoch,
      assurance: () => assurance,
    }),
    registryInterface({ sessions, registration, events, requests }),
    operatorInterface({ world, sessions, confirmers, dispatcher, registration, audit }),
  ]);

  // The first use of the signature code is slow: it happens now, before an app waits for it, and proves that it works.
  selfTest();
  const watching = await keyring.watch(() => registration.recheckKeys());
  const housekeeping = keepHouse(records, config.retentionDays, now, log);
  return {
    async stop() {
      clearInterval(housekeeping);
      await watching.close();
      await records.append({ type: 'stopped', time: now() }, 'full').catch(fault);
      log.checkpoint(records.checkpoint());
      records.close();
    },
  };

  async function noteRefusedRole(session: Session, duty: string): Promise<void> {
    const { id, binding, assurance: how, pid, uid } = session.principal;
    await records
      .append(
        { type: 'role-refused', time: now(), stage: duty, principal: id, binding, assurance: how, pid, uid },
        'normal',
      )
      .catch(fault);
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Once an hour: notes the end of the chain outside the store, and lets go of records past their time. */
function keepHouse(records: Records, retentionDays: number, now: () => number, log: Log): NodeJS.Timeout {
  // A long backlog goes piece by piece, so that calls are answered in between.
  const prune = () => {
    try {
      if (records.prune(now() - retentionDays * DAY_MS) > 0) setImmediate(prune);
    } catch (error) {
      log.fault(error);
    }
  };
  const round = () => {
    prune();
    log.checkpoint(records.checkpoint());
  };
  round();
  return setInterval(round, HOUR_MS).unref();
}
