// SPDX-License-Identifier: Apache-2.0
// The body of a thread that reads the record: a long one takes seconds, and the service must go on answering meanwhile.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type AuditFilter, type AuditRow, queryEvents } from './query.ts';
import { type VerifyReport, verifyChain } from './verify.ts';

/** What the thread is to do; `most` bounds the rows of a query. */
export type LookBack =
  | { readonly task: 'query'; readonly database: string; readonly filter: AuditFilter; readonly most: number }
  | { readonly task: 'verify'; readonly database: string; readonly key: string };

function query(path: string, filter: AuditFilter, most: number): AuditRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return queryEvents(database, filter, most);
  } finally {
    database.close();
  }
}

function lookBack(job: LookBack): AuditRow[] | VerifyReport {
  return job.task === 'verify'
    ? verifyChain(job.database, job.key)
    : query(job.database, job.filter, job.most);
}

parentPort?.postMessage(lookBack(workerData));
