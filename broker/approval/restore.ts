// SPDX-License-Identifier: Apache-2.0
import type { AuditEvent } from '../audit/event.ts';
import type { Recorder } from '../audit/records.ts';
import type { Action } from '../intent/handle.ts';
import type { PendingStore, Stored, WaitingCaller } from './pending-store.ts';
import type { Question } from './question.ts';

/** What waited for a person before a restart, and whose caller is still there. */
export interface Waiting {
  readonly stored: Stored;
  readonly action: Action;
  readonly question: Question;
}

interface Deps {
  readonly store: PendingStore;
  readonly records: Recorder;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether the very process that asked is still at its connection. */
  readonly isThere: (caller: WaitingCaller) => Promise<boolean>;
}

/**
 * To be called once at the start, after the record recovered. What can still be answered is given back, to go on waiting;
 * everything else ends here, once. An answer from before is never acted on now: what ran is `unknown` already, and what
 * had not begun does not begin without anybody looking.
 */
export async function restoreWaiting({ store, records, now, isThere }: Deps): Promise<readonly Waiting[]> {
  const waiting: Waiting[] = [];
  for (const stored of store.load()) {
    const { id, wish, state, expiresAt } = stored;
    const undecided = state === 'pending' || state === 'later';
    if (undecided && wish !== undefined && expiresAt > now() && (await isThere(stored.caller))) {
      waiting.push({ stored, ...wish });
    } else if (state === 'running') {
      store.remove(id);
    } else {
      await endWaiting(stored, { store, records, now });
    }
  }
  return waiting;
}

/** Nothing can come of it any more: it ends, once, and what it said is gone. */
export async function endWaiting(
  stored: Stored,
  { store, records, now }: Omit<Deps, 'isThere'>,
): Promise<void> {
  await records.append(ending(stored, now()), 'normal', () => store.remove(stored.id));
  store.scrub(stored.id);
}

function ending(
  { id, state, caller, capability, version, digest, expiresAt }: Stored,
  now: number,
): AuditEvent {
  const overdue = (state === 'pending' || state === 'later') && expiresAt <= now;
  return {
    type: overdue ? 'expired' : 'denied',
    time: now,
    invocation: id,
    principal: caller.principal,
    capability,
    version,
    stage: 'confirm',
    code: overdue ? 'Expired' : state === 'denied' ? 'PersonDenied' : 'Void',
    commitment: digest,
  };
}
