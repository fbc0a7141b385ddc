// SPDX-License-Identifier: Apache-2.0
import {
  mkdirSync,
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
import fc from 'fast-check';
import { NoteError, type NoteErrorCode } from '../../../examples/notes/error.ts';
import { folderError } from '../../../examples/notes/note-file.ts';
import { Notebook } from '../../../examples/notes/notebook.ts';

describe('examples/notes: Notebook', () => {
  let folder: string;
  let notes: Notebook;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portal-notes-'));
    notes = await Notebook.open(join(folder, 'notes'), { maxNoteBytes: 100, maxLineLength: 10 });
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const path = (name: string): string => join(folder, 'notes', name);
  const files = (): string[] => readdirSync(path('.')).sort();

  async function refused(promise: Promise<unknown>, code: NoteErrorCode): Promise<void> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof NoteError)) throw new Error(`expected ${code}`, { cause: error });
    assert.equal(error.code, code, error.message);
    assert.notMatch(error.message, /\n|\.$/);
  }

  it('keeps each note in a file of its own, for its owner alone', async () => {
    assert.equal(await notes.create('Shopping list', 'milk\n'), 5);
    assert.deepEqual(files(), ['.trash', 'Shopping list.md']);
    assert.equal(readFileSync(path('Shopping list.md'), 'utf8'), 'milk\n');
    assert.equal(statSync(path('Shopping list.md')).mode & 0o777, 0o600);
    assert.equal(statSync(path('.')).mode & 0o777, 0o700);
  });

  it('reads, lists and searches what is there', async () => {
    await notes.create('b', 'Bread\nmilk, and more of it');
    await notes.create('a', 'MILK');
    writeFileSync(path('a person wrote this.md'), 'milk');
    writeFileSync(path('other.txt'), 'milk');
    writeFileSync(path('.hidden.md'), 'milk');
    mkdirSync(path('folder.md'));
    assert.deepEqual(await notes.names(), ['a', 'a person wrote this', 'b']);
    assert.deepEqual(await notes.read('a'), { text: 'MILK', bytes: 4, cut: false });
    assert.deepEqual(await notes.search('milk', 10), {
      matches: [
        { name: 'a', line: 1, text: 'MILK' },
        { name: 'a person wrote this', line: 1, text: 'milk' },
        { name: 'b', line: 2, text: 'milk, and ' },
      ],
      more: false,
    });
    assert.deepEqual(await notes.search('milk', 1), {
      matches: [{ name: 'a', line: 1, text: 'MILK' }],
      more: true,
    });
    assert.isEmpty((await notes.search('none', 1)).matches);
  });

  it('stops a search that nobody waits for', async () => {
    await notes.create('a', 'x');
    const error = await notes.search('x', 1, AbortSignal.abort()).catch((reason: unknown) => reason);
    assert.equal(Object(error).name, 'AbortError');
  });

  it('appends on a line of its own', async () => {
    await notes.create('a', 'one');
    assert.equal(await notes.append('a', 'two'), 8);
    await notes.append('a', 'three\n');
    assert.equal(readFileSync(path('a.md'), 'utf8'), 'one\ntwo\nthree\n');
    writeFileSync(path('empty.md'), '');
    await notes.append('empty', 'x');
    assert.equal(readFileSync(path('empty.md'), 'utf8'), 'x\n');
  });

  it('loses none of many appends at once', async () => {
    await notes.create('a', 'x\n');
    await Promise.all(Array.from({ length: 20 }, (_, index) => notes.append('a', `${index}`)));
    assert.lengthOf(readFileSync(path('a.md'), 'utf8').trim().split('\n'), 21);
  });

  it('replaces nothing when it creates, even at the same moment', async () => {
    const other = await Notebook.open(path('.'));
    const results = await Promise.allSettled([notes.create('a', 'one'), other.create('a', 'two')]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await refused(notes.create('a', 'three'), 'NoteExists');
    assert.include(['one', 'two'], readFileSync(path('a.md'), 'utf8'));
    assert.deepEqual(files(), ['.trash', 'a.md'], 'nothing temporary is left');
  });

  it('deletes into the trash and restores from it', async () => {
    await notes.create('a', 'text');
    const token = await notes.delete('a');
    assert.deepEqual(files(), ['.trash']);
    await refused(notes.read('a'), 'NoteMissing');
    assert.equal(await notes.restore(token), 'a');
    assert.equal((await notes.read('a')).text, 'text');
    await refused(notes.restore(token), 'TrashMissing');
    assert.isEmpty(readdirSync(path('.trash')));
  });

  it('restores over nothing, and keeps what it could not restore', async () => {
    await notes.create('a', 'old');
    const token = await notes.delete('a');
    await notes.create('a', 'new');
    await refused(notes.restore(token), 'NoteExists');
    assert.equal((await notes.read('a')).text, 'new');
    assert.lengthOf(readdirSync(path('.trash')), 1);
  });

  it('takes nothing but its own tokens', async () => {
    await notes.create('a b', 'text');
    const own = await notes.delete('a b');
    for (const token of [`${own} a`, '', ' ', '..', 'a', '../a', '0'.repeat(32)])
      await refused(notes.restore(token), 'TrashMissing');
    writeFileSync(path('.trash/00000000000000000000000000000000 ...md'), 'x');
    await refused(notes.restore('0'.repeat(32)), 'TrashMissing');
  });

  it('refuses what is not there', async () => {
    await refused(notes.read('a'), 'NoteMissing');
    await refused(notes.append('a', 'x'), 'NoteMissing');
    await refused(notes.delete('a'), 'NoteMissing');
  });

  const BAD_NAMES = [
    '',
    '.',
    '..',
    '../x',
    '/etc/passwd',
    'a/b',
    'a\\b',
    '.hidden',
    'a.',
    'a ',
    ' a',
    'a\0b',
    'a\nb',
    'a\u202eb',
    'x'.repeat(61),
    '\ud800',
  ];
  for (const name of BAD_NAMES) {
    const shown = JSON.stringify(name).replace(
      /[^ -~]/g,
      (found) => `\\u${found.charCodeAt(0).toString(16)}`,
    );
    it(`[R64] refuses ${shown.slice(0, 20)} for a name`, async () => {
      for (const attempt of [
        notes.read(name),
        notes.create(name, 'x'),
        notes.append(name, 'x'),
        notes.delete(name),
      ]) {
        await refused(attempt, 'NameInvalid');
      }
      assert.deepEqual(files(), ['.trash']);
    });
  }

  it('[R64] touches nothing outside its folder, whatever the name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (name) => {
        await notes.create(name, 'x').then(
          () => rmSync(path(`${name}.md`)),
          (error: unknown) => {
            if (!(error instanceof NoteError)) throw error;
          },
        );
        assert.deepEqual(readdirSync(folder), ['notes']);
        assert.deepEqual(files(), ['.trash']);
      }),
      { numRuns: 200 },
    );
  });

  it('takes names of all scripts up to their full length', async () => {
    for (const name of ['Überlegung', '買い物リスト', 'a.b-c_d 1', '𝒳'.repeat(60)]) {
      await notes.create(name, 'x');
      assert.equal((await notes.read(name)).text, 'x');
    }
  });

  it('[R64] follows no link out of its folder', async () => {
    writeFileSync(join(folder, 'secret'), 'secret');
    symlinkSync(join(folder, 'secret'), path('a.md'));
    await refused(notes.read('a'), 'NoteUnreadable');
    await refused(notes.append('a', 'x'), 'NoteUnreadable');
    assert.deepEqual(await notes.names(), []);
    assert.equal(readFileSync(join(folder, 'secret'), 'utf8'), 'secret');
  });

  it('reads no folder, no foreign bytes and no NUL', async () => {
    mkdirSync(path('folder.md'));
    writeFileSync(path('bytes.md'), Buffer.from([0xff]));
    writeFileSync(path('nul.md'), 'a\0b');
    for (const name of ['folder', 'bytes', 'nul']) await refused(notes.read(name), 'NoteUnreadable');
    assert.isEmpty((await notes.search('a', 10)).matches);
  });

  it('bounds a note: writes no more, and cuts what is larger between characters', async () => {
    await refused(notes.create('a', 'x'.repeat(101)), 'NoteTooLarge');
    await notes.create('a', 'x'.repeat(100));
    await refused(notes.append('a', 'x'), 'NoteTooLarge');
    writeFileSync(path('b.md'), `${'x'.repeat(99)}ä`);
    assert.deepEqual(await notes.read('b'), { text: 'x'.repeat(99), bytes: 101, cut: true });
    // Without its end it would have room for more, and the end would be lost.
    writeFileSync(path('c.md'), `${'x'.repeat(97)}𝒳`);
    await refused(notes.append('c', 'x'), 'NoteTooLarge');
    assert.equal(statSync(path('c.md')).size, 101);
  });

  it('says so where the folder cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    await refused(Notebook.open(join(folder, 'file')), 'FolderUnusable');
  });

  it('leaves an error that is not of the system as it is', () => {
    const bug = new TypeError('bug');
    assert.equal(folderError(bug), bug);
  });
});
