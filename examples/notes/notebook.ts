// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from './error.ts';
import { createNote, moveAway, type NoteText, place, readNote, replaceNote } from './note-file.ts';

export interface NotebookLimits {
  /** Bytes of one note. */
  readonly maxNoteBytes: number;
  /** Characters of a line that a search shows. */
  readonly maxLineLength: number;
}

export const LIMITS: NotebookLimits = { maxNoteBytes: 128 * 1024, maxLineLength: 200 };

export interface Match {
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

// Letters, digits, and between them spaces, dots, dashes and underscores: no separator, no leading dot, nothing
// invisible. The manifest states the same pattern, so a person sees it refused before it comes here.
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._-]*[\p{L}\p{M}\p{N}])?$/u;
const LONGEST_NAME = 60;
const SUFFIX = '.md';
const TRASH = '.trash';
const TOKEN = /^[0-9a-f]{32}$/;

/** A folder of notes, one Markdown file each. What is deleted goes to `.trash` in it, and stays there. */
export class Notebook {
  readonly #folder: string;
  readonly #limits: NotebookLimits;
  /** Changes one after the other: appending reads, then writes. */
  #last: Promise<unknown> = Promise.resolve();

  /** Opens a folder, making it (for its owner alone) where it is missing. Throws NoteError `FolderUnusable`. */
  static async open(folder: string, limits: NotebookLimits = LIMITS): Promise<Notebook> {
    try {
      await mkdir(join(folder, TRASH), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new NoteError(
        'FolderUnusable',
        `cannot use the folder \`${folder}\`: choose another with --folder`,
        { cause },
      );
    }
    return new Notebook(folder, limits);
  }

  private constructor(folder: string, limits: NotebookLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** The names of all notes, sorted. */
  async names(): Promise<readonly string[]> {
    const entries = await readdir(this.#folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX))
      .map((entry) => entry.name.slice(0, -SUFFIX.length))
      .filter(isName)
      .sort();
  }

  async read(name: string): Promise<NoteText> {
    return await readNote(this.#path(name), this.#limits.maxNoteBytes);
  }

  /** The first `most` lines that contain `query`, whatever its case. Looks at each note up to the size limit. */
  async search(
    query: string,
    most: number,
    signal?: AbortSignal,
  ): Promise<{ matches: readonly Match[]; more: boolean }> {
    const wanted = query.toLowerCase();
    const matches: Match[] = [];
    for (const name of await this.names()) {
      signal?.throwIfAborted();
      const { text } = await this.read(name).catch(skipUnreadable);
      for (const [index, line] of text.split('\n').entries()) {
        if (!line.toLowerCase().includes(wanted)) continue;
        if (matches.length === most) return { matches, more: true };
        matches.push({
          name,
          line: index + 1,
          text: line.slice(0, this.#limits.maxLineLength).toWellFormed(),
        });
      }
    }
    return { matches, more: false };
  }

  /** Resolves with the size in bytes. */
  async create(name: string, text: string): Promise<number> {
    return await this.#change(async () => {
      const bytes = this.#size(text);
      await createNote(this.#path(name), text);
      return bytes;
    });
  }

  /** Adds text on a line of its own; resolves with the new size in bytes. */
  async append(name: string, text: string): Promise<number> {
    return await this.#change(async () => {
      const path = this.#path(name);
      const before = await readNote(path, this.#limits.maxNoteBytes);
      if (before.cut) throw tooLarge(this.#limits);
      const glue = before.text === '' || before.text.endsWith('\n') ? '' : '\n';
      const after = `${before.text}${glue}${text}${text.endsWith('\n') ? '' : '\n'}`;
      const bytes = this.#size(after);
      await replaceNote(path, after);
      return bytes;
    });
  }

  /** Moves a note to the trash; resolves with what `restore` needs. */
  async delete(name: string): Promise<string> {
    return await this.#change(async () => {
      const token = randomBytes(16).toString('hex');
      await moveAway(this.#path(name), join(this.#folder, TRASH, `${token} ${name}${SUFFIX}`));
      return token;
    });
  }

  /** Takes a note out of the trash again; resolves with its name. Throws NoteError where the name is taken by now. */
  async restore(token: string): Promise<string> {
    return await this.#change(async () => {
      const trash = join(this.#folder, TRASH);
      const found = TOKEN.test(token)
        ? (await readdir(trash)).find((file) => file.startsWith(`${token} `))
        : undefined;
      const name = found?.slice(token.length + 1, -SUFFIX.length) ?? '';
      if (found === undefined || !isName(name)) {
        throw new NoteError('TrashMissing', 'what was deleted is not in the trash any more');
      }
      await place(join(trash, found), this.#path(name));
      return name;
    });
  }

  #path(name: string): string {
    if (!isName(name)) {
      throw new NoteError(
        'NameInvalid',
        `a note's name has letters, digits, spaces, \`.\`, \`-\` and \`_\`, at most ${LONGEST_NAME}`,
      );
    }
    return join(this.#folder, `${name}${SUFFIX}`);
  }

  #size(text: string): number {
    const bytes = Buffer.byteLength(text, 'utf8');
    if (bytes > this.#limits.maxNoteBytes) throw tooLarge(this.#limits);
    return bytes;
  }

  async #change<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step);
    this.#last = result.catch(() => undefined);
    return await result;
  }
}

function isName(name: string): boolean {
  return [...name].length <= LONGEST_NAME && NAME.test(name);
}

function skipUnreadable(error: unknown): NoteText {
  // Gone since it was listed, or not text: nothing to find there.
  if (error instanceof NoteError) return { text: '', bytes: 0, cut: false };
  throw error;
}

function tooLarge({ maxNoteBytes }: NotebookLimits): NoteError {
  return new NoteError('NoteTooLarge', `a note has at most ${maxNoteBytes} bytes: start another one`);
}
