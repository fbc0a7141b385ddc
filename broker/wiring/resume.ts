// SPDX-License-Identifier: Apache-2.0
import type { WaitingCaller } from '../approval/pending-store.ts';
import { endWaiting, restoreWaiting } from '../approval/restore.ts';
import type { Recorder } from '../audit/records.ts';
import type { Dispatcher } from '../bus/dispatcher.ts';
import type { Session, Sessions } from '../bus/sessions.ts';
import type { Approvals } from './approvals.ts';

interface Deps {
  readonly approvals: Pick<Approvals, 'pending'>;
  readonly records: Recorder;
  readonly sessions: Pick<Sessions, 'of' | 'claim'>;
  readonly dispatcher: Pick<Dispatcher, 'resume'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly fault: (error: unknown) => void;
}

/** What waited for a person before a restart waits on, where the very process that asked is still at its connection. */
export async function resumeWaiting({
  approvals,
  records,
  sessions,
  dispatcher,
  now,
  fault,
}: Deps): Promise<void> {
  const found = new Map<string, Session>();
  const isThere = async (caller: WaitingCaller): Promise<boolean> => {
    try {
      const session = await sessions.of({ sender: caller.connection });
      const { pid, startTime, id } = session.principal;
      if (pid !== caller.pid || startTime !== caller.startTime || id !== caller.principal) return false;
      await sessions.claim(session, 'dispatch');
      found.set(caller.connection, session);
      return true;
    } catch {
      return false; // it left, or cannot be told apart from others any more
    }
  };
  const store = approvals.pending;
  for (const waiting of await restoreWaiting({ store, records, now, isThere })) {
    const session = found.get(waiting.stored.caller.connection);
    try {
      if (session !== undefined) dispatcher.resume(session, waiting);
    } catch (error) {
      fault(error);
      await endWaiting(waiting.stored, { store, records, now });
    }
  }
}
