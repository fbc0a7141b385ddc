// SPDX-License-Identifier: Apache-2.0
import { BROKER } from '../bus/names.ts';
import { parseReply } from '../peer/json.ts';
import type { BrokerLink } from '../peer/link.ts';

/** What an app says happened. Data, never an instruction. */
export interface AppEvent {
  readonly appId: string;
  readonly type: string;
  readonly payload: unknown;
  /** `low`, `medium` or `high`: how far the payload may be believed. */
  readonly trust: string;
}

export type EventListener = (event: AppEvent) => void;

/** The subscriptions of one connection: one at the broker for each app, however many listen. */
export class Events {
  readonly #link: BrokerLink;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Map<string, Set<EventListener>>();

  static async open(link: BrokerLink, report: (error: unknown) => void): Promise<Events> {
    const events = new Events(link, report);
    await link.connection.watch({ interface: BROKER, member: 'Event' }, ({ sender, signature, body }) => {
      if (link.isBroker(sender) && signature === 'ssss') events.#receive(body);
    });
    // A broker that comes back knows nothing of who subscribed to the one before.
    link.onOwner((owner) => {
      if (owner !== undefined)
        for (const appId of events.#listeners.keys()) events.#tell('Subscribe', appId).catch(report);
    });
    return events;
  }

  private constructor(link: BrokerLink, report: (error: unknown) => void) {
    this.#link = link;
    this.#report = report;
  }

  async subscribe(appId: string, listener: EventListener): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(appId) ?? new Set();
    this.#listeners.set(appId, listeners.add(listener));
    try {
      await this.#tell('Subscribe', appId);
    } catch (error) {
      this.#drop(appId, listeners, listener);
      throw error;
    }
    return async () => {
      if (this.#drop(appId, listeners, listener)) await this.#tell('Unsubscribe', appId);
    };
  }

  /** True when that was the last one for the app. */
  #drop(appId: string, listeners: Set<EventListener>, listener: EventListener): boolean {
    const last = listeners.delete(listener) && listeners.size === 0;
    if (last) this.#listeners.delete(appId);
    return last;
  }

  async #tell(member: 'Subscribe' | 'Unsubscribe', appId: string): Promise<void> {
    await this.#link.call(BROKER, member, 's', [appId]);
  }

  #receive([appId, type, payload, trust]: readonly unknown[]): void {
    const texts = [appId, type, payload, trust].filter((value) => typeof value === 'string');
    const [app = '', kind = '', json = '', level = ''] = texts;
    const event = { appId: app, type: kind, payload: parseReply(json), trust: level };
    for (const listener of [...(this.#listeners.get(app) ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
