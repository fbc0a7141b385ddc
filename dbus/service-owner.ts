// SPDX-License-Identifier: Apache-2.0
import type { Connection } from './connection.ts';
import { BUS_NAME, BUS_PATH, type MethodCall } from './messages.ts';

/**
 * The unique name of whoever owns a well-known name, started by the bus where nobody does: only under a unique name is
 * an answer known to be the owner's. Rejects with a DBusError where there is none.
 */
export async function serviceOwner(
  bus: Pick<Connection, 'call'>,
  name: string,
  patience: Pick<MethodCall, 'timeoutMs' | 'signal'>,
): Promise<string> {
  const ask = async (member: string, signature: string, body: readonly unknown[]): Promise<unknown> => {
    const call = { destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member };
    const [answer] = await bus.call({ ...call, signature, body, ...patience });
    return answer;
  };
  const owner = () => ask('GetNameOwner', 's', [name]);
  // Asked first, since the bus does not start what it knows no service file of, even when it already runs.
  const found = owner().catch(() => ask('StartServiceByName', 'su', [name, 0]).then(owner));
  return String(await found);
}
