// SPDX-License-Identifier: Apache-2.0
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { type Confirmer, Confirmers } from '../../../broker/approval/confirmers.ts';
import { Decisions } from '../../../broker/approval/decisions.ts';
import { ApprovalDesk } from '../../../broker/approval/desk.ts';
import { PendingFile } from '../../../broker/approval/pending-file.ts';
import { PendingStore } from '../../../broker/approval/pending-store.ts';
import { type AuditEvent, type AuditType, ENDINGS } from '../../../broker/audit/event.ts';
import { Records } from '../../../broker/audit/records.ts';
import { DEFAULTS } from '../../../broker/config.ts';
import { Ledger } from '../../../broker/grant/ledger.ts';
import type { Principal } from '../../../broker/identity/principal.ts';
import { Allowances } from '../../../broker/intent/allowance.ts';
import { Attempt } from '../../../broker/intent/attempt.ts';
import { type Action, handle } from '../../../broker/intent/handle.ts';
import type { Outcome } from '../../../broker/intent/outcome.ts';
import { Undos } from '../../../broker/intent/undo.ts';
import { providerCaller } from '../../../broker/provider/invoke.ts';
import { type Builtin, type Provider, Providers } from '../../../broker/provider/providers.ts';
import { resolvePath } from '../../../broker/resolve-path.ts';
import { openStore, type Store } from '../../../broker/store/database.ts';
import type { World } from '../../../broker/world.ts';
import { Registry } from '../../../manifests/registry.ts';
import { SchemaCache } from '../../../manifests/schema-cache.ts';
import type { Intent } from '../../../policy/intent.ts';
import type { PolicyLimits } from '../../../policy/limits.ts';
import { EMPTY_RULES, type RuleSet } from '../../../policy/rule-set.ts';
import { APP, BUILTINS, type Json, manifest } from './fixture-app.ts';
import { Clock, ScriptedBus } from './scripted-bus.ts';

export const POLICY_LIMITS: PolicyLimits = {
  maxRules: 100,
  maxGlobLength: 1000,
  maxExpansion: 1000,
  maxReason: 500,
  maxId: 255,
  maxText: 4096,
  maxTexts: 16,
  maxParamBounds: 16,
};
const LIMITS = { deadlineMs: 120_000, armingMs: 500, reofferMs: 10_000, gatherMs: 50, laterMs: 86_400_000 };

/** A World made by hand: everything in it is real but the clock, the app and the person. */
export class Desk {
  readonly clock = new Clock();
  readonly bus = new ScriptedBus(this.clock);
  readonly registry = new Registry();
  readonly undos = new Undos(100);
  readonly faults: unknown[] = [];
  readonly quarantined: Provider[] = [];
  readonly withdrawn: string[] = [];
  readonly builtins = new Map<string, Builtin>();
  readonly providers: Providers;
  readonly confirmers: Confirmers;
  readonly approvals: ApprovalDesk;
  readonly pendingFile: PendingFile;
  readonly pendingStore: PendingStore;
  readonly ledger: Ledger;
  readonly world: { -readonly [K in keyof World]: World[K] };
  readonly #records: Records;
  /** The policy at the moment. */
  rules: RuleSet = EMPTY_RULES;
  /** Whether the person has locked their session. */
  sessionLocked = false;
  /** Whether everybody is stopped at the moment. */
  suspended = false;
  /** Whether the app's key is trusted at the moment. */
  trusted = true;

