// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads';
import { AUDIT_TYPES } from './audit/event.ts';
import type { LookBack } from './audit/look-back.ts';
import type { AuditFilter, AuditRow } from './audit/query.ts';
import type { VerifyReport } from './audit/verify.ts';
import { wireForm } from './audit/wire.ts';
import type { Options } from './bus/options.ts';
import type { Range } from './views/what-if.ts';

const MOST = 1000;
const USUAL = 100;
/** This file's own ending: the thread runs the source where this does, and the build where this does. */
const ENDING = import.meta.filename.slice(-3);

/** Looking back, for the person's tools: in a thread, one look at a time, never on the way of an intent. */
export class AuditDesk {
  readonly #paths: { readonly database: string; readonly key: string };
  #turn: Promise<unknown> = Promise.resolve();

  constructor(paths: { database: string; key: string }) {
    this.#paths = paths;
  }

  /** The newest records that match, oldest first. @throws CallError for a filter it does not know */
  async query(options: Options): Promise<readonly unknown[]> {
    const filter = readFilter(options);
    const rows = await this.#look<AuditRow[]>({
      task: 'query',
      database: this.#paths.database,
      filter,
      most: MOST,
    });
    return rows.map(({ auditId, event }) => wireForm({ auditId, ...event }));
  }

  /** The newest decisions of policy that are on record, oldest first. */
  async decisions({ since, until, limit }: Range): Promise<readonly AuditRow[]> {
    const filter: AuditFilter = {
      decided: true,
      newest: true,
      limit,
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    };
    return await this.#look<AuditRow[]>({
      task: 'query',
      database: this.#paths.database,
      filter,
      most: MOST,
    });
  }

  /** Recomputes the chain over all records. */
  async verify(): Promise<unknown> {
    return wireForm(await this.#look<VerifyReport>({ task: 'verify', ...this.#paths }));
  }

  #look<T>(job: LookBack): Promise<T> {
    const look = this.#turn.then(() => inThread<T>(job));
    this.#turn = look.catch(() => undefined);
    return look;
  }
}

function inThread<T>(job: LookBack): Promise<T> {
  const thread = new Worker(new URL(`./audit/look-back${ENDING}`, import.meta.url), { workerData: job });
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread ended without an answer')));
  });
}

function readFilter(options: Options): AuditFilter {
  const wanted: Record<Exclude<keyof AuditFilter, 'decided'>, unknown> = {
    type: options.oneOf('type', AUDIT_TYPES),
    principal: options.text('principal'),
    capability: options.text('capability'),
    appId: options.text('app_id'),
    invocation: options.text('invocation'),
    since: options.count('since', 0, Number.MAX_SAFE_INTEGER),
    until: options.count('until', 0, Number.MAX_SAFE_INTEGER),
    after: options.count('after', 0, Number.MAX_SAFE_INTEGER)?.toString(),
    limit: options.count('limit', 1, MOST) ?? USUAL,
    newest: true,
  };
  options.done();
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}
