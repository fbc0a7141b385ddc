// SPDX-License-Identifier: Apache-2.0

/** Whether what an invocation does may be lost for good, so that it is never allowed along with others in passing. */
export function isForGood(sideEffects: string): boolean {
  return sideEffects === 'destructive' || sideEffects === 'system';
}
