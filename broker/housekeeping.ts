// SPDX-License-Identifier: Apache-2.0
import type { Records } from './audit/records.ts';
import type { Log } from './log.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Once an hour, and at once: notes the end of the chain outside the store, and lets go of records past their time.
 * Returns how to stop.
 */
export function keepHouse(
  records: Pick<Records, 'prune' | 'checkpoint'>,
  retentionDays: number,
  now: () => number,
  log: Pick<Log, 'fault' | 'checkpoint'>,
): () => void {
  let stopped = false;
  // A long backlog goes piece by piece, so that calls are answered in between.
  const prune = (): void => {
    if (stopped) return;
    try {
      if (records.prune(now() - retentionDays * DAY_MS) > 0) setImmediate(prune);
    } catch (error) {
      log.fault(error);
    }
  };
  const round = (): void => {
    prune();
    log.checkpoint(records.checkpoint());
  };
  round();
  const timer = setInterval(round, HOUR_MS).unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
