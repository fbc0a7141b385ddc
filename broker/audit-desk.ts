// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads';
import { AUDIT_TYPES } from './audit/event.ts';
import type { AuditFilter } from './audit/query.ts';
import type { Records } from './audit/records.ts';
import type { VerifyReport } from './audit/verify.ts';
import type { Options } from './bus/options.ts';

const MOST = 1000;
const USUAL = 100;

/** Looking back, for the person's tools. Never on the way of an intent. */
export class AuditDesk {
  readonly #records: Pick<Records, 'query'>;
  readonly #paths: { readonly database: string; readonly key: string };

  constructor(records: Pick<Records, 'query'>, paths: { database: string; key: string }) {
    this.#records = records;
    this.#paths = paths;
  }

  /** The newest records that match, oldest first. @throws CallError for a filter it does not know */
  query(options: Options): readonly unknown[] {
    const type = options.oneOf('type', AUDIT_TYPES);
    const filter: Record<keyof AuditFilter, unknown> = {
      type,
      principal: options.text('principal'),
      capability: options.text('capability'),
      invocation: options.text('invocation'),
      since: options.count('since', 0, Number.MAX_SAFE_INTEGER),
      until: options.count('until', 0, Number.MAX_SAFE_INTEGER),
      after: options.count('after', 0, Number.MAX_SAFE_INTEGER)?.toString(),
      limit: options.count('limit', 1, MOST) ?? USUAL,
      newest: true,
    };
    options.done();
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    return this.#records
      .query(given as AuditFilter)
      .map(({ auditId, event }) => ({ audit_id: auditId, ...event }));
  }

  /** Recomputes the chain in a thread of its own: a long record must not keep the service from answering. */
  verify(): Promise<VerifyReport> {
    const source = import.meta.filename.endsWith('.ts') ? './audit/verify.ts' : './audit/verify.js';
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.module).then(({ verifyChain }) => parentPort.postMessage(verifyChain(workerData.database, workerData.key)));
    `;
    const worker = new Worker(script, {
      eval: true,
      workerData: { module: new URL(source, import.meta.url).href, ...this.#paths },
    });
    return new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  }
}
