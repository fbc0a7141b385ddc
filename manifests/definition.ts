// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import type { Bounds, Capability, CapabilityId, SideEffects } from './capability.ts';
import { ManifestError } from './error.ts';
import { parseVersion } from './id.ts';
import type { ManifestLimits } from './limits.ts';
import { parseLocales } from './locales.ts';
import { checkParametersSchema, checkSchema } from './parameter-schema.ts';
import { below } from './pointer.ts';
import type { RawCapability } from './shape.ts';
import { parseTargets } from './target.ts';
import { checkText } from './text.ts';

/**
 * SHA-256 of whose definition it is, a line feed, and its canonical form. The owner belongs to it: two app ids can fold
 * to one name, and what was approved for one app must not fit the other's equal words.
 */
export function definitionDigest(owner: string, canonical: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${owner}\n`), canonical]));
}

/** Everything about a capability that does not depend on whose it is. `pointer` is where `raw` stands. */
export function parseDefinition(
  raw: RawCapability,
  id: CapabilityId,
  digest: string,
  pointer: string,
  limits: ManifestLimits,
): Capability {
  const at = (field: string): string => below(pointer, field);
  const prose = { maxLength: limits.maxDescriptionLength, lines: true, joiners: false };
  checkText(raw.name, at('name'), { maxLength: limits.maxNameLength, lines: false, joiners: false });
  checkText(raw.description, at('description'), prose);
  if (raw.side_effects_note !== undefined) checkText(raw.side_effects_note, at('side_effects_note'), prose);
  checkParametersSchema(raw.parameters, at('parameters'), limits.schema);
  checkSchema(raw.returns, at('returns'), limits.schema);
  checkAuthLevel(raw, at('auth_level'));
  const sideEffects = raw.side_effects ?? 'unknown';
  return {
    id,
    version: parseVersion(raw.version, at('version')),
    name: raw.name,
    description: raw.description,
    category: raw.category,
    parameters: raw.parameters,
    returns: raw.returns,
    sideEffects,
    network: raw.network,
    confirmationRequired: raw.confirmation_required ?? false,
    undoWindowMs: parseUndoWindow(raw.undo_window_ms, at('undo_window_ms'), limits.ceilings.undoWindowMs),
    authLevel: raw.auth_level ?? 'user',
    bounds: parseBounds(raw.bounds, sideEffects, at('bounds'), limits),
    targets: parseTargets(raw.target, raw.parameters, at('target'), limits.maxTargets),
    idempotent: raw.idempotent ?? false,
    outputTrust: raw.output_trust ?? 'low',
    sideEffectsNote: raw.side_effects_note,
    preview: raw.preview ?? false,
    locales: parseLocales(raw.locales, at('locales'), limits),
    digest,
  };
}

function isRead(sideEffects: SideEffects | undefined): boolean {
  return sideEffects === 'none' || sideEffects === 'read';
}

/** `public` asks for no trust at all, so it is for what only reads and stays on this machine. */
function checkAuthLevel(raw: RawCapability, pointer: string): void {
  if (raw.auth_level !== 'public') return;
  if (isRead(raw.side_effects) && raw.network === undefined) return;
  throw new ManifestError(
    'AuthLevelInvalid',
    pointer,
    'the level `public` is for local reads only: declare `side_effects` as `none` or `read` and no `network`, or choose `user`',
  );
}

function parseBounds(
  raw: RawCapability['bounds'] = {},
  sideEffects: SideEffects,
  pointer: string,
  { ceilings, defaults }: ManifestLimits,
): Bounds {
  const bound = (field: keyof typeof raw, absent: number, ceiling: number): number =>
    inRange(raw[field] ?? absent, below(pointer, field), ceiling);
  const perTurn = isRead(sideEffects) ? defaults.readsPerTurn : defaults.writesPerTurn;
  return {
    timeoutMs: bound('timeout_ms', defaults.timeoutMs, ceilings.timeoutMs),
    maxResultBytes: bound('max_result_bytes', defaults.maxResultBytes, ceilings.maxResultBytes),
    maxInvocationsPerTurn: bound('max_invocations_per_turn', perTurn, ceilings.maxInvocationsPerTurn),
  };
}

function parseUndoWindow(
  raw: number | null | undefined,
  pointer: string,
  ceiling: number,
): number | undefined {
  return raw === undefined || raw === null ? undefined : inRange(raw, pointer, ceiling);
}

function inRange(value: number, pointer: string, ceiling: number): number {
  if (value >= 1 && value <= ceiling) return value;
  const message = `the bound \`${pointer}\` is ${value}: choose a whole number from 1 to ${ceiling}`;
  throw new ManifestError('BoundsOutOfRange', pointer, message);
}
