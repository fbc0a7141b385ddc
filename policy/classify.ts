// SPDX-License-Identifier: Apache-2.0
import type { AuthLevel, Capability, Category, SideEffects } from '../manifests/capability.ts';
import { higher } from './principal.ts';

export type Access = 'read' | 'write';
export type Network = 'local' | 'external';

/**
 * What stands between an intent and its execution.
 * `ask`: a person answers, and may answer for more than this once.
 * `confirm`: a person answers for this one invocation; nothing else satisfies it.
 */
export type Gate = 'automatic' | 'ask' | 'confirm';
export type Risk = 'low' | 'medium' | 'high' | 'critical';

/** `strict` confirms everything but a local read; `standard` lets a person answer for a session. */
export type Profile = 'standard' | 'strict';

export interface Classification {
  readonly sideEffects: SideEffects;
  readonly access: Access;
  readonly network: Network;
  readonly gate: Gate;
  readonly risk: Risk;
  /** The least trust a caller needs, whatever the author declared. */
  readonly level: AuthLevel;
}

type Class = Omit<Classification, 'sideEffects'>;

const READ: Class = { access: 'read', network: 'local', gate: 'automatic', risk: 'low', level: 'public' };
const WRITE: Class = { access: 'write', network: 'local', gate: 'ask', risk: 'medium', level: 'user' };
const EXTERNAL: Class = {
  access: 'write',
  network: 'external',
  gate: 'confirm',
  risk: 'high',
  level: 'user',
};
const SYSTEM: Class = {
  access: 'write',
  network: 'local',
  gate: 'confirm',
  risk: 'critical',
  level: 'privileged',
};

/** The table everything else only tightens. A declaration that says nothing counts as the worst ordinary case. */
const TABLE: Readonly<Record<SideEffects, Class>> = {
  none: READ,
  read: READ,
  write: WRITE,
  destructive: { ...WRITE, gate: 'confirm', risk: 'high' },
  network: EXTERNAL,
  system: SYSTEM,
  unknown: EXTERNAL,
};

/** What a category implies, so that an author cannot under-declare. Categories that only look at things have none. */
const FLOOR: Readonly<Record<Category, Class | undefined>> = {
  APP_MANAGEMENT: WRITE,
  SURFACE_MANAGEMENT: WRITE,
  ELEMENT_INTERACTION: WRITE,
  TEXT_INPUT: WRITE,
  TEXT_QUERY: undefined,
  NAVIGATION: WRITE,
  STATE_QUERY: undefined,
  SYSTEM,
  MEDIA_PLAYBACK: WRITE,
  COMMUNICATION: EXTERNAL,
  FILE_OPERATION: WRITE,
  HARDWARE: SYSTEM,
};

const GATES: readonly Gate[] = ['automatic', 'ask', 'confirm'];
const RISKS: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

/** The stricter of two gates. */
export function stricter(a: Gate, b: Gate): Gate {
  return GATES.indexOf(a) >= GATES.indexOf(b) ? a : b;
}

/** The stricter of two classes in every respect but access, which stays that of the first. */
function tighten(a: Class, b: Class): Class {
  return {
    access: a.access,
    network: a.network === 'external' ? a.network : b.network,
    gate: stricter(a.gate, b.gate),
    risk: RISKS.indexOf(a.risk) >= RISKS.indexOf(b.risk) ? a.risk : b.risk,
    level: higher(a.level, b.level),
  };
}

function floored(declared: Class, category: Category): Class {
  const floor = FLOOR[category];
  if (floor === undefined) return declared;
  // A declared read in such a category (what is playing, which windows are open) is asked about, not turned into a write.
  if (declared.access === 'read') return { ...declared, gate: stricter(declared.gate, 'ask') };
  return tighten(declared, floor);
}

/**
 * Derives the class of a capability from its definition alone. The result is the table's row, tightened by the declared
 * reach outside, the category's floor and the author's wish for confirmation; nothing here can loosen the table.
 */
export function classify(capability: Capability, profile: Profile): Classification {
  let found = TABLE[capability.sideEffects];
  if (capability.network === 'external') {
    // Reading outside is not writing, and needs no more trust than reading here.
    found = { ...tighten(found, EXTERNAL), level: found.level };
  }
  found = floored(found, capability.category);
  if (capability.confirmationRequired) found = { ...found, gate: 'confirm' };
  // The contract's table knows two answers only: automatic, or confirmed afresh.
  if (profile === 'strict' && found.gate !== 'automatic') found = { ...found, gate: 'confirm' };
  return { sideEffects: capability.sideEffects, ...found };
}
