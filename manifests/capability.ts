// SPDX-License-Identifier: Apache-2.0

/** A parsed capability id: `{domain}.{folded app id}.{action}`, or two parts for the broker's own. */
export type CapabilityId = string & { readonly __capabilityId: unique symbol };

/** A parsed version `M.m`. Compared for equality only: there are no ranges. */
export type Version = string & { readonly __version: unique symbol };

export const CATEGORIES = [
  'APP_MANAGEMENT',
  'SURFACE_MANAGEMENT',
  'ELEMENT_INTERACTION',
  'TEXT_INPUT',
  'TEXT_QUERY',
  'NAVIGATION',
  'STATE_QUERY',
  'SYSTEM',
  'MEDIA_PLAYBACK',
  'COMMUNICATION',
  'FILE_OPERATION',
  'HARDWARE',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const AUTH_LEVELS = ['public', 'user', 'privileged', 'system'] as const;
/** Ordered from the least trust to the most. */
export type AuthLevel = (typeof AUTH_LEVELS)[number];

/** `unknown` stands for a declaration that says nothing; it is classified like the worst case. */
export type SideEffects = 'none' | 'read' | 'write' | 'destructive' | 'network' | 'system' | 'unknown';

export type TargetKind = 'path' | 'url' | 'unit' | 'app' | 'text';

/** Which part of the parameters a policy rule's target is matched against. */
export interface TargetDeclaration {
  /** JSON pointer into the parameters; where it names an array, each element is a target. */
  readonly parameter: string;
  readonly kind: TargetKind;
}

export interface Bounds {
  /** Longest time one invocation may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest result, in bytes of UTF-8 JSON text. */
  readonly maxResultBytes: number;
  /** Invocations by one caller in one turn. */
  readonly maxInvocationsPerTurn: number;
}

export interface LocalText {
  readonly name?: string;
  readonly description?: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** One operation an app (or the broker itself) offers, as its signed definition states it. */
export interface Capability {
  readonly id: CapabilityId;
  readonly version: Version;
  readonly name: string;
  readonly description: string;
  readonly category: Category;
  readonly parameters: JsonSchema;
  readonly returns: JsonSchema;
  readonly sideEffects: SideEffects;
  /** Set when the capability reaches outside this machine although its side effects do not say so. */
  readonly network: 'external' | undefined;
  readonly confirmationRequired: boolean;
  /** Milliseconds after the outcome in which it can be undone; undefined when it cannot. */
  readonly undoWindowMs: number | undefined;
  readonly authLevel: AuthLevel;
  readonly bounds: Bounds;
  readonly targets: readonly TargetDeclaration[];
  readonly idempotent: boolean;
  /** How far the result may be trusted as information; never as instructions. */
  readonly outputTrust: 'low' | 'medium' | 'high';
  readonly sideEffectsNote: string | undefined;
  readonly preview: boolean;
  readonly locales: Readonly<Record<string, LocalText>>;
  /** SHA-256 of the canonical definition, lower-case hexadecimal: what an approval and a pin are bound to. */
  readonly digest: string;
}
