// SPDX-License-Identifier: Apache-2.0

/** How the command ends; scripts branch on these, so a number never changes its meaning. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  unknown: 4,
  pending: 5,
  fault: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The table that `--help` prints. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.refused, 'refused, denied, expired, not valid or failed: the answer is no'],
  [EXIT.usage, 'the command line was not understood'],
  [EXIT.unreachable, 'the broker or the bus could not be reached'],
  [EXIT.unknown, 'the outcome is unknown: it may have happened; look before trying again'],
  [EXIT.pending, 'not decided yet'],
  [EXIT.fault, 'a fault in portalctl itself'],
  [EXIT.interrupted, 'interrupted'],
];
