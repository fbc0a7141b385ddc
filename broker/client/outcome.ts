// SPDX-License-Identifier: Apache-2.0
import type { Outcome, Status } from '../intent/outcome.ts';
import { BrokerError } from '../peer/error.ts';
import { parseReplyObject } from '../peer/json.ts';

export type { Outcome } from '../intent/outcome.ts';

const FINAL: Readonly<Record<Status, true>> = {
  executed: true,
  denied: true,
  expired: true,
  failed: true,
  unknown: true,
};

/** Reads an outcome. Throws a BrokerError `Protocol` for anything that is none. */
export function parseOutcome(text: string): Outcome {
  const value = parseReplyObject(text);
  const { invocation, status, stage } = value;
  const known = typeof status === 'string' && Object.hasOwn(FINAL, status);
  if (typeof invocation !== 'string' || typeof stage !== 'string' || !known) {
    throw new BrokerError(
      'Protocol',
      'the broker answered with an outcome that this version does not understand',
    );
  }
  // The parse boundary: the broker vouches for the rest, which dbus-policy/org.portal.Broker1.xml describes.
  return value as unknown as Outcome;
}
