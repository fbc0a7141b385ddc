// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startPrivateBus } from '../../../../dbus/daemon.ts';
import { connectOperator, type OperatorClient } from '../../../client.ts';
import type { Invocation } from '../command.ts';
import { type TerminalConfirmer, terminalConfirmer } from '../confirm/terminal.ts';
import { App, checkCommand, folderOf } from '../dev/app.ts';
import { startBroker } from '../dev/broker.ts';
import { watchFiles } from '../dev/watch.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Line, Screen } from '../screen.ts';

type CleanUp = () => unknown;

export async function run(invocation: Invocation): Promise<ExitCode> {
  checkCommand(invocation.rest);
  const cleanUps: CleanUp[] = [];
  try {
    return await develop(invocation, cleanUps);
  } finally {
    // In the reverse order, each whatever became of the others.
    for (const cleanUp of cleanUps.reverse())
      await Promise.resolve()
        .then(cleanUp)
        .catch(() => undefined);
  }
}

async function develop({ rest, options, screen, env }: Invocation, cleanUps: CleanUp[]): Promise<ExitCode> {
  const left = untilLeft(cleanUps);
  const folder = await mkdtemp(join(tmpdir(), 'portal-dev-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const bus = await startPrivateBus();
  cleanUps.push(() => bus.stop());
  const ours = { ...env, DBUS_SESSION_BUS_ADDRESS: bus.address };
  const confirmer =
    process.stdin.isTTY && process.stderr.isTTY ? terminalConfirmer(screen, env, left.resolve) : undefined;
  if (confirmer !== undefined) cleanUps.push(confirmer.close);
  const say = (line: Line): void => (confirmer === undefined ? screen.note(line) : confirmer.desk.say(line));

  const broker = await startBroker(folder, ours, (line) => say(`broker | ${line}`));
  cleanUps.push(() => broker.stop());
  const operator = await connectOperator({ address: bus.address });
  cleanUps.push(() => operator.close());
  await govern(operator, confirmer, say);
  announce(bus.address, screen);

  const app = new App(rest, ours, (line) => say(`app    | ${line}`));
  cleanUps.push(() => app.stop());
  const paths = options.texts('watch').map((path) => resolve(path));
  const stopWatching = await watchFiles(paths.length === 0 ? [folderOf(rest)] : paths, () => {
    say('portal | a file changed: the app starts again');
    void app.restart();
  });
  cleanUps.push(stopWatching);
  await app.restart();

  const end = await Promise.race([left.promise, broker.ended]);
  if (end === undefined) return EXIT.ok;
  throw new CliError('Refused', `the broker ended ${end}`, 'run it again; what it printed last says why');
}

/** Resolves when the person, or whoever started this, wants it to end. */
function untilLeft(cleanUps: CleanUp[]): { promise: Promise<undefined>; resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const leave = (): void => resolve(undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, leave);
    cleanUps.push(() => process.removeListener(signal, leave));
  }
  return { promise, resolve: leave };
}

/** Asks the person in this terminal, where it is one, and tells which tier each app is on. */
async function govern(
  operator: OperatorClient,
  confirmer: TerminalConfirmer | undefined,
  say: (line: Line) => void,
): Promise<void> {
  if (confirmer !== undefined)
    await operator.registerConfirmer(confirmer.decide, { fallback: true, canModify: confirmer.canModify });
  await operator.apps();
  await operator.onAppsChanged((changed) => {
    operator.apps().then(
      (apps) => {
        for (const { app_id, tier, capabilities, reason } of apps) {
          if (!changed.includes(String(app_id))) continue;
          say(`portal | ${String(app_id)}: ${standing(tier, capabilities, reason)}`);
        }
      },
      () => undefined,
    );
  });
}

function standing(tier: unknown, capabilities: unknown, reason: unknown): string {
  if (tier === 1) return `tier 1, ${String(capabilities)} capabilities`;
  const known = typeof reason === 'object' && reason !== null && 'message' in reason && 'pointer' in reason;
  return known ? `tier 2: ${String(reason.message)} (at \`${String(reason.pointer)}\`)` : 'tier 2';
}

function announce(address: string, screen: Screen): void {
  if (screen.json) screen.jsonLine({ ready: true, address });
  screen.note('In a second terminal:');
  screen.note(`  export DBUS_SESSION_BUS_ADDRESS='${address}'`);
  screen.note('  portalctl list');
  screen.note(
    process.stdin.isTTY
      ? 'Questions are asked here. Ctrl-C ends the app, the broker and this bus.'
      : 'This is no terminal, so nobody can be asked: what needs a person is refused.',
  );
}
