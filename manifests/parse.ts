// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import { type AppId, parseAppId } from '../keys/app-id.ts';
import { canonicalBytes } from '../keys/canonical-json.ts';
import { quote } from '../keys/error.ts';
import { parseStrictJson } from '../keys/strict-json.ts';
import type { Capability, Version } from './capability.ts';
import { definitionDigest, parseDefinition } from './definition.ts';
import { ManifestError } from './error.ts';
import { parseCapabilityId, parseVersion } from './id.ts';
import { withKeyRefusals } from './key-refusal.ts';
import type { ManifestLimits } from './limits.ts';
import { parseLocales } from './locales.ts';
import type { EventDeclaration, Manifest } from './manifest.ts';
import { checkSchema } from './parameter-schema.ts';
import { below } from './pointer.ts';
import { checkManifestShape, type RawCapability, type RawEvent, type RawManifest } from './shape.ts';
import { assembleSignedBytes } from './signed-form.ts';
import { checkText } from './text.ts';

const KNOWN_MANIFEST_VERSIONS: ReadonlySet<string> = new Set(['1.0']);

/** A document of the right shape, and whose it says it is: enough to look for a key before the rest is read. */
export interface ManifestHead {
  readonly appId: AppId;
  readonly raw: RawManifest;
}

/**
 * Reads a manifest (UTF-8 JSON) and refuses all that is not exactly right; it does not look at the signature.
 * Linear in the length of the document. Throws ManifestError with the place, and nothing else.
 */
export function parseManifest(bytes: Uint8Array, limits: ManifestLimits): Manifest {
  return readManifest(readHead(bytes, limits), limits);
}

/** The first step of `parseManifest`. Throws ManifestError. */
export function readHead(bytes: Uint8Array, limits: ManifestLimits): ManifestHead {
  const raw = withKeyRefusals(() => parseStrictJson(bytes, limits));
  checkManifestShape(raw);
  return { appId: withKeyRefusals(() => parseAppId(raw.app_id)), raw };
}

/** The second step, which costs most. Throws ManifestError. */
export function readManifest({ appId, raw }: ManifestHead, limits: ManifestLimits): Manifest {
  checkText(raw.version, '/version', { maxLength: limits.maxNameLength, lines: false, joiners: false });
  const manifestVersion = readManifestVersion(raw.manifest_version);
  checkCount(raw.capabilities.length, limits.maxCapabilities, '/capabilities');
  const declarations = raw.capabilities.map((declared) => ({
    declared,
    canonical: canonicalBytes(declared),
  }));
  const signed = assembleSignedBytes(
    raw,
    declarations.map(({ canonical }) => canonical),
  );
  return {
    appId,
    version: raw.version,
    manifestVersion,
    revision: raw.revision,
    activation: raw.activation,
    locales: parseLocales(raw.locales, '/locales', limits),
    capabilities: readCapabilities(declarations, appId, limits),
    events: readEvents(raw.events ?? [], appId, limits),
    signature: raw.signature,
    digest: hash('sha256', signed),
    signedBytes: signed,
  };
}

function readManifestVersion(value: string): Version {
  const version = parseVersion(value, '/manifest_version');
  if (KNOWN_MANIFEST_VERSIONS.has(version)) return version;
  throw new ManifestError(
    'VersionUnsupported',
    '/manifest_version',
    `the manifest version ${quote(version)} is not known here: write \`1.0\`, or use a newer broker`,
  );
}

function readCapabilities(
  declarations: readonly { readonly declared: RawCapability; readonly canonical: Uint8Array }[],
  appId: AppId,
  limits: ManifestLimits,
): readonly Capability[] {
  const seen = new Set<string>();
  return declarations.map(({ declared, canonical }, index) => {
    const pointer = below('/capabilities', index);
    const id = parseCapabilityId(declared.id, appId, below(pointer, 'id'));
    const digest = definitionDigest(appId, canonical);
    const capability = parseDefinition(declared, id, digest, pointer, limits);
    const key = `${id} ${capability.version}`;
    if (seen.has(key)) {
      const message = `${quote(id)} is declared twice in version ${capability.version}: remove one or raise its version`;
      throw new ManifestError('CapabilityDuplicate', below(pointer, 'id'), message);
    }
    seen.add(key);
    return capability;
  });
}

function readEvents(
  raw: readonly RawEvent[],
  appId: AppId,
  limits: ManifestLimits,
): readonly EventDeclaration[] {
  checkCount(raw.length, limits.maxEvents, '/events');
  const seen = new Set<string>();
  return raw.map((declared, index) => {
    const pointer = below('/events', index);
    const { event_type: type, description, payload_schema: payloadSchema } = declared;
    const place = below(pointer, 'event_type');
    checkText(type, place, { maxLength: limits.maxNameLength, lines: false, joiners: false });
    checkText(description, below(pointer, 'description'), {
      maxLength: limits.maxDescriptionLength,
      lines: true,
      joiners: false,
    });
    if (payloadSchema !== undefined)
      checkSchema(payloadSchema, below(pointer, 'payload_schema'), limits.schema);
    if (seen.has(type)) {
      throw new ManifestError(
        'EventDuplicate',
        place,
        `the event ${quote(type)} is declared twice: remove one`,
      );
    }
    seen.add(type);
    return { type, description, payloadSchema, digest: definitionDigest(appId, canonicalBytes(declared)) };
  });
}

function checkCount(count: number, most: number, pointer: string): void {
  if (count <= most) return;
  throw new ManifestError(
    'TooMany',
    pointer,
    `${quote(pointer)} has ${count} entries: keep to ${most} at most`,
  );
}
