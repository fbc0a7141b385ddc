// SPDX-License-Identifier: Apache-2.0
import {
  type BrokerClient,
  BrokerError,
  connectBroker,
  connectOperator,
  type LinkOptions,
  type OperatorClient,
} from '../../client.ts';
import { CliError } from './error.ts';

/** Does something as one that asks, on a connection of its own. */
export async function asCaller<T>(
  env: NodeJS.ProcessEnv,
  work: (broker: BrokerClient) => Promise<T>,
): Promise<T> {
  const broker = await connected(connectBroker, env);
  try {
    return await work(broker);
  } finally {
    await broker.close();
  }
}

/** Does something as the person's own tool, on a connection of its own. */
export async function asOperator<T>(
  env: NodeJS.ProcessEnv,
  work: (operator: OperatorClient) => Promise<T>,
): Promise<T> {
  const operator = await connected(connectOperator, env);
  try {
    return await work(operator);
  } finally {
    await operator.close();
  }
}

/** Connects to the bus; the broker itself is looked for at the first call. Throws `BrokerUnreachable`. */
async function connected<T>(
  connect: (options: LinkOptions) => Promise<T>,
  env: NodeJS.ProcessEnv,
): Promise<T> {
  try {
    return await connect({ address: env.DBUS_SESSION_BUS_ADDRESS });
  } catch (cause) {
    if (!(cause instanceof BrokerError)) throw cause;
    throw new CliError(
      'BrokerUnreachable',
      `the message bus cannot be reached: ${cause.message}`,
      'run this in a desktop session, or export DBUS_SESSION_BUS_ADDRESS as `portalctl dev` prints it',
      { cause },
    );
  }
}
