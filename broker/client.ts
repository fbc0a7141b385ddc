// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from '../dbus/error.ts';
import type { Fault } from '../dbus/serve.ts';
import { asDictionary } from '../dbus/values.ts';
import { BROKER, ROOT_PATH } from './bus/names.ts';
import type { CapabilityRequest } from './client/capability-request.ts';
import { type EventListener, Events } from './client/events.ts';
import { type Explanation, type Listing, parseExplanation, parseListing } from './client/listing.ts';
import { OperatorClient } from './client/operator.ts';
import {
  dictionary,
  type IntentOptions,
  intentOptions,
  type ListFilter,
  listFilter,
} from './client/options.ts';
import { type Outcome, parseOutcome } from './client/outcome.ts';
import { type RequestOptions, Requests } from './client/requests.ts';
import { parseSelfModel, type SelfModel } from './client/self-model.ts';
import { onSignal, type Stop, textsIn } from './client/signals.ts';
import { brokerError } from './peer/error.ts';
import { BrokerLink, type LinkOptions, textOf } from './peer/link.ts';

// The entry of the package for agents and front ends.
export type {
  Acted,
  ApproveOptions,
  DenyOptions,
  EarlierDecision,
  PendingRow,
} from './client/approvals.ts';
export type { CapabilityRequest, CapabilityRequestRow } from './client/capability-request.ts';
export type { ConfirmItem, ConfirmQuestion, Decide, Decision } from './client/confirmer.ts';
export type { AppEvent, EventListener } from './client/events.ts';
export type { Finding } from './client/finding.ts';
export type { GrantBounds, GrantRow, Made, NewGrant } from './client/grants.ts';
export type { Explanation, ListedApp, ListedCapability, Listing, TierReason } from './client/listing.ts';
export type { AuditFilter, ConfirmerOptions, OperatorClient } from './client/operator.ts';
export type { IntentOptions, ListFilter } from './client/options.ts';
export type { Outcome } from './client/outcome.ts';
export type {
  MatrixFilter,
  MatrixRow,
  NewRule,
  PolicyExplanation,
  PolicyInForce,
  RuleFile,
  RuleRow,
  SimulateRange,
  Simulation,
} from './client/policy.ts';
export type { ProgressListener, RequestOptions } from './client/requests.ts';
export type { SelfModel } from './client/self-model.ts';
export { EVERYBODY, type Suspension } from './client/stop.ts';
export { BrokerError, type BrokerErrorCode } from './peer/error.ts';
export type { LinkOptions } from './peer/link.ts';

/**
 * Connects as one that dispatches intents. Rejects with a BrokerError where there is no bus; the broker itself is
 * looked for at each call.
 */
export async function connectBroker(options: LinkOptions = {}): Promise<BrokerClient> {
  return await linked(options, async (link, report) => {
    return new BrokerClient(link, await Requests.open(link), await Events.open(link, report));
  });
}

/**
 * Connects as one of the person's own tools. Never the same connection as one that dispatches: the broker keeps the
 * roles apart.
 */
export async function connectOperator(options: LinkOptions = {}): Promise<OperatorClient> {
  return await linked(
    options,
    async (link, report) => new OperatorClient(link, await Requests.open(link), report),
  );
}

async function linked<T>(
  options: LinkOptions,
  build: (link: BrokerLink, report: (error: unknown) => void) => Promise<T>,
): Promise<T> {
  const link = await BrokerLink.open(options, fault);
  try {
    return await build(link, options.onFault ?? warn);
  } catch (error) {
    await link.close();
    throw brokerError(error);
  }
}

/** What the broker says of itself; see dbus-policy/org.portal.Broker1.xml. */
export interface BrokerProperties {
  readonly version: string;
  readonly epoch: number;
  readonly profile: string;
  readonly assurance: string;
}

/** A connection of an intelligence. Every call rejects with a BrokerError where the call itself is refused. */
export class BrokerClient {
  readonly #link: BrokerLink;
  readonly #requests: Requests;
  readonly #events: Events;

  constructor(link: BrokerLink, requests: Requests, events: Events) {
    this.#link = link;
    this.#requests = requests;
    this.#events = events;
  }

