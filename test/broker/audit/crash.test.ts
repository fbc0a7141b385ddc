// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { RecordFixture } from './fixture.ts';

/** Lets a process append until it has acknowledged `count` events, kills it in the middle of its work, returns the last. */
async function appendAndDie(directory: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'append-forever.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  let acknowledged = 0;
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Math.max(acknowledged, Number(line));
    seen += 1;
    if (seen === count) child.kill('SIGKILL');
  }
  assert.deepEqual(await gone, [null, 'SIGKILL']);
  return acknowledged;
}

describe('broker/audit after kill -9', () => {
  let fixture: RecordFixture;

  beforeEach(() => {
    fixture = new RecordFixture();
    fixture.store.close();
  });
  afterEach(() => fixture.remove());

  it('[R131] [R137] keeps a chain that verifies, all that was acknowledged, and ends each open intent once', async () => {
    for (const round of [1, 2, 3]) {
      const acknowledged = await appendAndDie(fixture.temporary.path, 150 * round);
      fixture.reopen();
      const crashed = fixture.verify();
      assert.isTrue(crashed.ok, JSON.stringify(crashed.firstBad));
      assert.isAtLeast(crashed.count, acknowledged);
      assert.isNotEmpty(crashed.unfinished);

      assert.equal(fixture.records.recover(), crashed.unfinished.length);
      const recovered = fixture.verify();
      assert.deepEqual([recovered.ok, recovered.unfinished], [true, []]);
      assert.equal(recovered.count, crashed.count + crashed.unfinished.length);
      assert.sameMembers(
        fixture.records.query({ type: 'unknown' }).map((row) => row.event?.invocation),
        [...crashed.unfinished],
      );
      // A fresh directory for the next round, since invocation ids start again.
      fixture.remove();
      fixture = new RecordFixture();
      fixture.store.close();
    }
  });
});
