// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type {
  AuthLevel,
  Category,
  JsonSchema,
  LocalText,
  SideEffects,
  TargetDeclaration,
} from './capability.ts';
import { ManifestError, type ManifestErrorCode } from './error.ts';
import {
  validateCapability,
  validateCapabilityExtension,
  validateExtension,
  validateManifest,
} from './manifest.validate.js';
import { below } from './pointer.ts';

/** A compiled schema. */
export interface ShapeCheck {
  (value: unknown): boolean;
  /** The first violation of the last check that said no. */
  readonly errors: readonly [ShapeViolation];
}

export interface ShapeViolation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type RawLocales = Readonly<Record<string, LocalText>>;

/** One capability whose fields have their types; nothing else is known of it yet. */
export interface RawCapability {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: Category;
  readonly parameters: JsonSchema;
  readonly returns: JsonSchema;
  readonly side_effects?: Exclude<SideEffects, 'unknown'>;
  readonly confirmation_required?: boolean;
  readonly undo_window_ms?: number | null;
  readonly version?: string;
  readonly auth_level?: AuthLevel;
  readonly bounds?: {
    readonly timeout_ms?: number;
    readonly max_result_bytes?: number;
    readonly max_invocations_per_turn?: number;
  };
  readonly network?: 'external';
  readonly target?: readonly TargetDeclaration[];
  readonly idempotent?: boolean;
  readonly output_trust?: 'low' | 'medium' | 'high';
  readonly side_effects_note?: string;
  readonly preview?: boolean;
  readonly locales?: RawLocales;
}

export interface RawEvent {
  readonly event_type: string;
  readonly description: string;
  readonly payload_schema?: JsonSchema;
}

/** A manifest whose fields have their types; nothing else is known of it yet. */
export interface RawManifest {
  readonly app_id: string;
  readonly version: string;
  readonly manifest_version: string;
  readonly capabilities: readonly RawCapability[];
  readonly events?: readonly RawEvent[];
  readonly signature?: string | null;
  readonly revision?: number;
  readonly activation?: 'dbus';
  readonly locales?: RawLocales;
}

/** Refuses what the published schemas refuse, and any field this version does not know: it could be a restriction. */
export function checkManifestShape(value: unknown): asserts value is RawManifest {
  apply(validateManifest, value, '');
  apply(validateExtension, value, '');
}

/** The same for one capability that stands alone. */
export function checkCapabilityShape(value: unknown, pointer: string): asserts value is RawCapability {
  apply(validateCapability, value, pointer);
  apply(validateCapabilityExtension, value, pointer);
}

function apply(check: ShapeCheck, value: unknown, pointer: string): void {
  if (!check(value)) throw refusal(check.errors[0], pointer);
}

function refusal({ instancePath, keyword, params }: ShapeViolation, pointer: string): ManifestError {
  const at = pointer + instancePath;
  const field = (name: unknown): string => below(at, String(name));
  switch (keyword) {
    case 'required': {
      const missing = field(params.missingProperty);
      return new ManifestError('SchemaViolation', missing, `the field ${quote(missing)} is missing: add it`);
    }
    case 'additionalProperties': {
      const unknown = field(params.additionalProperty);
      const message = `the field ${quote(unknown)} is not known here: correct its name or remove it`;
      return new ManifestError('UnknownField', unknown, message);
    }
    default:
      return new ManifestError(
        codeOf(at, keyword),
        at,
        `the value at ${quote(at)} ${expectation(keyword, params)}`,
      );
  }
}

function codeOf(at: string, keyword: string): ManifestErrorCode {
  if (at === '/signature') return 'SignatureMalformed';
  if (keyword !== 'pattern') return 'SchemaViolation';
  return at.endsWith('/id') ? 'CapabilityIdInvalid' : 'VersionInvalid';
}

function expectation(keyword: string, params: ShapeViolation['params']): string {
  switch (keyword) {
    case 'type':
      return `has the wrong type: make it ${String(params.type).replace(',', ' or ')}`;
    case 'enum':
      return `is not one of the known values: choose from ${JSON.stringify(params.allowedValues)}`;
    case 'pattern':
      return `is malformed: it must match \`${String(params.pattern)}\``;
    default:
      return `is out of range: it must be ${String(params.comparison)} ${String(params.limit)}`;
  }
}
