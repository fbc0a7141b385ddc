// SPDX-License-Identifier: Apache-2.0
import type { Bounds } from './capability.ts';

/** How much a parameter, result or payload schema may cost; counted per schema. */
export interface SchemaBudget {
  /** JSON values in the schema, annotations and enumerations included. */
  readonly maxNodes: number;
  /** Nesting of subschemas, references followed. */
  readonly maxDepth: number;
  /** Subschemas once every reference is replaced by its definition. */
  readonly maxExpansion: number;
  /** Branches of `allOf`, `anyOf`, `oneOf` and `not`, references followed. */
  readonly maxBranches: number;
  /** Values in one `enum`. */
  readonly maxEnum: number;
  /** UTF-16 code units in one `pattern`. */
  readonly maxPatternLength: number;
  /** Largest `maxItems` beside `uniqueItems`, which compares every pair. */
  readonly maxUniqueItems: number;
}

/** What the host accepts of a manifest. */
export interface ManifestLimits {
  /** Bytes of the whole document. */
  readonly maxBytes: number;
  /** Nesting of the whole document. */
  readonly maxDepth: number;
  readonly maxCapabilities: number;
  readonly maxEvents: number;
  /** Languages in one `locales`. */
  readonly maxLocales: number;
  /** Entries in one `target`. */
  readonly maxTargets: number;
  /** UTF-16 code units of a name, a version or an event type. */
  readonly maxNameLength: number;
  /** UTF-16 code units of a description or a note. */
  readonly maxDescriptionLength: number;
  /** The most a manifest may ask for. */
  readonly ceilings: Bounds & {
    /** Milliseconds. */
    readonly undoWindowMs: number;
  };
  /** What holds where a manifest says nothing. */
  readonly defaults: {
    /** Milliseconds. */
    readonly timeoutMs: number;
    /** Bytes of UTF-8 JSON text. */
    readonly maxResultBytes: number;
    readonly readsPerTurn: number;
    readonly writesPerTurn: number;
  };
  readonly schema: SchemaBudget;
}

/** How many apps are listed in Tier 2; beyond, the oldest of whoever has most goes. */
export interface RegistryLimits {
  readonly maxRefused: number;
  /** Of one `Refusal.owner`. */
  readonly maxRefusedOfOne: number;
}

export const REGISTRY_LIMITS: RegistryLimits = { maxRefused: 256, maxRefusedOfOne: 64 };
