// SPDX-License-Identifier: Apache-2.0
import { OPERATOR } from '../bus/names.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { WITH_PERSON_MS } from './approvals.ts';
import type { CapabilityRequestRow } from './capability-request.ts';
import { type Fields, readObject, readObjects } from './fields.ts';
import type { Finding } from './finding.ts';
import { onSignal, type Stop } from './signals.ts';

/** What answers in the person's place where policy asks, and nowhere else. */
export interface GrantRow {
  readonly id: string;
  /** `scoped`, or `session` for a person's answer for a session. */
  readonly kind: string;
  readonly principal: string;
  readonly capability: string;
  /** A glob; absent where the capability has no target. */
  readonly target?: string;
  /** Globs by JSON pointer. */
  readonly params: Readonly<Record<string, string>>;
  readonly access: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  /** Absent for a session's. */
  readonly operations_left?: number;
  readonly reason: string;
  readonly granted_by: string;
}

/** A grant to be made; see `org.portal.Broker1.Operator.AddGrant`. */
export interface NewGrant extends GrantBounds {
  readonly principal: string;
  readonly capability: string;
  readonly access: 'read' | 'write';
  /** 1 to 10080. */
  readonly minutes: number;
  /** 1 to 10000. */
  readonly operations: number;
  readonly reason: string;
}

/** What a grant is bounded by; for one that is there, each the same or narrower. */
export interface GrantBounds {
  readonly target?: string | undefined;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly access?: 'read' | 'write' | undefined;
  readonly minutes?: number | undefined;
  readonly operations?: number | undefined;
}

/** What came of making a rule or a grant. */
export interface Made {
  readonly id: string;
  /** What it cannot do, or with what else it conflicts. */
  readonly findings: readonly Finding[];
}

export const MADE: Fields<Made> = { id: 'text', findings: 'list' };

const GRANT: Fields<GrantRow> = {
  id: 'text',
  kind: 'text',
  principal: 'text',
  capability: 'text',
  params: 'object',
  access: 'text',
  expires_at: 'number',
  reason: 'text',
  granted_by: 'text',
};
const REQUEST: Fields<CapabilityRequestRow> = {
  id: 'text',
  principal: 'text',
  capability: 'text',
  access: 'text',
  minutes: 'number',
  operations: 'number',
  reason: 'text',
  since: 'number',
  expires_at: 'number',
  state: 'text',
  earlier: 'list',
};

/**
 * Grants, and what intelligences ask to be granted. Every call rejects with a BrokerError: `GrantInvalid` with the place,
 * `NotFound`, `Stale`, and `NotAllowed` where no person stands behind a call that widens.
 */
export class Grants {
  readonly #link: BrokerLink;

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  /** Those that are live. */
  async list(): Promise<readonly GrantRow[]> {
    const [list] = await this.#link.call(OPERATOR, 'Grants');
    return readObjects(textOf(list), GRANT);
  }

  /** Widens. It is bound to the capability's present definition. */
  async add(grant: NewGrant): Promise<Made> {
    const body = [JSON.stringify(grant)];
    const [made] = await this.#link.call(OPERATOR, 'AddGrant', 's', body, undefined, WITH_PERSON_MS);
    return readObject(textOf(made), MADE);
  }

  async narrow(id: string, bounds: GrantBounds): Promise<void> {
    await this.#link.call(OPERATOR, 'NarrowGrant', 'ss', [id, JSON.stringify(bounds)]);
  }

  /** At once; what runs under it already is not stopped. */
  async revoke(id: string): Promise<void> {
    await this.#link.call(OPERATOR, 'RevokeGrant', 's', [id]);
  }

  /** What intelligences ask for; those of one intention stand together. */
  async requests(): Promise<readonly CapabilityRequestRow[]> {
    const [list] = await this.#link.call(OPERATOR, 'CapabilityRequests');
    return readObjects(textOf(list), REQUEST);
  }

  /** Grants what was asked for, or less. Widens. */
  async grantRequest(id: string, narrower: GrantBounds = {}): Promise<Made> {
    const body = [id, JSON.stringify({ decision: 'grant', grant: narrower })];
    const [made] = await this.#link.call(OPERATOR, 'DecideRequest', 'ss', body, undefined, WITH_PERSON_MS);
    return readObject(textOf(made), MADE);
  }

  async denyRequest(id: string, note?: string): Promise<void> {
    await this.#link.call(OPERATOR, 'DecideRequest', 'ss', [id, JSON.stringify({ decision: 'deny', note })]);
  }

  /** Calls `listener` when grants or requests changed; needs one `list()` or `requests()` before. */
  async onChanged(listener: () => void): Promise<Stop> {
    return await onSignal(
      this.#link,
      { interface: OPERATOR, member: 'GrantsChanged', signature: '' },
      listener,
    );
  }
}
