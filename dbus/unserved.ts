// SPDX-License-Identifier: Apache-2.0
import { ERROR_NAME } from './error.ts';

/** A call that the object tree itself refuses, before or beside any handler: its text may always go out. */
export class Unserved extends Error {
  readonly wireName: string;

  constructor(error: keyof typeof ERROR_NAME, text: string) {
    super(text);
    this.wireName = ERROR_NAME[error];
  }
}
