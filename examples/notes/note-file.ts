// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NoteError } from './error.ts';

/** The text of a note, at most `maxBytes` of it. */
export interface NoteText {
  readonly text: string;
  /** Size of the file. */
  readonly bytes: number;
  /** True when the file is longer than what is given here. */
  readonly cut: boolean;
}

/** Reads a note. Throws NoteError `NoteMissing`, or `NoteUnreadable` for what is no plain text file. */
export async function readNote(path: string, maxBytes: number): Promise<NoteText> {
  // No link is followed: it could lead out of the folder.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    refuse,
  );
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : Promise.reject(unreadable())));
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const cut = size > bytesRead;
    return { text: decode(buffer.subarray(0, bytesRead), cut), bytes: size, cut };
  } finally {
    await file.close();
  }
}

/** Writes a new note; throws NoteError `NoteExists` where there is one. Readers see all of it or nothing. */
export async function createNote(path: string, text: string): Promise<void> {
  await withTemporary(path, text, async (temporary) => {
    await place(temporary, path);
  });
}

/** Replaces a note. Readers see the old text or the new one. */
export async function replaceNote(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
}

/** Moves a note to a path that nobody else can have; throws NoteError `NoteMissing`. */
export async function moveAway(from: string, to: string): Promise<void> {
  await rename(from, to).catch(refuse);
}

/** Moves a file to where there may be a note; throws NoteError `NoteExists` then, and `NoteMissing`. */
export async function place(from: string, to: string): Promise<void> {
  // Unlike a rename, a link never replaces what is there.
  await link(from, to).catch(refuse);
  // It is in place now: a second name for it that stays behind does no harm.
  await unlink(from).catch(() => undefined);
}

async function withTemporary(
  path: string,
  text: string,
  use: (temporary: string) => Promise<void>,
): Promise<void> {
  // In the same folder, so that it can be moved in one step; the leading dot keeps it from being taken for a note.
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await use(temporary);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Where the text was cut, the end may hold half a character: it is left out. */
function decode(bytes: Buffer, cut: boolean): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut });
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: as unreadable as one with a NUL in it.
  }
  throw unreadable();
}

function refuse(cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') throw new NoteError('NoteMissing', 'there is no such note: see `list`', { cause });
  if (code === 'EEXIST')
    throw new NoteError('NoteExists', 'there is a note of this name: append to it, or choose another name', {
      cause,
    });
  if (code === 'ELOOP') throw unreadable(cause);
  throw cause;
}

/** What the system says of a folder that is full, gone or not ours, as an error that says so. */
export function folderError(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('errno' in cause) || !('code' in cause)) return cause;
  const message = `the folder of the notes cannot be used (${String(cause.code)}): see to its space and permissions`;
  return new NoteError('FolderUnusable', message, { cause });
}

function unreadable(cause?: unknown): NoteError {
  return new NoteError('NoteUnreadable', 'this note is not a plain text file', { cause });
}
