// SPDX-License-Identifier: Apache-2.0
// The daemon. Owns its name first and loads the rest then: calls that arrive meanwhile are held by the connection.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../dbus/connection.ts';
import { requireNode24 } from '../scripts/node24.ts';
import { BUS_NAME } from './bus/names.ts';
import { VERSION } from './version.ts';

requireNode24();

/**
 * What peers may use up: a message holds parameters of 1 MiB or a manifest of half that, and its options are few. Of one
 * connection twice as many calls as it may have requests.
 */
const BUS_LIMITS = {
  maxIncomingBytes: 2 ** 21,
  maxValues: 4096,
  maxUnanswered: 512,
  maxWaitingBytes: 2 ** 23,
};

const HELP = `usage: portal-broker [--config FILE] [--store DIRECTORY] [--allow-owner UID]

The Portal capability broker, on the bus that DBUS_SESSION_BUS_ADDRESS names. It prints one line of JSON when it is ready,
logs to standard error, and ends with a code other than 0 when the bus goes away.

  --config FILE       the administrator's settings (default /etc/portal/broker.json; none is fine)
  --store DIRECTORY   where records are kept (default $XDG_STATE_HOME/portal)
  --allow-owner UID   a user besides root who may own FILE, for development
`;

const { values } = parseArgs({
  options: {
    config: { type: 'string' },
    store: { type: 'string' },
    'allow-owner': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help === true) {
  process.stdout.write(HELP);
  process.exit(0);
}

const configHome = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
const stateHome = process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
const storeDirectory = values.store ?? join(stateHome, 'portal');

try {
  const bus = await connect({ limits: BUS_LIMITS });
  await bus.requestName(BUS_NAME);

  const [{ readConfigOrDefaults }, { openLog }, { openStore }, { start }] = await Promise.all([
    import('./config-file.ts'),
    import('./log.ts'),
    import('./store/database.ts'),
    import('./start.ts'),
  ]);
  const owners = values['allow-owner'] === undefined ? [] : [Number(values['allow-owner'])];
  const read = readConfigOrDefaults(values.config, owners, storeDirectory);
  const userDirectory = read.policy.userDirectory ?? join(configHome, 'portal', 'policy.d');
  const config = { ...read, policy: { ...read.policy, userDirectory } };
  const log = openLog();
  const store = openStore({ directory: config.storeDirectory });
  const running = await start({ bus, config, store, version: VERSION, log, now: Date.now });
  process.stdout.write(
    `${JSON.stringify({ ready: true, name: BUS_NAME, pid: process.pid, version: VERSION })}\n`,
  );

  const end = async (code: number) => {
    await running.stop();
    store.close();
    await bus.close();
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(0));
  const reason = await bus.closed;
  if (reason !== undefined) {
    log.fault(reason);
    process.stderr.write('the message bus went away\n');
    await running.stop();
    store.close();
    process.exit(1);
  }
} catch (error) {
  process.stderr.write(`portal broker: ${error instanceof Error ? error.message : 'cannot start'}\n`);
  process.exit(1);
}
