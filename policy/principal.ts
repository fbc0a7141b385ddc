// SPDX-License-Identifier: Apache-2.0
import { AUTH_LEVELS, type AuthLevel, type Category } from '../manifests/capability.ts';

/** Who asks, as far as a decision needs to know; how it was recognised is the broker's business. */
export interface Principal {
  readonly id: string;
  /** What rules and grants may call it: the configured id, where `id` tells one of its processes from another; else `id`. */
  readonly name: string;
  readonly level: AuthLevel;
  /** When set, the only categories this principal may use. */
  readonly categories: readonly Category[] | undefined;
}

/** Whether `held` is at least `needed`. */
export function reaches(held: AuthLevel, needed: AuthLevel): boolean {
  return AUTH_LEVELS.indexOf(held) >= AUTH_LEVELS.indexOf(needed);
}

/** The higher of two levels. */
export function higher(a: AuthLevel, b: AuthLevel): AuthLevel {
  return reaches(a, b) ? a : b;
}
