// SPDX-License-Identifier: Apache-2.0
import {
  CapabilityError,
  type CapabilityHandler,
  type CapabilityResult,
  type InvocationContext,
  type Params,
} from '../../broker/handler.ts';
import { NoteError } from './error.ts';
import { folderError } from './note-file.ts';
import { LIMITS, type Notebook } from './notebook.ts';

export type Change = 'created' | 'appended' | 'deleted' | 'restored';

type Run = (notes: Notebook, params: Params, signal: AbortSignal) => Promise<CapabilityResult>;

const PREFIX = 'notes.org.example.notes.';

/** What each capability does, by the last part of its id; the manifest says what goes in and out. */
const ACTIONS: Readonly<Record<string, Run>> = {
  list: async (notes, params) => {
    const names = await notes.names();
    const offset = number(params, 'offset', 0);
    return done({ names: names.slice(offset, offset + number(params, 'limit', 100)), total: names.length });
  },
  read: async (notes, params) => {
    const { text: content, bytes, cut } = await notes.read(text(params, 'name'));
    return done({ text: content, bytes, truncated: cut });
  },
  search: async (notes, params, signal) => {
    const { matches, more } = await notes.search(text(params, 'query'), number(params, 'limit', 20), signal);
    return done({ matches, truncated: more });
  },
  create: async (notes, params) => {
    const bytes = await notes.create(text(params, 'name'), text(params, 'text'));
    return { ...done({ bytes }), stateAfter: { exists: true, bytes } };
  },
  append: async (notes, params) => {
    const bytes = await notes.append(text(params, 'name'), text(params, 'text'));
    return { ...done({ bytes }), stateAfter: { exists: true, bytes } };
  },
  delete: async (notes, params) => {
    const undoToken = await notes.delete(text(params, 'name'));
    return { ...done({}), stateAfter: { exists: false }, undoToken };
  },
};

const CHANGES: Readonly<Record<string, Change>> = {
  create: 'created',
  append: 'appended',
  delete: 'deleted',
};

/** The capabilities of the notes app: they act on the files, whatever window may show them. */
export class NotesCapabilities implements CapabilityHandler {
  readonly manifest: Uint8Array | string;
  readonly #notes: Notebook;
  readonly #onChange: (name: string, change: Change) => void;

  /** @param onChange told of each change after it was made */
  constructor(
    manifest: Uint8Array | string,
    notes: Notebook,
    onChange: (name: string, change: Change) => void,
  ) {
    this.manifest = manifest;
    this.#notes = notes;
    this.#onChange = onChange;
  }

  /** A schema counts characters, and the limit is in bytes. */
  validateParams(_capabilityId: string, params: Params): void {
    if (Buffer.byteLength(text(params, 'text', ''), 'utf8') > LIMITS.maxNoteBytes) {
      const message = `the text is too large: a note has at most ${LIMITS.maxNoteBytes} bytes`;
      throw new CapabilityError({ code: 'InvalidParams', message });
    }
  }

  async invoke(
    capabilityId: string,
    params: Params,
    { signal }: InvocationContext,
  ): Promise<CapabilityResult> {
    const action = capabilityId.slice(PREFIX.length);
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (run === undefined)
      throw new CapabilityError({ code: 'NotFound', message: 'there is no such capability' });
    const result = await this.#reporting(() => run(this.#notes, params, signal));
    const change = CHANGES[action];
    if (change !== undefined) this.#onChange(text(params, 'name'), change);
    return result;
  }

  async undo(undoToken: string): Promise<CapabilityResult> {
    const name = await this.#reporting(() => this.#notes.restore(undoToken));
    this.#onChange(name, 'restored');
    return { ...done({ name }), stateAfter: { exists: true } };
  }

  async #reporting<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (thrown) {
      // Each step changes a note in one move, so where the system refuses one nothing was changed.
      const error = folderError(thrown);
      throw error instanceof NoteError ? failure(error) : error;
    }
  }
}

function failure(error: NoteError): CapabilityError {
  const { code, message } = error;
  switch (code) {
    case 'NameInvalid':
      return new CapabilityError({ code: 'InvalidParams', message }, { cause: error });
    case 'NoteMissing':
      return new CapabilityError({ code: 'NotFound', message }, { cause: error });
    case 'NoteExists':
    case 'FolderUnusable':
      return new CapabilityError(
        { code: 'ExecutionFailed', reason: message, recoverable: true },
        { cause: error },
      );
    case 'NoteTooLarge':
    case 'NoteUnreadable':
    case 'TrashMissing':
      return new CapabilityError(
        { code: 'ExecutionFailed', reason: message, recoverable: false },
        { cause: error },
      );
  }
}

function done(data: Params): CapabilityResult {
  return { success: true, data };
}

function text(params: Params, key: string, otherwise?: string): string {
  const value = params[key] ?? otherwise;
  if (typeof value === 'string') return value;
  throw new CapabilityError({ code: 'InvalidParams', message: `\`${key}\` must be a text` });
}

function number(params: Params, key: string, otherwise: number): number {
  const value = params[key] ?? otherwise;
  if (typeof value === 'number') return value;
  throw new CapabilityError({ code: 'InvalidParams', message: `\`${key}\` must be a number` });
}
