// SPDX-License-Identifier: Apache-2.0
import type { Decisions } from './approval/decisions.ts';
import type { Records } from './audit/records.ts';
import type { Log } from './log.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Deps {
  readonly records: Pick<Records, 'prune' | 'checkpoint'>;
  readonly policy: { readonly decisions: Pick<Decisions, 'prune'> };
  /** Lets go of grants, requests, suspensions and questions that are over. */
  readonly sweep: () => void;
  readonly retentionDays: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Pick<Log, 'fault' | 'checkpoint'>;
}

/**
 * Once an hour, and at once: notes the end of the chain outside the store, and lets go of records past their time. Once a
 * minute lets go of what is over. Returns how to stop.
 */
export function keepHouse({ records, policy, sweep, retentionDays, now, log }: Deps): () => void {
  let stopped = false;
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      log.fault(error);
    }
  };
  // A long backlog goes piece by piece, so that calls are answered in between.
  const prune = (): void => {
    if (stopped) return;
    guarded(() => {
      if (records.prune(now() - retentionDays * DAY_MS) > 0) setImmediate(prune);
    });
  };
  const round = (): void => {
    prune();
    guarded(() => policy.decisions.prune(now() - retentionDays * DAY_MS));
    log.checkpoint(records.checkpoint());
  };
  round();
  const timers = [setInterval(round, HOUR_MS).unref(), setInterval(() => guarded(sweep), MINUTE_MS).unref()];
  return () => {
    stopped = true;
    for (const timer of timers) clearInterval(timer);
  };
}
