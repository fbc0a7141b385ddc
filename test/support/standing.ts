// SPDX-License-Identifier: Apache-2.0
import type { ListedApp } from '../../broker/client.ts';
import type { Standing } from '../../broker/handler.ts';
import type { AgentPeer } from './peers.ts';

/** Why an app's manifest was not accepted; fails where it was. */
export function reasonOf(standing: Standing): string {
  if (standing.tier !== 2) throw new Error(`expected tier 2, got ${standing.tier}`);
  return standing.reason.code;
}

/** What List says of one app. */
export async function listed(agent: AgentPeer, appId: string): Promise<ListedApp | undefined> {
  const { apps } = await agent.list({ appId });
  return apps.find(({ app_id }) => app_id === appId);
}