  constructor(records: Records, store: Store, pendingPath: string) {
    const { now } = this.clock;
    this.#records = records;
    const sleep = (ms: number, signal: AbortSignal) => this.clock.sleep(ms, signal);
    this.providers = new Providers({
      builtins: this.builtins,
      call: providerCaller({ bus: this.bus, now, maxDepth: 32 }),
      strikes: 3,
      quarantine: (provider) => this.quarantined.push(provider),
    });
    this.confirmers = new Confirmers({
      bus: this.bus,
      now,
      sleep,
      limits: LIMITS,
      locale: 'en_GB',
      lost: () => undefined,
    });
    this.pendingFile = new PendingFile(pendingPath);
    this.pendingStore = new PendingStore(store, this.pendingFile);
    const fault = (error: unknown): string => {
      this.faults.push(error);
      return 'f00d';
    };
    this.approvals = new ApprovalDesk({
      confirmers: this.confirmers,
      store: this.pendingStore,
      decisions: new Decisions(store),
      now,
      sleep,
      after: () => () => undefined,
      limits: LIMITS,
      quotas: { questionsPerPrincipal: 5, questions: 12 },
      locale: 'en_GB',
      fault,
    });
    this.ledger = new Ledger({
      store,
      records,
      now,
      newId: randomUUID,
      limits: { perPrincipal: 100, sessions: 100 },
      policyLimits: POLICY_LIMITS,
      fault,
    });
    this.world = {
      config: { ...DEFAULTS, storeDirectory: '/nowhere', locked: [], enabledExternal: [] },
      now,
      mac: (bytes) => createHmac('sha256', 'test').update(bytes).digest('hex'),
      resolvePath,
      registry: this.registry,
      keyring: { isTrusted: () => this.trusted },
      schemas: new SchemaCache({ maxCompiled: 1000, maxPatternSize: 10_000, maxPatternSteps: 50_000_000 }),
      records,
      allowances: new Allowances({ turnMs: 60_000, namedTurnMs: 3_600_000, maxCounters: 1000 }),
      desk: this.approvals,
      grants: this.ledger,
      policyLimits: POLICY_LIMITS,
      newId: randomUUID,
      providers: this.providers,
      circumstances: () => ({
        rules: this.rules,
        profile: this.world.config.profile,
        localHour: 12,
        sessionLocked: this.sessionLocked,
        allowedWhileLocked: [],
        isSuspended: () => this.suspended,
      }),
      deniedForSession: (connection, capability, targets) =>
        this.approvals.isDenied(connection, capability, targets),
      standing: (entry, targets) => this.providers.standing(entry, targets),
      undos: this.undos,
      fault,
      keyWithdrawn: (appId) => {
        this.withdrawn.push(appId);
        this.registry.withdraw({ appId });
      },
    };
    for (const capability of BUILTINS) this.registry.addBuiltin(capability);
    this.registry.freezeBuiltins();
    this.builtins.set('test.echo', () => ({ text: 'here' }));
    this.builtins.set('test.outside', () => ({ text: 'outside' }));
    this.builtins.set('test.about', () => ({}));
    this.offer();
    this.confirm();
  }

  /** Has the fixture app register, in place of what it had. */
  offer({ capabilities, ...more }: Partial<Provider> & { capabilities?: readonly Json[] } = {}): void {
    const provider = {
      appId: APP,
      connection: ':1.50',
      path: '/portal',
      binding: 'sandbox',
      unsigned: false,
      ...more,
    };
    const { connection, binding, unsigned } = provider;
    const keyFingerprint = unsigned ? undefined : 'fingerprint';
    for (const old of [':1.50', ':1.51']) this.providers.remove(old);
    this.registry.register({
      manifest: manifest(capabilities),
      keyFingerprint,
      provider: connection,
      binding,
    });
    this.providers.add(provider);
  }

  /** The app leaves the bus. */
  leave(): void {
    this.providers.remove(':1.50');
    this.registry.withdraw({ provider: ':1.50' });
  }

  /** Has a confirmation surface appear. */
  confirm(more: Partial<Confirmer> = {}): boolean {
    return this.confirmers.register({
      connection: ':1.90',
      path: '/confirm',
      fallback: false,
      canModify: true,
      locale: undefined,
      decider: 'desk',
      ...more,
    });
  }

  configure(config: Partial<World['config']>): void {
    this.world.config = { ...this.world.config, ...config };
  }

  /** Sends an intent down the path. */
  dispatch(
    capability: string,
    params: unknown,
    more: Partial<Intent> = {},
    as: Partial<Run> = {},
  ): Promise<Ran> {
    const text = typeof params === 'string' ? params : JSON.stringify(params);
    return this.run({ kind: 'invoke', intent: { ...INTENT, capability, params: text, ...more } }, as);
  }

  undo(invocation: string, as: Partial<Run> & { byPerson?: boolean } = {}): Promise<Ran> {
    const undo = this.undos.find(invocation, this.clock.ms);
    return this.run({ kind: 'undo', invocation, undo, byPerson: as.byPerson ?? false }, as);
  }

