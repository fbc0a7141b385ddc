// SPDX-License-Identifier: Apache-2.0
import { chmodSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { Witness } from '../../keys/witness.ts';
import { makeDirectory, removeScratch, scratch, write } from './fixture.ts';

describe('keys/witness', () => {
  afterEach(removeScratch);

  /** A file, and a witness that saw it so many milliseconds after its last change. */
  function seen(after: number) {
    const directory = makeDirectory(join(scratch(), 'd'));
    const path = write(join(directory, 'f'), 'x');
    const absent = join(directory, 'absent');
    const witness = new Witness(statSync(path).ctimeMs + after);
    witness.sawIdentity(directory);
    witness.sawContent(path);
    witness.sawContent(absent);
    return { directory, path, absent, witness };
  }

  it('[R56] holds while nothing changed, and whatever else appears in the directory', () => {
    const { directory, witness } = seen(1100);
    assert.isTrue(witness.stillHolds());
    write(join(directory, 'another'), 'x');
    assert.isTrue(witness.stillHolds());
  });

  it('[R56] never holds for a file that had changed within the second before it was seen, or later by a wrong clock', () => {
    for (const after of [-100_000, 0, 900]) assert.isFalse(seen(after).witness.stillHolds());
  });

  const CHANGES: Record<string, (at: ReturnType<typeof seen>) => void> = {
    'other bytes of the same length': ({ path }) => writeFileSync(path, 'y'),
    'another length': ({ path }) => writeFileSync(path, ''),
    'another mode': ({ path }) => chmodSync(path, 0o600),
    'no file': ({ path }) => unlinkSync(path),
    'a file that was absent': ({ absent }) => writeFileSync(absent, ''),
    'another mode of the directory': ({ directory }) => chmodSync(directory, 0o700),
    'another directory with the very same file': ({ directory }) => {
      renameSync(directory, `${directory}.old`);
      makeDirectory(directory);
      renameSync(join(`${directory}.old`, 'f'), join(directory, 'f'));
    },
    'no directory': ({ directory }) => renameSync(directory, `${directory}.old`),
  };
  for (const [change, make] of Object.entries(CHANGES)) {
    it(`[R56] holds no more after ${change}`, () => {
      const at = seen(1100);
      make(at);
      assert.isFalse(at.witness.stillHolds());
    });
  }

  it('[R56] tells another directory of the same owner and mode by itself', () => {
    const { directory } = seen(1100);
    const witness = new Witness(Date.now());
    witness.sawIdentity(directory);
    assert.isTrue(witness.stillHolds());
    renameSync(directory, `${directory}.old`);
    makeDirectory(directory);
    assert.isFalse(witness.stillHolds());
  });
});
