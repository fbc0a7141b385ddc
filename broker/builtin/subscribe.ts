// SPDX-License-Identifier: Apache-2.0
import type { Intent } from '../../policy/intent.ts';
import type { Session, Sessions } from '../bus/sessions.ts';
import type { Builtin } from '../provider/providers.ts';
import { ProviderFailure } from '../provider/result.ts';
import type { Registration } from '../registration.ts';

/** `events.subscribe`: to hear of an app's events is to read from the app, so it is an intent like any other. */
export const SUBSCRIBE_DEFINITION = {
  id: 'events.subscribe',
  name: 'Follow an app',
  description: 'Receive the events that an app declares in its manifest, until unsubscribed or disconnected.',
  category: 'STATE_QUERY',
  access: 'read',
  network: 'local',
  side_effects: 'read',
  auth_level: 'user',
  idempotent: true,
  output_trust: 'high',
  bounds: { max_invocations_per_turn: 100 },
  target: [{ parameter: '/app_id', kind: 'app' }],
  parameters: {
    type: 'object',
    properties: { app_id: { type: 'string', maxLength: 255 } },
    required: ['app_id'],
    additionalProperties: false,
  },
  returns: { type: 'object', properties: {}, additionalProperties: false },
} as const;

/** The intent that Subscribe stands for; its parameters are added. */
export const SUBSCRIBE: Omit<Intent, 'params'> = {
  capability: SUBSCRIBE_DEFINITION.id,
  version: undefined,
  context: 'live',
  category: undefined,
  target: undefined,
  session: undefined,
  turn: undefined,
  reason: undefined,
  evidence: [],
  origin: undefined,
  intention: undefined,
  requireApproval: false,
  timeoutMs: undefined,
};

export function subscribe(deps: {
  sessions: Pick<Sessions, 'byName'>;
  registration: Pick<Registration, 'isAvailable'>;
  most: number;
}): Builtin {
  return (params, caller) => {
    const appId = appIdOf(params);
    const session: Session | undefined = deps.sessions.byName(caller.connection);
    if (session === undefined)
      throw new ProviderFailure('Cancelled', 'the subscriber is gone', { says: 'failed' });
    if (!deps.registration.isAvailable(appId)) {
      throw new ProviderFailure('NotFound', 'no such app is registered', {
        says: 'failed',
        recoverable: true,
      });
    }
    if (!session.subscriptions.has(appId) && session.subscriptions.size >= deps.most) {
      throw new ProviderFailure('LimitExceeded', 'too many subscriptions: unsubscribe first', {
        says: 'failed',
      });
    }
    session.subscriptions.add(appId);
    return {};
  };
}

function appIdOf(params: unknown): string {
  return typeof params === 'object' && params !== null && 'app_id' in params ? String(params.app_id) : '';
}
