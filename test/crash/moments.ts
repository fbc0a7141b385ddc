// SPDX-License-Identifier: Apache-2.0

/** Moments within a round at which to pull the plug, at random: in milliseconds, from its start to its usual end. */
export function moments(count: number, usual: number): readonly number[] {
  return Array.from({ length: count }, () => Math.floor(Math.random() * usual));
}
