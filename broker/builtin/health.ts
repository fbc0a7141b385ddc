// SPDX-License-Identifier: Apache-2.0
import type { Builtin } from '../provider/providers.ts';

/** `system.health`: whether the broker works, in numbers that say nothing about anybody. */
export const HEALTH_DEFINITION = {
  id: 'system.health',
  name: 'Broker health',
  description:
    'Whether the broker is up: its version, how long it has run and how many capabilities are available.',
  category: 'STATE_QUERY',
  access: 'read',
  network: 'local',
  side_effects: 'read',
  auth_level: 'public',
  idempotent: true,
  output_trust: 'high',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  returns: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['ok'] },
      version: { type: 'string' },
      uptime_s: { type: 'integer', minimum: 0 },
      capabilities: { type: 'integer', minimum: 0 },
    },
    required: ['status', 'version', 'uptime_s', 'capabilities'],
    additionalProperties: false,
  },
} as const;

export function health(facts: {
  version: string;
  startedAt: number;
  now: () => number;
  capabilities: () => number;
}): Builtin {
  return () => ({
    status: 'ok',
    version: facts.version,
    uptime_s: Math.max(0, Math.floor((facts.now() - facts.startedAt) / 1000)),
    capabilities: facts.capabilities(),
  });
}
