// SPDX-License-Identifier: Apache-2.0
import type { SelfModel } from '../../../client.ts';
import { asCaller } from '../bus.ts';
import { shortId } from '../by-id.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { quote } from '../escape.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { grantLines } from '../grant-lines.ts';
import type { Line } from '../screen.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const asked = asCaller(env, (broker) => broker.selfModel());
  const model = await screen.while('the broker has not answered yet', asked);
  screen.result(model, () => lines(model, screen.columns));
  return EXIT.ok;
}

function lines(model: SelfModel, room: number): readonly Line[] {
  const { principal, may, asks, confirms, forbidden, depends = [], grants, requests, actions } = model;
  return [
    `you are ${principal}`,
    ...group('runs without asking', may),
    ...group('a person or a grant answers', asks),
    ...group('a person confirms each time', confirms),
    ...group(
      'depends on the target',
      depends.map(({ capability, possible }) => `${capability}: ${possible.join(' or ')}`),
    ),
    ...group('forbidden', forbidden),
    ...under(
      'granted',
      grants.flatMap((grant) => grantLines(grant, Date.now(), room)),
    ),
    ...under(
      'asked for',
      columns(
        requests.map(({ id, capability, state, note }) => [
          shortId(id),
          state,
          capability,
          note === undefined ? '' : `the person says: ${quote(note)}`,
        ]),
        room,
      ),
    ),
    ...under(
      'done lately',
      columns(
        actions.map(({ invocation, capability, status }) => [shortId(invocation), status, capability]),
        room,
      ),
    ),
  ];
}

function group(heading: string, ids: readonly string[]): readonly Line[] {
  return under(
    heading,
    ids.map((id) => `  ${id}`),
  );
}

function under(heading: string, lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [] : [[{ text: heading, style: 'bold' }], ...lines];
}
