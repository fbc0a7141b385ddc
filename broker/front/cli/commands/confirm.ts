// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { terminalConfirmer } from '../confirm/terminal.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const left = Promise.withResolvers<'left'>();
  const confirmer = terminalConfirmer(screen, env, () => left.resolve('left'));
  process.once('SIGTERM', () => confirmer.desk.leave());
  process.once('SIGHUP', () => confirmer.desk.leave());
  try {
    return await asOperator(env, async (operator) => {
      const stop = await operator.registerConfirmer(confirmer.decide, {
        fallback: true,
        canModify: confirmer.canModify,
      });
      screen.note('Waiting for questions. Ctrl-C ends this; nothing is allowed meanwhile.');
      const ended = await Promise.race([left.promise, operator.closed]);
      if (ended !== 'left')
        throw new CliError(
          'BrokerUnreachable',
          'the message bus went away: nobody is asked any more',
          'start this again once it is back',
        );
      // Whoever unregistered decides nothing any more, so the last denials go first. Messages stay in order: once a later
      // call is answered, they have arrived.
      await confirmer.settled();
      await operator.apps();
      await stop();
      return EXIT.ok;
    });
  } finally {
    confirmer.close();
  }
}
