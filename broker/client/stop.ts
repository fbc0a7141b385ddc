// SPDX-License-Identifier: Apache-2.0
import { OPERATOR } from '../bus/names.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { WITH_PERSON_MS } from './approvals.ts';
import { type Fields, readObjects } from './fields.ts';
import { dictionary } from './options.ts';

/** Stands for every principal. */
export const EVERYBODY = '*';

export interface Suspension {
  /** `*` for all. */
  readonly principal: string;
  /** Milliseconds since the epoch; absent: until it is resumed. */
  readonly until?: number;
}

const SUSPENSION: Fields<Suspension> = { principal: 'text' };

/** Stopping one principal or all of them. Every call rejects with a BrokerError. */
export class Stopping {
  readonly #link: BrokerLink;

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  /** Who is suspended. */
  async list(): Promise<readonly Suspension[]> {
    const [list] = await this.#link.call(OPERATOR, 'Suspensions');
    return readObjects(textOf(list), SUSPENSION);
  }

  /**
   * Stops it at once: what it waits for is withdrawn, what runs for it is cancelled, what it asks for is denied.
   * @param minutes for how long; undefined until it is resumed, also over a restart of the broker
   */
  async suspend(principal: string, minutes?: number): Promise<void> {
    await this.#link.call(OPERATOR, 'Suspend', 'su', [principal, minutes ?? 0]);
  }

  /** Ends a suspension. Widens: `NotAllowed` where no person stands behind it. */
  async resume(principal: string): Promise<void> {
    await this.#link.call(OPERATOR, 'Resume', 's', [principal], undefined, WITH_PERSON_MS);
  }

  /** Says whether the person's session is locked; the compositor's alone. */
  async setSession(state: { readonly locked: boolean }): Promise<void> {
    await this.#link.call(OPERATOR, 'SetSession', 'a{sv}', [dictionary({ locked: ['b', state.locked] })]);
  }
}
