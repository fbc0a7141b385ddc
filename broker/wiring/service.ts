// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { ObjectTree } from '../../dbus/serve.ts';
import { Keyring } from '../../keys/keyring.ts';
import { parseBuiltin } from '../../manifests/builtin.ts';
import { Registry } from '../../manifests/registry.ts';
import { SchemaCache } from '../../manifests/schema-cache.ts';
import { Acting } from '../acting.ts';
import { Actions } from '../actions.ts';
import type { Recorder } from '../audit/records.ts';
import { HEALTH_DEFINITION, health } from '../builtin/health.ts';
import { SUBSCRIBE_DEFINITION, subscribe } from '../builtin/subscribe.ts';
import { wireFault } from '../bus/errors.ts';
import { ROOT_PATH } from '../bus/names.ts';
import { Requests, seesPath } from '../bus/requests.ts';
import type { BrokerConfig } from '../config.ts';
import { bindApp } from '../identity/app-binding.ts';
import type { ProcessId } from '../identity/peer.ts';
import { Allowances } from '../intent/allowance.ts';
import { Undos } from '../intent/undo.ts';
import { keyedHash } from '../keyed-hash.ts';
import { Listing } from '../listing.ts';
import { manifestReader } from '../manifest-reader.ts';
import { tellOfChange, tellOperators } from '../notices.ts';
import { providerCaller } from '../provider/invoke.ts';
import { type Builtin, Providers } from '../provider/providers.ts';
import { Registration } from '../registration.ts';
import { resolvePath } from '../resolve-path.ts';
import { Definitions } from '../store/definitions.ts';
import { PolicyView } from '../views/policy-view.ts';
import { SelfModels } from '../views/self-models.ts';
import type { World } from '../world.ts';
import { type Approvals, openApprovals } from './approvals.ts';
import { openCallers } from './callers.ts';
import { type Floor, interfacesOf } from './interfaces.ts';
import type { Parts } from './parts.ts';
import { openPolicy, type PolicyParts } from './policy.ts';
import { resumeWaiting } from './resume.ts';

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

/** What the service offers to whoever keeps it going. */
export interface Service {
  readonly keyring: Keyring;
  readonly registration: Registration;
  readonly policy: PolicyParts;
  readonly approvals: Approvals;
  /** Lets go of what is over, and tells whoever it concerns. */
  readonly sweep: () => void;
}

/** Makes the service; each part knows only those before it, and the few that look ahead do so by a function. */
export async function serve(parts: Parts, records: Recorder): Promise<Service> {
  const { bus, config, store, log, now } = parts;
  const fault = (error: unknown) => log.fault(error);
  const callers = await openCallers(
    parts,
    records,
    () => registry.epoch,
    (session) => {
      const { connection } = session;
      registration.drop(connection);
      approvals.confirmers.remove(connection);
      approvals.desk.connectionGone(connection);
      policy.ledger.endSession(connection);
      selfModels.forget(session);
      requests.forget(connection);
    },
  );
  const { sessions } = callers;
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
  const policy = openPolicy(parts, records, () => view.known());
  const approvals = openApprovals(parts, records, policy.decisions);
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
    changed: (change) => {
      tellOfChange(change, bus, sessions, listing);
      lookAgain();
    },
    fault,
  });
  const acting = new Acting((principal, active) =>
    tellOperators('Acting', [principal, active], bus, sessions),
  );
  const world: World = {
    config,
    now,
    newId: randomUUID,
    mac: keyedHash(store.deriveKey('commitment')),
    resolvePath,
    registry,
    keyring,
    schemas,
    records,
    allowances: new Allowances(config.turns),
    desk: approvals.desk,
    grants: policy.ledger,
    policyLimits: config.policyLimits,
    providers: {
      run: (action, ready, attempt) =>
        acting.around(attempt.caller.principal.id, () => providers.run(action, ready, attempt)),
      brokeBound: (entry) => providers.brokeBound(entry),
      binding: (entry) => providers.binding(entry),
    },
    standing: (entry, targets) => providers.standing(entry, targets),
    circumstances: policy.circumstances,
    deniedForSession: (connection, capability, targets) =>
      approvals.desk.isDenied(connection, capability, targets),
    undos: new Undos(config.quotas.undos),
    fault,
    keyWithdrawn: (appId) => registration.keyWithdrawn(appId),
  };
  const view = new PolicyView({ judge: world, registry, sessions });
  const actions = new Actions();
  const selfModels = new SelfModels({
    bus,
    view,
    ledger: policy.ledger,
    requests: policy.requests,
    actions,
  });
  /** What waits and what is said of oneself are true of this moment. */
  const lookAgain = (): void => {
    approvals.desk.recheck();
    selfModels.refresh();
  };
  compileIn(
    parts,
    registry,
    builtins,
    subscribe({ sessions, registration, most: config.quotas.subscriptions }),
  );
  const floor: Floor = {
    ...callers,
    world,
    registry,
    schemas,
    requests,
    listing,
    registration,
    policy,
    approvals,
    view,
    actions,
    selfModels,
  };
  followPolicy(floor, parts, lookAgain);
  const { interfaces, dispatcher } = interfacesOf(floor, parts, lookAgain);
  tree.add(ROOT_PATH, interfaces);
  await resumeWaiting({ approvals, records, sessions, dispatcher, now, fault });
  return {
    keyring,
    registration,
    policy,
    approvals,
    sweep: () => {
      policy.sweep();
      approvals.desk.sweep();
      selfModels.refresh(); // an hour may have begun in which other rules hold
    },
  };
}

/** Tells of each change in what decides, and looks at what depends on it. */
function followPolicy(
  { policy, approvals, sessions, selfModels }: Floor,
  { bus }: Parts,
  lookAgain: () => void,
) {
  policy.book.onChange(() => {
    tellOperators('RulesChanged', [], bus, sessions);
    lookAgain();
  });
  for (const part of [policy.ledger, policy.requests]) {
    part.onChange(() => {
      tellOperators('GrantsChanged', [], bus, sessions);
      selfModels.refresh();
    });
  }
  policy.suspensions.onChange(lookAgain);
  approvals.desk.onChange((ids) => tellOperators('PendingChanged', [ids], bus, sessions));
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

function openKeyring({ trustedDirectories, revokedFile, owners }: BrokerConfig): Keyring {
  return new Keyring({ directories: trustedDirectories, revokedFile, owners });
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
