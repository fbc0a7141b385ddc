// SPDX-License-Identifier: Apache-2.0
import type { BrokerClient, Explanation, ListedCapability, Outcome } from '../../client.ts';
import type { Parameters } from './parameters.ts';
import { suggest } from './suggest.ts';

/** Whether parameters were refused because they are not what the capability takes. */
export function wantsHints({ stage, code }: Pick<Outcome | Explanation, 'stage' | 'code'>): boolean {
  return stage === 'validate' && code === 'InvalidParams';
}

/** What does not fit between the parameters that were sent and those that the capability takes, by name. */
export async function parameterHints(
  broker: BrokerClient,
  capability: string,
  sent: Parameters,
): Promise<readonly string[]> {
  const { capabilities } = await broker.list({ text: capability, detail: 'full' });
  const found = capabilities.find((one) => typeof one !== 'string' && one.id === capability);
  return found === undefined || typeof found === 'string' ? [] : hints(found, Object.keys(sent));
}

function hints({ parameters = {} }: ListedCapability, sent: readonly string[]): readonly string[] {
  const { properties, required } = parameters;
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const needed = Array.isArray(required) ? required.map(String) : [];
  return [
    ...sent
      .filter((name) => !known.includes(name))
      .map((name) => {
        const meant = suggest(name, known);
        return `  it takes no \`${name}\`${meant === undefined ? '' : `: did you mean \`${meant}\`?`}`;
      }),
    ...needed.filter((name) => !sent.includes(name)).map((name) => `  it needs \`${name}\``),
    known.length === 0 ? '  it takes no parameters' : `  it takes: ${known.join(', ')}`,
  ];
}
