// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppId, parseAppId } from '../../keys/app-id.ts';
import { signedBytes } from '../../keys/canonical-json.ts';
import { KeyError } from '../../keys/error.ts';
import type { PublicKey } from '../../keys/public-key.ts';
import { publicKeyOf, signBytes } from '../../keys/sign.ts';
import type { Capability } from '../../manifests/capability.ts';
import { ManifestError } from '../../manifests/error.ts';
import { foldAppId } from '../../manifests/id.ts';
import type { ManifestLimits } from '../../manifests/limits.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { parseManifest } from '../../manifests/parse.ts';

export const LIMITS: ManifestLimits = {
  maxBytes: 524_288,
  maxDepth: 32,
  maxCapabilities: 1000,
  maxEvents: 100,
  maxLocales: 100,
  maxTargets: 8,
  maxNameLength: 128,
  maxDescriptionLength: 4096,
  ceilings: {
    timeoutMs: 600_000,
    maxResultBytes: 1_048_576,
    maxInvocationsPerTurn: 100,
    undoWindowMs: 86_400_000,
  },
  defaults: { timeoutMs: 60_000, maxResultBytes: 65_536, readsPerTurn: 50, writesPerTurn: 10 },
  schema: {
    maxNodes: 2000,
    maxDepth: 16,
    maxExpansion: 1000,
    maxBranches: 64,
    maxEnum: 256,
    maxPatternLength: 512,
    maxUniqueItems: 256,
  },
};

export type Json = Record<string, unknown>;

/** The base manifest, its test-only key and signature, and documents that must not pass for it. */
export interface Vectors {
  readonly pub_hex: string;
  readonly seed_hex: string;
  readonly M0: Json & { app_id: string; capabilities: Json[] };
  readonly M0_canonical_sha256: string;
  readonly M0_signature: string;
  readonly dup_top: string;
  readonly dup_escaped: string;
  readonly dup_nested: string;
  readonly bad_signatures: readonly unknown[];
}

export const VECTORS: Vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../vectors/manifest-m0.json'), 'utf8'),
);
export const SEED = Buffer.from(VECTORS.seed_hex, 'hex');
export const KEY = publicKeyOf(SEED);
export const OTHER_SEED = Buffer.alloc(32, 7);
export const OTHER_KEY = publicKeyOf(OTHER_SEED);

export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

export const sign = (manifest: Json, seed: Uint8Array = SEED): Json => ({
  ...manifest,
  signature: signBytes(signedBytes(manifest), seed),
});

/** A keyring in memory: what the one on disk answers, without the disk. */
export const keyring = (keys: Record<string, readonly PublicKey[]>) => ({
  keysFor(appId: AppId): readonly PublicKey[] {
    const found = keys[appId];
    if (!found) throw new KeyError('KeyMissing', `there is no trusted key for \`${appId}\``);
    return found;
  },
});

/** A fresh copy of the base manifest with some fields exchanged. */
export const manifestWith = (fields: Json): Json => ({ ...structuredClone(VECTORS.M0), ...fields });

/** The base manifest with some fields of its one capability exchanged. */
export const capabilityWith = (fields: Json): Json =>
  manifestWith({ capabilities: [{ ...structuredClone(VECTORS.M0.capabilities[0]), ...fields }] });

/** A manifest like the base one for another app. */
export const manifestOf = (id: string, fields: Json = {}): Json => {
  const capability = {
    ...structuredClone(VECTORS.M0.capabilities[0]),
    id: `files.${foldAppId(parseAppId(id))}.open`,
  };
  return manifestWith({ app_id: id, capabilities: [{ ...capability, ...fields }] });
};

/** A realistic manifest: about 4.2 KB for each capability in indented JSON. */
export function largeManifest(capabilities: number): Json {
  const parameter = (index: number): Json => ({
    type: 'string',
    title: `Parameter ${index}`,
    description: `What parameter ${index} means, in one sentence that a person or a model can understand`,
    minLength: 1,
    maxLength: 200 + index,
    ...(index % 3 === 0 ? { pattern: `^[a-z][a-z0-9-]{0,${20 + index}}$` } : {}),
    ...(index % 4 === 1 ? { enum: ['first', 'second', 'third', `other-${index}`] } : {}),
  });
  const named = (count: number, make: (index: number) => Json): Json =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, make(index)]));
  return {
    app_id: 'org.gnome.Nautilus',
    version: '47.0',
    manifest_version: '1.0',
    revision: 12,
    capabilities: Array.from({ length: capabilities }, (_, index) => ({
      id: `files.org.gnome.nautilus.action${index}`,
      name: `Action ${index}`,
      description: `What action ${index} does with files and folders, and when to choose it over the others`,
      category: 'FILE_OPERATION',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string', maxLength: 4096 }, ...named(6, parameter) },
        required: ['path', 'field0'],
        additionalProperties: false,
      },
      returns: { type: 'object', properties: named(4, parameter), required: ['field0'] },
      side_effects: 'write',
      version: '1.0',
      undo_window_ms: 30_000,
      bounds: { timeout_ms: 5000, max_result_bytes: 4096 },
      target: [{ parameter: '/path', kind: 'path' }],
      locales: { de: { name: `Aktion ${index}`, description: 'Was sie mit Dateien und Ordnern macht' } },
    })),
  };
}

export const parse = (manifest: unknown): Manifest => parseManifest(encode(manifest), LIMITS);

/** The one capability of the base manifest with some fields exchanged, parsed. */
export const capability = (fields: Json = {}): Capability => {
  const [first] = parse(capabilityWith(fields)).capabilities;
  if (!first) throw new Error('the base manifest has a capability');
  return first;
};

/** Where and why a step was refused; anything but a ManifestError passes through and fails the test. */
export function refusal(step: () => unknown): { code: string; pointer: string; message: string } {
  try {
    step();
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const { code, pointer, message } = error;
    return { code, pointer, message };
  }
  throw new Error('nothing was refused');
}

/** The same as `code at pointer`, to compare at a glance. */
export const refused = (step: () => unknown): string => {
  const { code, pointer } = refusal(step);
  return `${code} ${pointer}`;
};
