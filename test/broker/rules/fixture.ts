// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULTS } from '../../../broker/config.ts';
import { type BookDeps, PolicyBook } from '../../../broker/rules/book.ts';
import { makeDirectory, scratch, thisUser, write } from '../../keys/fixture.ts';
import { RecordFixture } from '../audit/fixture.ts';

export const ASK = { effect: 'ASK', reason: 'because' };
export const DENY = { effect: 'DENY', reason: 'because' };
export const ALLOW = { effect: 'ALLOW', reason: 'because' };

/** Directories of policy files beside a real store, and a clock that files are older than. */
export class BookFixture extends RecordFixture {
  readonly base = scratch();
  readonly root = makeDirectory(join(this.base, 'etc'));
  readonly user = makeDirectory(join(this.base, 'home'));
  readonly faults: unknown[] = [];
  told = 0;

  constructor() {
    super();
    this.clock = Date.now() + 10_000;
  }

  open(more: Partial<BookDeps> = {}): PolicyBook {
    const book = PolicyBook.open({
      store: this.store,
      records: this.records,
      now: () => this.clock,
      newId: randomUUID,
      directories: { root: this.root, user: this.user },
      owners: [thisUser],
      limits: DEFAULTS.policyLimits,
      locked: [],
      fault: (error) => this.faults.push(error),
      ...more,
    });
    book.onChange(() => {
      this.told += 1;
    });
    return book;
  }

  /** A file of root's, with these rules unless it is given as text. */
  etc(name: string, content: string | readonly unknown[]): string {
    return write(join(this.root, name), typeof content === 'string' ? content : fileOf(content));
  }

  home(name: string, content: string | readonly unknown[]): string {
    return write(join(this.user, name), typeof content === 'string' ? content : fileOf(content));
  }

  /** As the next look at the files does. */
  later(ms = 1000): void {
    this.clock += ms;
  }

  codes(): (string | undefined)[] {
    return this.records.query({ type: 'policy' }).map(({ event }) => event?.code);
  }
}

export function fileOf(rules: readonly unknown[], locked: readonly unknown[] = []): string {
  return JSON.stringify({ rules, locked }, undefined, 2);
}
