// SPDX-License-Identifier: Apache-2.0
import type { PendingRow } from '../approval/listed.ts';
import { OPERATOR } from '../bus/names.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { type Fields, readObjects, withFields } from './fields.ts';
import { dictionary } from './options.ts';
import { onSignal, type Stop, textsIn } from './signals.ts';

export type { EarlierDecision } from '../approval/decisions.ts';
export type { PendingRow } from '../approval/listed.ts';

export interface ApproveOptions {
  /** `session`, where the row offers it: also the same capability on the same target for a while. Default `once`. */
  readonly choice?: 'once' | 'session' | undefined;
  /** With `session`: 1 to 480, by default 60. */
  readonly minutes?: number | undefined;
  /** JSON text: runs in place of what was asked for, after it was validated and decided again. */
  readonly params?: string | undefined;
  /** The person's words to the caller. */
  readonly note?: string | undefined;
}

export interface DenyOptions {
  readonly note?: string | undefined;
  /** The same again is denied without a question until the caller's connection ends. */
  readonly session?: boolean | undefined;
}

/** Something ran and may have changed something. */
export interface Acted {
  readonly invocation: string;
  /** Capability and app, in ids. */
  readonly summary: string;
  /** Milliseconds since the epoch; undefined where it cannot be taken back. */
  readonly undoUntil: number | undefined;
}

const ROW: Fields<PendingRow> = {
  id: 'text',
  invocation: 'text',
  digest: 'text',
  state: 'text',
  since: 'number',
  expires_at: 'number',
  kind: 'text',
  capability: 'text',
  version: 'text',
  title: 'text',
  app_id: 'text',
  binding: 'text',
  principal: 'text',
  principal_binding: 'text',
  assurance: 'text',
  risk: 'text',
  side_effects: 'text',
  undo: 'text',
  choices: 'texts',
  earlier: 'list',
};
/** What belongs to it as long as it waits: nobody decides about half a question. */
const QUESTION: Fields<PendingRow> = { targets: 'texts', params: 'text', reason: 'text', evidence: 'texts' };

/** Whether a decision about it would have an effect. */
export function isWaiting({ state }: Pick<PendingRow, 'state'>): boolean {
  return state === 'pending' || state === 'later';
}

/** How long a call may take in which the person authenticates, in milliseconds. */
export const WITH_PERSON_MS = 600_000;

/**
 * What waits for the person. Every call rejects with a BrokerError: `Stale` where it was decided before or is over,
 * `NotFound` for an id that names nothing, `NotAllowed` where no person stands behind a call that widens.
 */
export class Approvals {
  readonly #link: BrokerLink;

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  /** Oldest first. The caller counts as a place where the person is asked for as long as it is connected. */
  async list(filter: { readonly ended?: boolean | undefined } = {}): Promise<readonly PendingRow[]> {
    const [list] = await this.#link.call(OPERATOR, 'Pending', 'a{sv}', [
      dictionary({ ended: ['b', filter.ended] }),
    ]);
    const rows = readObjects(textOf(list), ROW);
    for (const row of rows) if (isWaiting(row)) withFields(row, QUESTION);
    return rows;
  }

  /**
   * Lets it run once, now. Resolves when the decision is recorded; how it ends is its requester's to hear, and the row's
   * `state`. Rejects with `InvalidParams` where changed parameters are refused: then it goes on waiting.
   *
   * @param digest the row's, as the person has read it
   */
  async approve(id: string, digest: string, options: ApproveOptions = {}): Promise<void> {
    const given = dictionary({
      choice: ['s', options.choice],
      minutes: ['u', options.minutes],
      params: ['s', options.params],
      note: ['s', options.note],
    });
    await this.#link.call(OPERATOR, 'Approve', 'ssa{sv}', [id, digest, given], undefined, WITH_PERSON_MS);
  }

  async deny(id: string, options: DenyOptions = {}): Promise<void> {
    const given = dictionary({ note: ['s', options.note], session: ['b', options.session] });
    await this.#link.call(OPERATOR, 'Deny', 'sa{sv}', [id, given]);
  }

  /** Takes it off the screen and keeps it in the list for longer. */
  async later(id: string): Promise<void> {
    await this.#link.call(OPERATOR, 'Later', 's', [id]);
  }

  /** Gives the person as much time again, within a bound. */
  async extend(id: string): Promise<void> {
    await this.#link.call(OPERATOR, 'Extend', 's', [id]);
  }

  /** Calls `listener` with the ids of rows that appeared, changed or ended; needs one `list()` before, as do the next two. */
  async onChanged(listener: (ids: readonly string[]) => void): Promise<Stop> {
    const signal = { interface: OPERATOR, member: 'PendingChanged', signature: 'as' };
    return await onSignal(this.#link, signal, ([ids]) => listener(textsIn(ids)));
  }

  /** Calls `listener` when something begins and ends to run for somebody. */
  async onActing(listener: (principal: string, active: boolean) => void): Promise<Stop> {
    const signal = { interface: OPERATOR, member: 'Acting', signature: 'sb' };
    return await onSignal(this.#link, signal, ([who, active]) => listener(textOf(who), active === true));
  }

  async onActed(listener: (acted: Acted) => void): Promise<Stop> {
    const signal = { interface: OPERATOR, member: 'Acted', signature: 'sst' };
    return await onSignal(this.#link, signal, ([invocation, summary, until]) => {
      const undoUntil = Number(until);
      listener({
        invocation: textOf(invocation),
        summary: textOf(summary),
        undoUntil: undoUntil === 0 ? undefined : undoUntil,
      });
    });
  }
}
