// SPDX-License-Identifier: Apache-2.0
import { selfTest } from '../keys/verify.ts';
import { Aggregate } from './audit/aggregate.ts';
import { Records } from './audit/records.ts';
import { keepHouse } from './housekeeping.ts';
import type { Parts } from './wiring/parts.ts';
import { serve } from './wiring/service.ts';

const MINUTE_MS = 60_000;

export interface Running {
  /** Records the end and lets go of everything but the connection. */
  stop(): Promise<void>;
}

/** Puts the service together and serves it on a connection that owns its name. */
export async function start(parts: Parts): Promise<Running> {
  const { config, log, now } = parts;
  const records = await openRecords(parts);
  const fault = (error: unknown) => log.fault(error);
  const { refusalsPerMinute: mostEqual } = config.quotas;
  const recorder = new Aggregate({ records, mostEqual, intervalMs: MINUTE_MS, now, fault });
  const service = await serve(parts, recorder);
  // The first use of the signature code is slow: it happens now, before an app waits for it, and proves that it works.
  selfTest();
  const watching = await Promise.all([
    service.keyring.watch(() => service.registration.recheckKeys()),
    service.policy.book.watch(),
  ]);
  const stopHousekeeping = keepHouse({ records, retentionDays: config.retentionDays, now, log, ...service });
  return {
    async stop() {
      stopHousekeeping();
      await Promise.all(watching.map((one) => one.close()));
      await service.approvals.close();
      await recorder.flush();
      await records.append({ type: 'stopped', time: now() }, 'full').catch(fault);
      log.checkpoint(records.checkpoint());
      records.close();
    },
  };
}

/** The record, in which whatever a crash left open is now ended. */
async function openRecords({ store, config, now }: Parts): Promise<Records> {
  const records = new Records({ store, now });
  const recovered = records.recover();
  await records.append({ type: 'started', time: now(), profile: config.profile, count: recovered }, 'full');
  return records;
}