  /**
   * Asks for a capability to be invoked once, and resolves with how that ended, however long a person takes. A refusal
   * is an outcome. `unknown` means that it may have happened: look before any retry.
   */
  async dispatch(
    capability: string,
    params: Readonly<Record<string, unknown>>,
    options: IntentOptions & RequestOptions = {},
  ): Promise<Outcome> {
    const json = JSON.stringify(params);
    return await this.#requests.run(
      (token) =>
        this.#link.call(BROKER, 'Dispatch', 'ssa{sv}', [capability, json, intentOptions(options, token)]),
      options,
    );
  }

  /** Takes an invocation back, once, before its outcome's `undo.until`. */
  async undo(
    invocation: string,
    options: RequestOptions & { readonly reason?: string } = {},
  ): Promise<Outcome> {
    const given = (token: string) =>
      dictionary({ handle_token: ['s', token], reason: ['s', options.reason] });
    return await this.#requests.run(
      (token) => this.#link.call(BROKER, 'Undo', 'sa{sv}', [invocation, given(token)]),
      options,
    );
  }

  /** How an earlier invocation of the same principal ended; undefined while it has not. */
  async outcome(invocation: string): Promise<Outcome | undefined> {
    const [status, outcome] = await this.#link.call(BROKER, 'Outcome', 's', [invocation]);
    return status === 'pending' ? undefined : parseOutcome(textOf(outcome));
  }

  /** What `dispatch` would do now, without doing, asking or spending anything. */
  async explain(
    capability: string,
    params: Readonly<Record<string, unknown>>,
    options: IntentOptions = {},
  ): Promise<Explanation> {
    const body = [capability, JSON.stringify(params), intentOptions(options)];
    const [explanation] = await this.#link.call(BROKER, 'Explain', 'ssa{sv}', body);
    return parseExplanation(textOf(explanation));
  }

  /** What this caller may see. What is added to the registry later it can dispatch to only after listing again. */
  async list(filter: ListFilter = {}): Promise<Listing> {
    const [epoch, capabilities] = await this.#link.call(BROKER, 'List', 'a{sv}', [listFilter(filter)]);
    return parseListing(epoch, textOf(capabilities));
  }

  async properties(): Promise<BrokerProperties> {
    const [all] = await this.#link.call(
      'org.freedesktop.DBus.Properties',
      'GetAll',
      's',
      [BROKER],
      ROOT_PATH,
    );
    const values = asDictionary(all);
    return {
      version: textOf(values.get('Version')),
      epoch: Number(values.get('Epoch')),
      profile: textOf(values.get('Profile')),
      assurance: textOf(values.get('Assurance')),
    };
  }

  /** Receives an app's events, also after the broker was restarted. Resolves with how to stop. */
  async subscribe(appId: string, listener: EventListener): Promise<() => Promise<void>> {
    return await this.#events.subscribe(appId, listener);
  }

  /** Calls `listener` when capabilities appear or go; needs one `list()` before. Resolves with how to stop. */
  async onChanged(
    listener: (change: { epoch: number; added: readonly string[]; removed: readonly string[] }) => void,
  ): Promise<Stop> {
    const signal = { interface: BROKER, member: 'Changed', signature: 'tasas' };
    return await onSignal(this.#link, signal, ([epoch, added, removed]) =>
      listener({ epoch: Number(epoch), added: textsIn(added), removed: textsIn(removed) }),
    );
  }

  /** What this caller may do now, and what became of what it asked for: to speak from, in place of memory. */
  async selfModel(): Promise<SelfModel> {
    const [epoch, model] = await this.#link.call(BROKER, 'SelfModel');
    return parseSelfModel(epoch, textOf(model));
  }

  /** Calls `listener` when this caller's model has changed; needs one `selfModel()` before. */
  async onSelfModelChanged(listener: (epoch: number) => void): Promise<Stop> {
    const signal = { interface: BROKER, member: 'SelfModelChanged', signature: 't' };
    return await onSignal(this.#link, signal, ([epoch]) => listener(Number(epoch)));
  }

  /**
   * Asks the person for a grant, to be decided whenever they like; nothing waits for it, and `selfModel()` says what became
   * of it. Resolves with its id, for the same again the same one. Rejects with `RequestInvalid` and the place, and with
   * `LimitsExceeded` where too many are open.
   */
  async requestCapability(request: CapabilityRequest): Promise<string> {
    const [id] = await this.#link.call(BROKER, 'RequestCapability', 's', [JSON.stringify(request)]);
    return textOf(id);
  }

  /** What was asked for is no longer wanted. */
  async withdrawRequest(id: string): Promise<void> {
    await this.#link.call(BROKER, 'WithdrawRequest', 's', [id]);
  }

  /** Resolves once: with undefined after `close()`, with the reason where the bus went away. */
  get closed(): Promise<Error | undefined> {
    return this.#link.connection.closed;
  }

  async close(): Promise<void> {
    await this.#link.close();
  }
}

/** What a caller of the confirmer learns where that throws. An error in place of an answer allows nothing. */
function fault(error: unknown): Fault {
  if (error instanceof DBusError && error.code === 'invalid')
    return { name: error.name, text: error.message };
  return { name: ERROR_NAME.failed, text: 'there is no answer' };
}

function warn(error: unknown): void {
  process.emitWarning(`a listener failed with ${error instanceof Error ? error.name : typeof error}`);
}
