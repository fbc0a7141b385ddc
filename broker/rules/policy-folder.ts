// SPDX-License-Identifier: Apache-2.0
import { Witness } from '../../keys/witness.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import { PolicyFileError, type Refusal } from './error.ts';
import { type PolicyFile, type PolicyFiles, type PolicyPlace, readPolicyFiles } from './policy-files.ts';

/** What is refused is looked at again this often even where it looks unchanged: it can be the folders above that were mended. */
const REFUSED_AGAIN_MS = 30_000;

/** What is in force of one file, and why its last reading was refused where it was. */
export interface FileStatus {
  readonly path: string;
  readonly source: 'root' | 'user';
  /** How many rules of it are in force. */
  readonly rules: number;
  readonly refused?: Refusal;
}

/** What a reading came to. */
export type Reading = 'same' | 'taken' | 'refused' | 'refused-again';

/**
 * One place of policy files: read as a whole or not at all, and apart from every other place, so that nobody's files can
 * keep another's from counting.
 */
export class PolicyFolder {
  readonly place: PolicyPlace;
  readonly #limits: PolicyLimits;
  #files: PolicyFiles = { files: [], digest: '' };
  #refused: PolicyFileError | undefined;
  #witness: Witness;
  #readAt: number;

  constructor(place: PolicyPlace, limits: PolicyLimits, now: number) {
    this.place = place;
    this.#limits = limits;
    this.#readAt = now;
    this.#witness = new Witness(now);
  }

  /** In force. */
  get files(): readonly PolicyFile[] {
    return this.#files.files;
  }

  /** Why the last reading was refused; undefined where it was not. */
  get refused(): PolicyFileError | undefined {
    return this.#refused;
  }

  /** Whether another reading could come to something else. */
  isStale(now: number): boolean {
    if (this.#refused !== undefined && Math.abs(now - this.#readAt) >= REFUSED_AGAIN_MS) return true;
    try {
      return !this.#witness.stillHolds();
    } catch {
      return true; // what can no longer be looked at is not as it was
    }
  }

  read(now: number): Reading {
    this.#readAt = now;
    this.#witness = new Witness(now);
    const before = this.#refused;
    try {
      const files = readPolicyFiles(this.place, this.#witness, this.#limits);
      this.#refused = undefined;
      if (before === undefined && files.digest === this.#files.digest) return 'same';
      this.#files = files;
      return 'taken';
    } catch (error) {
      if (!(error instanceof PolicyFileError)) throw error;
      this.#refused = error;
      return before?.message === error.message ? 'refused-again' : 'refused';
    }
  }

  /** Every file in force, and the file or directory that keeps a newer reading from being taken over. */
  status(): readonly FileStatus[] {
    const refused = this.#refused;
    const inForce = this.files.map(
      ({ path, source, rules }): FileStatus => ({
        path,
        source,
        rules: rules.length,
        ...(refused?.path === path ? { refused: refused.refusal } : {}),
      }),
    );
    if (refused === undefined || inForce.some(({ path }) => path === refused.path)) return inForce;
    const { path, source, refusal } = refused;
    return [...inForce, { path, source, rules: 0, refused: refusal }];
  }
}