  async run(action: Action, { principal, connection, epoch, signal }: Partial<Run> = {}): Promise<Ran> {
    const attempt = new Attempt({
      invocation: randomUUID(),
      caller: {
        connection: connection ?? ':1.7',
        principal: { ...AGENT, ...principal },
        epoch: epoch ?? this.registry.epoch,
      },
      signal: signal ?? new AbortController().signal,
      startedAt: this.clock.ms,
      origin: action.kind === 'invoke' ? action.intent.origin : undefined,
      profile: this.world.config.profile,
      requestPath: '/org/portal/Broker1/request/1_7/t1',
    });
    const before = this.bus.ran.length;
    const outcome = await handle(action, attempt, this.world);
    const events = this.#records
      .query({ invocation: attempt.invocation })
      .flatMap(({ event }) => (event === undefined ? [] : [event]));
    return { outcome, events, calls: this.bus.ran.length - before, invocation: attempt.invocation };
  }
}

interface Run {
  readonly principal: Partial<Principal>;
  readonly connection: string;
  readonly epoch: number;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly outcome: Outcome;
  /** The record of this attempt. */
  readonly events: readonly AuditEvent[];
  /** How often an app was called. */
  readonly calls: number;
  readonly invocation: string;
}

export const AGENT: Principal = {
  id: 'agent',
  name: 'agent',
  level: 'user',
  categories: undefined,
  roles: ['intelligence'],
  binding: 'uid',
  assurance: 'enforced',
  uid: 1000,
  pid: 4242,
  startTime: '77',
};

export const INTENT: Omit<Intent, 'capability' | 'params'> = {
  version: undefined,
  context: 'live',
  category: undefined,
  target: undefined,
  session: undefined,
  turn: undefined,
  reason: undefined,
  evidence: [],
  origin: undefined,
  intention: undefined,
  requireApproval: false,
  timeoutMs: undefined,
};

/** What every attempt must leave behind: exactly one ending, of this kind, at this stage, with this code. */
export function ends({ events, outcome }: Ran, type: AuditType, stage: string, code?: string): AuditEvent {
  const endings = events.filter((event) => ENDINGS.includes(event.type));
  assert.lengthOf(endings, 1, `one ending of ${JSON.stringify(events)}`);
  const [ending] = endings;
  if (ending === undefined) throw new Error('unreachable');
  assert.deepEqual([ending.type, ending.stage, ending.code], [type, stage, code], JSON.stringify(outcome));
  assert.match(outcome.audit_id ?? '', /^\d+$/);
  return ending;
}

/** Nothing ran, and the caller and the record agree on where it stopped and why. */
export function refused(ran: Ran, stage: string, code: string): AuditEvent {
  const { outcome, calls, events } = ran;
  const status = code === 'Expired' ? 'expired' : 'denied';
  assert.deepEqual([outcome.status, outcome.stage, outcome.code], [status, stage, code]);
  assert.equal(calls, 0, 'the provider was called');
  assert.isFalse(events.some(({ type }) => type === 'requested'));
  return ends(ran, code === 'Expired' ? 'expired' : 'denied', stage, code);
}

/** It ran once and said so. */
export function done(ran: Ran): Outcome {
  assert.equal(ran.outcome.status, 'executed', JSON.stringify(ran.outcome));
  assert.equal(ran.calls, 1);
  ends(ran, 'executed', 'outcome');
  return ran.outcome;
}

/** One store and a fresh desk for each test of a file. */
export function useDesk(): {
  readonly desk: Desk;
  readonly records: Records;
  readonly store: Store;
  readonly directory: string;
} {
  let directory: string;
  let store: Store;
  let records: Records;
  let desk: Desk;
  let count = 0;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'portal-path-'));
    store = openStore({ directory: join(directory, 'store') });
    records = new Records({ store, now: Date.now });
  });
  beforeEach(() => {
    count += 1;
    desk = new Desk(records, store, join(directory, `pending-${count}.db`));
  });
  afterEach(() => desk.pendingFile.close());
  after(() => {
    records.close();
    store.close();
    rmSync(directory, { recursive: true });
  });
  return {
    get desk() {
      return desk;
    },
    get records() {
      return records;
    },
    get store() {
      return store;
    },
    get directory() {
      return directory;
    },
  };
}
