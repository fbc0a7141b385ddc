// SPDX-License-Identifier: Apache-2.0
import type { BrokerClient, ListedApp, ListedCapability, ListFilter, Listing } from '../../../client.ts';
import { asCaller } from '../bus.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { quote, visible } from '../escape.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { flow, wordsOf } from '../flow.ts';
import { jsonLines } from '../json-lines.ts';
import type { Line } from '../screen.ts';
import { wordsForGate } from '../words.ts';

const PAGE = 1000;

export async function run({ options, screen, env }: Invocation): Promise<ExitCode> {
  const filter: ListFilter = {
    appId: options.text('app'),
    category: options.text('category'),
    sideEffects: options.text('side-effects'),
    text: options.text('text'),
    detail: options.on('full') ? 'full' : 'brief',
  };
  const asked = asCaller(env, (broker) => everything(broker, filter));
  const listing = await screen.while('the broker has not answered yet', asked);
  screen.result(listing, () => lines(listing, screen.columns));
  return EXIT.ok;
}

async function everything(broker: BrokerClient, filter: ListFilter): Promise<Listing> {
  const first = await broker.list({ ...filter, limit: PAGE });
  const capabilities = [...first.capabilities];
  const apps = new Map(first.apps.map((app) => [app.app_id, app]));
  while (capabilities.length < first.total) {
    const page = await broker.list({ ...filter, limit: PAGE, offset: capabilities.length });
    if (page.capabilities.length === 0) break;
    capabilities.push(...page.capabilities);
    for (const app of page.apps) apps.set(app.app_id, app);
  }
  return { ...first, capabilities, apps: [...apps.values()] };
}

function lines({ capabilities, apps }: Listing, room: number): readonly Line[] {
  const known = capabilities.filter((capability) => typeof capability !== 'string');
  const described = known.some(({ parameters }) => parameters !== undefined);
  return [
    ...(known.length === 0
      ? ['nothing matches: `portalctl list` without a filter shows all that you may ask for']
      : []),
    ...(described ? known.flatMap(inFull) : columns(known.map(brief), room)),
    ...apps.flatMap((app) => downgrade(app, room)),
  ];
}

function brief({ id, version, risk, gate, name }: ListedCapability): readonly string[] {
  return [id, version, `${risk} risk`, wordsForGate(gate), quote(name)];
}

function inFull(capability: ListedCapability): readonly string[] {
  const { description, parameters, returns } = capability;
  return [
    brief(capability).join('  '),
    `  says the app: ${quote(description)}`,
    ...schema('parameters', parameters),
    ...schema('returns', returns),
    '',
  ];
}

function schema(label: string, content: unknown): readonly string[] {
  return [`  ${label}:`, ...jsonLines(JSON.stringify(content ?? {})).map((line) => `    ${line}`)];
}

function downgrade({ app_id, tier, reason }: ListedApp, room: number): readonly Line[] {
  if (tier === 1 || reason === undefined) return [];
  const head = `${visible(app_id)} is Tier 2`;
  const why = `: ${reason.message} (${reason.code} at ${quote(reason.pointer)})`;
  const [first = '', ...others] = flow(wordsOf(why), { room, taken: head.length, indent: 6 });
  return [[{ text: head, style: 'yellow' }, first], ...others];
}
