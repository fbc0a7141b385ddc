// SPDX-License-Identifier: Apache-2.0
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { PendingFile } from '../../../broker/approval/pending-file.ts';
import { StoreError } from '../../../broker/store/error.ts';

const MARKER = 'hunter2-9f3c';

describe('broker/approval/pending-file', () => {
  let directory: string;
  let path: string;
  const open: PendingFile[] = [];
  const file = (): PendingFile => {
    const opened = new PendingFile(path);
    open.push(opened);
    return opened;
  };
  /** Whether the text is anywhere in the folder. */
  const holds = (text: string): boolean =>
    readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(text));
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'portal-pending-'));
    path = join(directory, 'pending.db');
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
    rmSync(directory, { recursive: true });
  });

  it('[R120] is readable by its owner alone, and gives back what it keeps', () => {
    const pending = file();
    pending.keep('a', MARKER);
    for (const name of readdirSync(directory)) {
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
    }
    assert.equal(pending.read('a'), MARKER);
    assert.isUndefined(pending.read('b'));
    pending.close();
    pending.close();
    assert.equal(file().read('a'), MARKER);
  });

  it('[R120] what is scrubbed is on the disk no more', () => {
    const pending = file();
    pending.keep('a', MARKER.repeat(1000));
    pending.keep('b', 'stays');
    assert.isTrue(holds(MARKER));
    pending.scrub('a');
    pending.scrub('a');
    assert.isFalse(holds(MARKER));
    assert.equal(pending.read('b'), 'stays');
  });

  it('[R120] keeps only what is named', () => {
    const pending = file();
    for (const id of ['a', 'b', 'c']) pending.keep(id, `${MARKER} ${id}`);
    pending.keepOnly(['b', 'x']);
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => pending.read(id)),
      [undefined, `${MARKER} b`, undefined],
    );
    pending.keepOnly([]);
    assert.isFalse(holds(MARKER));
  });

  it('one that cannot be read is thrown away: what waited in it is void', () => {
    writeFileSync(path, 'no database at all'.repeat(100), { mode: 0o600 });
    const pending = file();
    assert.isUndefined(pending.read('a'));
    pending.keep('a', 'new');
    assert.equal(pending.read('a'), 'new');
  });

  const unsafe: readonly [what: string, make: () => void][] = [
    ['that others can read', () => writeFileSync(path, '', { mode: 0o644 })],
    ['that is a link', () => symlinkSync('/dev/null', path)],
    ['whose journal is a link', () => symlinkSync('/dev/null', `${path}-journal`)],
  ];
  for (const [what, make] of unsafe) {
    it(`refuses one ${what}`, () => {
      make();
      assert.equal(codeOf(file), 'StoreUnsafe');
    });
  }

  /** How opening failed. */
  function codeOf(opening: () => unknown): string | undefined {
    try {
      opening();
    } catch (error) {
      return error instanceof StoreError ? error.code : String(error);
    }
    return undefined;
  }

  it('says what failed and not what was in it', () => {
    const pending = file();
    pending.close();
    const refusal = (): void => pending.keep('a', MARKER);
    assert.throws(refusal, StoreError);
    assert.throws(refusal, /^keeping what waits failed/);
    assert.throws(() => pending.scrub('a'), StoreError);
  });
});
