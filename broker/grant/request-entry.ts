// SPDX-License-Identifier: Apache-2.0
import type { CapabilityRequest } from '../../policy/capability-request.ts';
import type { RequestRow } from './request-rows.ts';

/** A request in memory, and what is being recorded about it. */
export interface Entry {
  row: RequestRow;
  readonly request: CapabilityRequest;
  /** While it is not on record yet. */
  opening?: Promise<unknown> | undefined;
  /** Its end is being recorded: nothing else can become of it. */
  ending?: boolean;
}

export function isOpen({ row, ending }: Entry): boolean {
  return row.state === 'open' && ending !== true;
}

/** Nothing is being recorded about it. */
export function isSettled({ opening, ending }: Entry): boolean {
  return opening === undefined && ending !== true;
}

/** Whether somebody can still decide it. */
export function isWaiting(entry: Entry): boolean {
  return isOpen(entry) && isSettled(entry);
}
