// SPDX-License-Identifier: Apache-2.0
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Announcer } from '../approval/announce.ts';
import { Confirmers } from '../approval/confirmers.ts';
import type { Decisions } from '../approval/decisions.ts';
import { ApprovalDesk } from '../approval/desk.ts';
import { PendingFile } from '../approval/pending-file.ts';
import { PendingStore } from '../approval/pending-store.ts';
import type { Recorder } from '../audit/records.ts';
import type { Parts } from './parts.ts';

const ANNOUNCE_MS = 5000;

export interface Approvals {
  readonly confirmers: Confirmers;
  readonly desk: ApprovalDesk;
  readonly pending: PendingStore;
  /** Takes back what is announced, and closes the file of what waits. */
  close(): Promise<void>;
}

/** Asking the person: the surfaces, the list of what waits, and the notification that something does. */
export function openApprovals(parts: Parts, records: Recorder, decisions: Decisions): Approvals {
  const { bus, store, config, log, now } = parts;
  const fault = (error: unknown) => void log.fault(error);
  const file = new PendingFile(join(dirname(store.databasePath), 'pending.db'));
  const pending = new PendingStore(store, file);
  const locale = (process.env.LANG ?? 'en').split('.')[0] ?? 'en';
  const wait = async (ms: number, signal: AbortSignal) => await sleep(ms, undefined, { signal });
  const confirmers = new Confirmers({
    bus,
    now,
    sleep: wait,
    limits: config.confirm,
    locale,
    lost: ({ decider }) => {
      records.append({ type: 'confirmer', time: now(), code: 'Lost', decider }, 'normal').catch(fault);
    },
  });
  const desk = new ApprovalDesk({
    confirmers,
    store: pending,
    decisions,
    now,
    sleep: wait,
    after: (ms, run) => {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
    limits: config.confirm,
    quotas: config.quotas,
    locale,
    fault,
  });
  const announcer = new Announcer({ bus, appName: 'Portal', timeoutMs: ANNOUNCE_MS });
  const announced = new Set<string>();
  const announce = (ids: readonly string[]): void => {
    // The compositor's own surface draws the question itself; an alert beside it would only be in the way.
    const drawn = confirmers.current()?.fallback === false;
    for (const id of ids) {
      const question = drawn ? undefined : desk.waiting(id);
      if (question !== undefined && !announced.has(id)) {
        announced.add(id);
        announcer.asked({ id, ...question });
      } else if (question === undefined && announced.delete(id)) announcer.over(id);
    }
  };
  desk.onChange(announce);
  return {
    confirmers,
    desk,
    pending,
    async close() {
      for (const id of announced) announcer.over(id);
      await announcer.settled();
      file.close();
    },
  };
}
