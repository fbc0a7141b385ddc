// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from '../../../../broker/front/cli/dev/broker.ts';
import { Child } from '../../../../broker/front/cli/dev/child.ts';
import { startPrivateBus } from '../../../../dbus/daemon.ts';

/** A real bus, a real broker and the fixture app on it. */
export interface DeskFixture {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** What the app wrote down, a line each. */
  journal(): readonly string[];
  /** Ends the broker, and leaves the bus and the store. */
  stopBroker(): Promise<void>;
  stopBus(): Promise<void>;
  stop(): Promise<void>;
}

export async function startDesk(): Promise<DeskFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-cli-'));
  const bus = await startPrivateBus();
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: bus.address, HOME: folder, NO_COLOR: '1' };
  const broker = await startBroker(folder, env, () => undefined);
  const journal = join(folder, 'journal');
  const standing = Promise.withResolvers<void>();
  const app = new Child([process.execPath, join(import.meta.dirname, 'fixture-app.ts'), journal], {
    env,
    onLine: (line) => line.startsWith('standing: tier 1') && standing.resolve(),
  });
  const ended = app.ended.then((how) => Promise.reject(new Error(`the app ended ${how}`)));
  ended.catch(() => undefined);
  await Promise.race([standing.promise, ended]);
  return {
    env,
    folder,
    journal: () => (existsSync(journal) ? readFileSync(journal, 'utf8').trimEnd().split('\n') : []),
    stopBroker: () => broker.stop(),
    stopBus: () => bus.stop(),
    async stop() {
      await app.stop();
      await broker.stop();
      await bus.stop();
      await rm(folder, { recursive: true });
    },
  };
}
