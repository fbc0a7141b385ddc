// SPDX-License-Identifier: Apache-2.0
// What one recorded event costs, against a bare INSERT of the same text into a bare table in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AuditEvent } from '../../broker/audit/event.ts';
import { sealEvent } from '../../broker/audit/gate.ts';
import { Records } from '../../broker/audit/records.ts';
import { verifyChain } from '../../broker/audit/verify.ts';
import { type Durability, openStore } from '../../broker/store/database.ts';

const directory = mkdtempSync(join(tmpdir(), 'portal-bench-audit-'));
const store = openStore({ directory });
const records = new Records({ store, now: Date.now });

function attempt(index: number, type: 'requested' | 'executed'): AuditEvent {
  return {
    type,
    time: Date.now(),
    invocation: `inv-${index}`,
    principal: 'assistant',
    binding: 'app-unit',
    assurance: 'advisory',
    profile: 'standard',
    pid: 4242,
    uid: 1000,
    appId: 'org.gnome.TextEditor',
    capability: 'editor.org.gnome.texteditor.read',
    version: '1.0',
    classification: { sideEffects: 'read', access: 'read', network: 'local', risk: 'low', gate: 'automatic' },
    stage: type === 'requested' ? 'dispatch' : 'outcome',
    commitment: 'a'.repeat(64),
    paramsSize: 120,
    ...(type === 'executed' ? { resultSize: 900, durationMs: 3 } : {}),
  };
}

function bareInserts(count: number): number {
  const bare = new DatabaseSync(join(directory, 'bare.db'));
  bare.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, body TEXT) STRICT',
  );
  const insert = bare.prepare('INSERT INTO t (body) VALUES (?)');
  const { body } = sealEvent(attempt(0, 'executed'));
  const started = performance.now();
  for (let done = 0; done < count; done += 1) insert.run(body);
  const each = ((performance.now() - started) * 1000) / count;
  bare.close();
  return each;
}

let invocation = 0;
async function appends(count: number, together: number, durability: Durability): Promise<number> {
  const started = performance.now();
  for (let done = 0; done < count; done += together) {
    const batch: Promise<string>[] = [];
    for (let index = 0; index < together; index += 2) {
      invocation += 1;
      batch.push(records.append(attempt(invocation, 'requested'), durability));
      if (together === 1) await Promise.all(batch.splice(0));
      batch.push(records.append(attempt(invocation, 'executed'), durability));
    }
    await Promise.all(batch);
  }
  const written = together === 1 ? count * 2 : count;
  return ((performance.now() - started) * 1000) / written;
}

const ROUNDS = 7;
/** The machine is not ours alone: each round measures its own baseline, and the medians are shown. */
const seen = new Map<string, { microseconds: number; ratio: number }[]>();

function note(what: string, microseconds: number, baseline: number): void {
  const rounds = seen.get(what) ?? [];
  rounds.push({ microseconds, ratio: microseconds / baseline });
  seen.set(what, rounds);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function print(): void {
  for (const [what, rounds] of seen) {
    const microseconds = median(rounds.map((round) => round.microseconds));
    const ratio = median(rounds.map((round) => round.ratio));
    process.stdout.write(
      `${what.padEnd(40)} ${microseconds.toFixed(1).padStart(8)} us ${ratio.toFixed(2).padStart(7)} x\n`,
    );
  }
}

try {
  await appends(2000, 64, 'normal');
  let baseline = bareInserts(2000);
  for (let round = 0; round < ROUNDS; round += 1) {
    baseline = bareInserts(4000);
    note('bare INSERT, one commit each', baseline, baseline);
    note('append, NORMAL, one at a time', await appends(4000, 1, 'normal'), baseline);
    note('append, NORMAL, 64 in one turn', await appends(10_240, 64, 'normal'), baseline);
    note('append, FULL, one at a time', await appends(500, 1, 'full'), baseline);
    note('append, FULL, 64 in one turn', await appends(10_240, 64, 'full'), baseline);
  }

  for (const hundredThousand of ['first', 'second', 'third']) {
    global.gc?.();
    const before = process.memoryUsage.rss();
    await appends(99_968, 64, 'normal');
    global.gc?.();
    const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
    process.stdout.write(
      `memory after the ${hundredThousand} 100 000 appends: ${grown.toFixed(1)} MiB more\n`,
    );
  }

  const { count } = records.checkpoint();
  const started = performance.now();
  const { ok } = verifyChain(store.databasePath, store.keyPath);
  note(`verify, per event (${count}, ok: ${ok})`, ((performance.now() - started) * 1000) / count, baseline);
  const queried = performance.now();
  records.query({ principal: 'nobody' });
  note('query that finds nothing, per event', ((performance.now() - queried) * 1000) / count, baseline);
  const summed = performance.now();
  records.stats();
  note('statistics, per event', ((performance.now() - summed) * 1000) / count, baseline);
  print();
} finally {
  records.close();
  store.close();
  rmSync(directory, { recursive: true });
}
