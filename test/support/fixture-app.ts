// SPDX-License-Identifier: Apache-2.0
import { type AppId, parseAppId } from '../../keys/app-id.ts';
import { signedBytes } from '../../keys/canonical-json.ts';
import { signBytes } from '../../keys/sign.ts';
import { foldAppId } from '../../manifests/id.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The app that most tests talk to. It stands for no real one. */
export const FIXTURE = 'org.example.Fixture';

/** A private key for tests alone; another one for each number. */
export const seed = (number: number): Uint8Array => new Uint8Array(32).fill(number);

const PARAMETERS = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 64 },
    count: { type: 'integer', minimum: 0 },
    kind: { type: 'string', enum: ['one', 'two'] },
    path: { type: 'string', maxLength: 4096 },
  },
  additionalProperties: false,
};
const RETURNS = { type: 'object', properties: { echo: { type: 'object' } } };

/** Capabilities of every class. `STATE_QUERY` has no floor of its own, so each is exactly what its side effects say. */
const CAPABILITIES: Readonly<Record<string, Json>> = {
  look: { side_effects: 'read', idempotent: true },
  anybody: { side_effects: 'none', auth_level: 'public' },
  write: { side_effects: 'write' },
  delete: { side_effects: 'destructive', undo_window_ms: 30_000 },
  send: { side_effects: 'network' },
  unstated: {},
  privileged: { side_effects: 'read', auth_level: 'privileged' },
  cautious: { side_effects: 'read', confirmation_required: true },
  sing: { side_effects: 'read', category: 'MEDIA_PLAYBACK' },
  brief: {
    side_effects: 'write',
    bounds: { timeout_ms: 600, max_result_bytes: 200, max_invocations_per_turn: 100 },
  },
  briefly: {
    side_effects: 'read',
    bounds: { timeout_ms: 600, max_result_bytes: 200, max_invocations_per_turn: 100 },
  },
  seldom: { side_effects: 'read', bounds: { max_invocations_per_turn: 3 } },
  touch: { side_effects: 'read', target: [{ parameter: '/path', kind: 'path' }] },
  mark: { side_effects: 'write', target: [{ parameter: '/path', kind: 'path' }] },
};

/** The id of one of the fixture's capabilities. */
export function fix(action: string, appId: string = FIXTURE): string {
  return `fix.${foldAppId(parseAppId(appId))}.${action}`;
}

export function fixtureCapability(action: string, fields: Json, appId: string = FIXTURE): Json {
  return {
    id: fix(action, appId),
    name: `Fixture ${action}`,
    description: `What the fixture does for ${action}`,
    category: 'STATE_QUERY',
    parameters: PARAMETERS,
    returns: RETURNS,
    bounds: { max_invocations_per_turn: 100 },
    ...fields,
  };
}

export function fixtureManifest(fields: Json = {}, appId: string = FIXTURE): Json {
  return {
    app_id: appId,
    version: '1.0',
    manifest_version: '1.0',
    capabilities: Object.entries(CAPABILITIES).map(([action, own]) => fixtureCapability(action, own, appId)),
    events: [
      {
        event_type: 'changed',
        description: 'Something is different now',
        payload_schema: {
          type: 'object',
          properties: { what: { type: 'string' } },
          additionalProperties: false,
        },
      },
    ],
    ...fields,
  };
}

/** The manifest's text with a signature made by this key. */
export function signed(manifest: Json, key: Uint8Array): string {
  return JSON.stringify({ ...manifest, signature: signBytes(signedBytes(manifest), key) });
}

export function appId(text: string): AppId {
  return parseAppId(text);
}
