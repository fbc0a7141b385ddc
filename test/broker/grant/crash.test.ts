// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { parseGrantRequest } from '../../../policy/grant.ts';
import { type Temporary, temporaryDirectory } from '../store/temporary.ts';
import { FACTS } from './crash-facts.ts';
import { LedgerFixture, wish } from './fixture.ts';

const ROUNDS = 200;
const LANES = 4;
/** Few enough that every lane runs out, which must happen exactly once. */
const OPERATIONS = 400;

/** Lets a process use grants, kills it at some moment, and returns how many uses it said were on the disk. */
async function useAndDie(directory: string, cache: string, round: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'use-forever.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Most of a start is compiling. What is killed reports no coverage, so nothing is lost to the cache.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache },
  });
  const gone = once(child, 'exit');
  let acknowledged = 0;
  let lines = 0;
  // Any moment will do: after so many lines, or while the next are on their way.
  const killAfter = 1 + (round % 13);
  for await (const line of createInterface({ input: child.stdout })) {
    lines += 1;
    if (line === '.') acknowledged += 1;
    if (lines === killAfter || line === 'done') setTimeout(() => child.kill('SIGKILL'), round % 3);
  }
  assert.deepEqual(await gone, [null, 'SIGKILL']);
  return acknowledged;
}

/** Rounds in one store, one after the other. Returns in how many of them a use was recorded. */
async function lane(rounds: readonly number[], cache: string): Promise<number> {
  const fixture = new LedgerFixture();
  let worked = 0;
  try {
    const { target: _, ...wanted } = wish({ capability: FACTS.capability, operations: OPERATIONS });
    const grant = parseGrantRequest(wanted, DEFAULTS.policyLimits, FACTS.now);
    await fixture.ledger.add(grant, FACTS.definitionDigest, 'user:1000');
    let before = 0;
    for (const round of rounds) {
      fixture.store.close();
      const acknowledged = await useAndDie(fixture.temporary.path, cache, round);
      fixture.reopen();
      const { used } = { ...fixture.store.database.prepare('SELECT used FROM grants').get() };
      const recorded = fixture.store.database
        .prepare(`SELECT count(*) AS count FROM events WHERE body LIKE '{"type":"requested"%'`)
        .get();
      assert.equal(used, recorded?.count, `round ${round}: counted and recorded`);
      assert.isAtLeast(Number(used), before + acknowledged, `round ${round}: lost`);
      assert.isAtMost(Number(used), OPERATIONS, `round ${round}: too many`);
      if (Number(used) > before) worked += 1;
      before = Number(used);
    }
    assert.isTrue(fixture.verify().ok);
    return worked;
  } finally {
    fixture.remove();
  }
}

describe('broker/grant after kill -9', () => {
  let cache: Temporary;

  before(() => {
    cache = temporaryDirectory();
  });
  after(() => cache.remove());

  it(`[R107] in ${ROUNDS} rounds no use is lost and none counted twice`, async () => {
    const rounds = Array.from({ length: ROUNDS }, (_, index) => index);
    const lanes = Array.from({ length: LANES }, (_, offset) =>
      rounds.filter((round) => round % LANES === offset),
    );
    const worked = await Promise.all(lanes.map((each) => lane(each, cache.path)));
    assert.isAbove(Math.min(...worked), 10, 'the rounds did something');
  }).timeout(60_000);
});
