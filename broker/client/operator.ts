// SPDX-License-Identifier: Apache-2.0

import { OPERATOR } from '../bus/names.ts';
import type { Outcome } from '../intent/outcome.ts';
import { type JsonObject, parseReplyObject } from '../peer/json.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { Approvals } from './approvals.ts';
import { confirmerInterface, type Decide } from './confirmer.ts';
import { Grants } from './grants.ts';
import { parseObjects } from './listing.ts';
import { dictionary } from './options.ts';
import { Policy } from './policy.ts';
import type { RequestOptions, Requests } from './requests.ts';
import { onSignal, type Stop, textsIn } from './signals.ts';
import { Stopping } from './stop.ts';

export interface AuditFilter {
  readonly type?: string | undefined;
  readonly principal?: string | undefined;
  readonly capability?: string | undefined;
  readonly invocation?: string | undefined;
  /** Milliseconds since the epoch, as is `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only records with a higher number. */
  readonly after?: number | undefined;
  /** The newest so many. */
  readonly limit?: number | undefined;
}

export interface ConfirmerOptions {
  /** Used only while there is no other. */
  readonly fallback?: boolean | undefined;
  /** It lets the person change parameters before approving. */
  readonly canModify?: boolean | undefined;
  /** The person's language, such as `de`. */
  readonly locale?: string | undefined;
}

const CONFIRMER_PATH = '/org/portal/confirmer';

/** What the person's own tools may do. Every call rejects with a BrokerError, `AccessDenied` for anybody else. */
export class OperatorClient {
  /** What waits for the person. */
  readonly approvals: Approvals;
  /** What may answer in the person's place, and what intelligences ask for. */
  readonly grants: Grants;
  readonly policy: Policy;
  /** Stopping one principal or all. */
  readonly stopping: Stopping;
  readonly #link: BrokerLink;
  readonly #requests: Requests;
  readonly #report: (error: unknown) => void;

  constructor(link: BrokerLink, requests: Requests, report: (error: unknown) => void) {
    this.#link = link;
    this.#requests = requests;
    this.#report = report;
    this.approvals = new Approvals(link);
    this.grants = new Grants(link);
    this.policy = new Policy(link);
    this.stopping = new Stopping(link);
  }

  /** Every app that has registered or tried to. */
  async apps(): Promise<readonly JsonObject[]> {
    const [apps] = await this.#link.call(OPERATOR, 'Apps');
    return parseObjects(textOf(apps));
  }

  /** Calls `listener` with the ids of apps that appeared, went or changed tier; needs one `apps()` before. */
  async onAppsChanged(listener: (appIds: readonly string[]) => void): Promise<Stop> {
    const signal = { interface: OPERATOR, member: 'AppsChanged', signature: 'as' };
    return await onSignal(this.#link, signal, ([ids]) => listener(textsIn(ids)));
  }

  /** What was recorded, oldest first. */
  async audit(filter: AuditFilter = {}): Promise<readonly JsonObject[]> {
    const options = dictionary({
      type: ['s', filter.type],
      principal: ['s', filter.principal],
      capability: ['s', filter.capability],
      invocation: ['s', filter.invocation],
      since: ['t', filter.since],
      until: ['t', filter.until],
      after: ['t', filter.after],
      limit: ['u', filter.limit],
    });
    const [events] = await this.#link.call(OPERATOR, 'Audit', 'a{sv}', [options]);
    return parseObjects(textOf(events));
  }

  async verifyAudit(): Promise<JsonObject> {
    const [report] = await this.#link.call(OPERATOR, 'VerifyAudit');
    return parseReplyObject(textOf(report));
  }

  /** The person takes something back, without being asked whether they meant it. */
  async undo(invocation: string, options: RequestOptions = {}): Promise<Outcome> {
    return await this.#requests.run(
      (token) =>
        this.#link.call(OPERATOR, 'Undo', 'sa{sv}', [invocation, dictionary({ handle_token: ['s', token] })]),
      options,
    );
  }

  /**
   * Asks the person from now on, also after the broker was restarted. Resolves with how to stop.
   * @param decide asks one question; see `Decide`
   */
  async registerConfirmer(decide: Decide, options: ConfirmerOptions = {}): Promise<() => Promise<void>> {
    const remove = this.#link.objects.add(CONFIRMER_PATH, [
      confirmerInterface(decide, (sender) => this.#link.isBroker(sender)),
    ]);
    const given = dictionary({
      fallback: ['b', options.fallback],
      can_modify: ['b', options.canModify],
      locale: ['s', options.locale],
    });
    const body = [CONFIRMER_PATH, given];
    const register = (): Promise<unknown> => this.#link.call(OPERATOR, 'RegisterConfirmer', 'oa{sv}', body);
    try {
      await register();
    } catch (error) {
      remove();
      throw error;
    }
    const stopFollowing = this.#link.onOwner((owner) => {
      if (owner !== undefined) register().catch(this.#report);
    });
    return async () => {
      stopFollowing();
      remove();
      await this.#link.call(OPERATOR, 'UnregisterConfirmer');
    };
  }

  /** Calls `listener` each time another broker is there: whoever follows something has to list it again. */
  onRestart(listener: () => void): () => void {
    return this.#link.onOwner((owner) => {
      if (owner !== undefined) listener();
    });
  }

  /** Resolves once: with undefined after `close()`, with the reason where the bus went away. */
  get closed(): Promise<Error | undefined> {
    return this.#link.connection.closed;
  }

  async close(): Promise<void> {
    await this.#link.close();
  }
}
