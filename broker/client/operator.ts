// SPDX-License-Identifier: Apache-2.0

import { OPERATOR } from '../bus/names.ts';
import type { Outcome } from '../intent/outcome.ts';
import { type JsonObject, parseReplyObject } from '../peer/json.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { confirmerInterface, type Decide } from './confirmer.ts';
import { parseObjects } from './listing.ts';
import { dictionary } from './options.ts';
import type { RequestOptions, Requests } from './requests.ts';

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
}

const CONFIRMER_PATH = '/org/portal/confirmer';

/** What the person's own tools may do. Every call rejects with a BrokerError, `AccessDenied` for anybody else. */
export class OperatorClient {
  readonly #link: BrokerLink;
  readonly #requests: Requests;
  readonly #report: (error: unknown) => void;

  constructor(link: BrokerLink, requests: Requests, report: (error: unknown) => void) {
    this.#link = link;
    this.#requests = requests;
    this.#report = report;
  }

  /** Every app that has registered or tried to. */
  async apps(): Promise<readonly JsonObject[]> {
    const [apps] = await this.#link.call(OPERATOR, 'Apps');
    return parseObjects(textOf(apps));
  }

  /** Calls `listener` with the ids of apps that appeared, went or changed tier; needs one `apps()` before. */
  async onAppsChanged(listener: (appIds: readonly string[]) => void): Promise<() => Promise<void>> {
    return await this.#link.connection.watch(
      { interface: OPERATOR, member: 'AppsChanged' },
      ({ sender, signature, body }) => {
        if (!this.#link.isBroker(sender) || signature !== 'as' || !Array.isArray(body[0])) return;
        listener(body[0].map(textOf));
      },
    );
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
    const body = [CONFIRMER_PATH, dictionary({ fallback: ['b', options.fallback] })];
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

  /** Resolves once: with undefined after `close()`, with the reason where the bus went away. */
  get closed(): Promise<Error | undefined> {
    return this.#link.connection.closed;
  }

  async close(): Promise<void> {
    await this.#link.close();
  }
}
