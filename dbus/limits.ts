// SPDX-License-Identifier: Apache-2.0

/** How much of a connection others may use up. */
export interface ConnectionLimits {
  /** Bytes of the body of a message that is sent. */
  readonly maxMessageBytes: number;
  /** Bytes of the body of a message that is received; larger ones are neither decoded nor stored. */
  readonly maxIncomingBytes: number;
  /** Values in a received body, containers and variants included: what decoding costs goes by these, not by bytes. */
  readonly maxValues: number;
  /** Calls of one sender that have no answer yet. */
  readonly maxUnanswered: number;
  /** Bytes of one sender's messages that wait for their turn. */
  readonly maxWaitingBytes: number;
}

const MIB = 2 ** 20;

export const DEFAULT_LIMITS: ConnectionLimits = {
  maxMessageBytes: 16 * MIB,
  maxIncomingBytes: 16 * MIB,
  maxValues: 2 ** 17,
  maxUnanswered: 1024,
  maxWaitingBytes: 32 * MIB,
};
