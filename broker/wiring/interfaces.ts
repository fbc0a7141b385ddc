// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { InterfaceSpec } from '../../dbus/serve.ts';
import type { Registry } from '../../manifests/registry.ts';
import type { SchemaCache } from '../../manifests/schema-cache.ts';
import type { Actions } from '../actions.ts';
import { AuditDesk } from '../audit-desk.ts';
import { brokerInterface } from '../bus/broker-interface.ts';
import { Dispatcher } from '../bus/dispatcher.ts';
import { Events } from '../bus/events.ts';
import { operatorInterface } from '../bus/operator-interface.ts';
import { registryInterface } from '../bus/registry-interface.ts';
import type { Requests } from '../bus/requests.ts';
import type { Session } from '../bus/sessions.ts';
import { WorkBudget } from '../bus/work-budget.ts';
import { assuranceOf } from '../identity/recognise.ts';
import type { Attempt } from '../intent/attempt.ts';
import type { Outcome } from '../intent/outcome.ts';
import type { Listing } from '../listing.ts';
import { tellOperators } from '../notices.ts';
import { Outcomes } from '../outcomes.ts';
import type { Registration } from '../registration.ts';
import { EVERYBODY } from '../suspensions.ts';
import type { PolicyView } from '../views/policy-view.ts';
import type { SelfModels } from '../views/self-models.ts';
import type { World } from '../world.ts';
import type { Approvals } from './approvals.ts';
import type { Callers } from './callers.ts';
import type { Parts } from './parts.ts';
import type { PolicyParts } from './policy.ts';

/** Everything that the interfaces stand on. */
export interface Floor extends Callers {
  readonly world: World;
  readonly registry: Registry;
  readonly schemas: SchemaCache;
  readonly requests: Requests;
  readonly listing: Listing;
  readonly registration: Registration;
  readonly policy: PolicyParts;
  readonly approvals: Approvals;
  readonly view: PolicyView;
  readonly actions: Actions;
  readonly selfModels: SelfModels;
}

/** What others can call, and what carries their intents to the one path. */
export function interfacesOf(
  floor: Floor,
  { bus, config, store, version, now }: Parts,
  lookAgain: () => void,
): { readonly interfaces: readonly InterfaceSpec[]; readonly dispatcher: Dispatcher } {
  const { world, registry, schemas, sessions, registration, requests, policy, approvals, view } = floor;
  const outcomes = new Outcomes(config.quotas.outcomeBytes);
  const dispatcher = new Dispatcher({
    world,
    requests,
    outcomes,
    actions: floor.actions,
    ended: (attempt, outcome) => tellOfActing(attempt, outcome, { bus, sessions }),
    newId: randomUUID,
  });
  const { sessionLocked, lockSession, suspensions, book, ledger } = policy;
  const stopped = ({ principal }: Session) => suspensions.isSuspended(principal, now());
  const events = new Events({ bus, sessions, schemas, quotas: config.quotas, now, sessionLocked, stopped });
  const budget = new WorkBudget({ quotas: config.quotas, now });
  const assurance = assuranceOf(config.principals);
  const explainer = { ...world, grants: ledger };
  return {
    dispatcher,
    interfaces: [
      brokerInterface({
        ...floor,
        dispatcher,
        outcomes,
        budget,
        explainer,
        capabilityRequests: policy.requests,
        version,
        epoch: () => registry.epoch,
        assurance: () => assurance,
      }),
      registryInterface({ sessions, registration, events, requests, budget }),
      operatorInterface({
        world,
        sessions,
        confirmers: approvals.confirmers,
        dispatcher,
        registration,
        audit: new AuditDesk({ database: store.databasePath, key: store.keyPath }),
        desk: approvals.desk,
        ledger,
        requests: policy.requests,
        book,
        view,
        explainer,
        suspensions,
        lockSession: (locked) => {
          try {
            lockSession(locked);
          } finally {
            lookAgain();
          }
        },
        stop: (principal) => stopAll(principal, floor),
        person: (session) => floor.person.behind(session),
      }),
    ],
  };
}

/** Somebody's doing may have changed something: whoever watches is told, and until when it can be taken back. */
function tellOfActing(
  { invocation, entry, classification }: Attempt,
  { status, undo }: Outcome,
  { bus, sessions }: Pick<Parts, 'bus'> & Pick<Floor, 'sessions'>,
): void {
  const mayHaveWritten = status === 'executed' || status === 'unknown';
  if (!mayHaveWritten || classification?.access !== 'write') return;
  const summary = [entry?.capability.id, entry?.appId].filter((id) => id !== undefined).join(' ');
  tellOperators('Acted', [invocation, summary, BigInt(undo?.until ?? 0)], bus, sessions);
}

/** Withdraws what a principal waits for and cancels what runs for it. */
function stopAll(principal: string, { sessions }: Pick<Floor, 'sessions'>): void {
  for (const { principal: who, requests, isAsking } of sessions.all()) {
    if (!isAsking) continue;
    if (principal !== EVERYBODY && principal !== who.id && principal !== who.name) continue;
    for (const request of [...requests.values()]) request.withdraw();
  }
}
