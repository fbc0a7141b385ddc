// SPDX-License-Identifier: Apache-2.0
import type { GrantFacts } from '../../../policy/grant.ts';

/** An invocation of a capability without a target, by whom the grant is for. */
export const FACTS: GrantFacts = {
  principal: { id: 'agent', name: 'agent' },
  connection: ':1.5',
  session: undefined,
  capability: 'media.pause',
  definitionDigest: 'd1',
  targets: 'undetermined',
  params: {},
  access: 'write',
  now: 1_000_000,
};
