// SPDX-License-Identifier: Apache-2.0

import { DEFAULTS } from '../../../broker/config.ts';
import { type AppId, parseAppId } from '../../../keys/app-id.ts';
import { parseBuiltin } from '../../../manifests/builtin.ts';
import type { Capability } from '../../../manifests/capability.ts';
import type { Manifest } from '../../../manifests/manifest.ts';
import { parseManifest } from '../../../manifests/parse.ts';

// An app made for the tests of the path: one capability for each thing that can be said about one.

export const APP: AppId = parseAppId('org.example.Desk');
export type Json = Readonly<Record<string, unknown>>;

/** The id of one of the fixture app's capabilities. */
export const id = (action: string): string => `notes.org.example.desk.${action}`;

const TEXT = { type: 'string', maxLength: 5000 };
const closed = (properties: Json, required: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const declare = (action: string, sideEffects: string | undefined, more: Json = {}): Json => ({
  id: id(action),
  name: `The ${action} of the desk`,
  description: 'Made for a test',
  category: 'STATE_QUERY',
  parameters: closed({ name: TEXT }),
  returns: closed({ text: { type: 'string', maxLength: 100 } }),
  ...(sideEffects === undefined ? {} : { side_effects: sideEffects }),
  ...more,
});

const path = { parameters: closed({ path: TEXT, paths: { type: 'array', items: TEXT } }) };

export const CAPABILITIES: readonly Json[] = [
  declare('read', 'read', { auth_level: 'public', target: [{ parameter: '/name', kind: 'text' }] }),
  declare('look', 'none', { output_trust: 'medium', bounds: { max_invocations_per_turn: 2 } }),
  declare('confirmed', 'read', { confirmation_required: true }),
  declare('floored', 'read', { category: 'MEDIA_PLAYBACK' }),
  declare('fetch', 'read', { network: 'external' }),
  declare('write', 'write', {
    ...path,
    target: [{ parameter: '/path', kind: 'path' }],
    undo_window_ms: 30_000,
    bounds: { timeout_ms: 1000, max_result_bytes: 100 },
  }),
  declare('writes', 'write', { ...path, target: [{ parameter: '/paths', kind: 'path' }] }),
  declare('erase', 'destructive', { undo_window_ms: 30_000 }),
  declare('send', 'network', {
    category: 'COMMUNICATION',
    parameters: closed({ url: TEXT }),
    target: [{ parameter: '/url', kind: 'url' }],
  }),
  declare('start', 'system', {
    parameters: closed({ unit: TEXT }),
    target: [{ parameter: '/unit', kind: 'unit' }],
  }),
  declare('tune', 'system', { auth_level: 'privileged' }),
  declare('silent', undefined),
  declare('twin', 'read', { version: '1.0' }),
  declare('twin', 'read', { version: '2.0' }),
  declare('vault', 'read', { version: '1.0', auth_level: 'privileged' }),
  declare('vault', 'read', { version: '2.0', auth_level: 'system' }),
  declare('growing', 'read', { version: '1.0' }),
  declare('growing', 'read', { version: '2.0', auth_level: 'system' }),
  declare('counted', 'read', {
    parameters: closed(
      { count: { type: 'integer', maximum: 9 }, kind: { type: 'string', enum: ['a', 'b'] } },
      ['count'],
    ),
  }),
  declare('readsundoable', 'read', { undo_window_ms: 30_000 }),
  declare('open', 'read', { parameters: { type: 'object', properties: { name: TEXT } } }),
];

export function manifest(capabilities: readonly Json[] = CAPABILITIES): Manifest {
  const document = { app_id: APP, version: '1.0', manifest_version: '1.0', capabilities };
  return parseManifest(new TextEncoder().encode(JSON.stringify(document)), DEFAULTS.manifests);
}

const builtin = (name: string, more: Json): Capability =>
  parseBuiltin(
    {
      id: `test.${name}`,
      name,
      description: 'Made for a test',
      category: 'STATE_QUERY',
      access: 'read',
      network: 'local',
      auth_level: 'user',
      parameters: closed({ app: TEXT }),
      returns: closed({ text: TEXT }),
      ...more,
    },
    DEFAULTS.manifests,
  );

/** Two of the broker's own: one that stays here, one that reaches outside; and one that is about an app. */
export const BUILTINS: readonly Capability[] = [
  builtin('echo', {}),
  builtin('outside', { network: 'external' }),
  builtin('about', { target: [{ parameter: '/app', kind: 'app' }] }),
  builtin('missing', {}),
];
