// SPDX-License-Identifier: Apache-2.0
import type { BrokerLink } from '../peer/link.ts';

/** Ends what was begun: no more calls of a listener. */
export type Stop = () => Promise<void>;

/** Which signal of the broker's main object, with its exact types. */
export interface SignalOf {
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
}

/** Calls `listener` with each such signal that comes from the broker itself; others are no signals of this. */
export async function onSignal(
  link: BrokerLink,
  { interface: on, member, signature: types }: SignalOf,
  listener: (body: readonly unknown[]) => void,
): Promise<Stop> {
  return await link.connection.watch({ interface: on, member }, ({ sender, signature, body }) => {
    if (link.isBroker(sender) && signature === types) listener(body);
  });
}

/** The texts of an `as`. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
