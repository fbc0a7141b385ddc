// SPDX-License-Identifier: Apache-2.0
import { AuditError } from './error.ts';
import { AUDIT_TYPES, type AuditClassification, type AuditEvent, type AuditType, OUTCOMES } from './event.ts';

// The one way into the record, and the one way out: what is read back passes it again, because whoever edits the file
// must not be able to put escape sequences or invented lines on a terminal.

/** Letters, or a number; words and numbers apart. Passwords and keys, which mix them, do not look like this. */
const NAME = /^[a-z]+(?:[-_.:](?:[a-z]+|\d{1,10}[a-z]?))*$/;
/** A UUID, or as much randomness in hexadecimal or base64url. */
const MINTED = /^[A-Za-z0-9_-]{16,64}$/;
const WORD = /^[a-z]+(?:-[a-z]+)*$/;
const CODE = /^[A-Z][A-Za-z]*$/;
const KEYED_HASH = /^[A-Za-z0-9+/_-]{32,128}={0,2}$/;
const CAPABILITY_ID = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)+$/;
/** The segments of a derived id hold marks of the tree it came from. */
const DERIVED_ID = /^atspi(?:\.[a-z0-9_-]+){3,6}$/;
const APP_ID = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)+$/;
const VERSION = /^\d{1,9}\.\d{1,9}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EFFECT = /^(?:allow|ask|deny)$/;
const SESSION = /^session$/;
const ORIGIN = /^(?:live|dream|replay|plan|step|ui|person|undo|schedule)(?:[:.-]\d{1,6}){0,3}$/;

const TEXT_FIELDS = [
  'invocation',
  'principal',
  'binding',
  'appId',
  'capability',
  'version',
  'stage',
  'code',
  'rule',
  'decider',
  'effect',
  'grant',
  'commitment',
  'replaced',
  'profile',
  'assurance',
  'origin',
] as const satisfies readonly (keyof AuditEvent)[];
const NUMBER_FIELDS = [
  'pid',
  'uid',
  'tier',
  'specificity',
  'consideredCount',
  'paramsSize',
  'resultSize',
  'durationMs',
  'count',
] as const satisfies readonly (keyof AuditEvent)[];
type TextField = (typeof TEXT_FIELDS)[number];

/** The only forms a text may have in the record, field by field. */
const FORMS: Readonly<Record<TextField, readonly RegExp[]>> = {
  invocation: [MINTED, NAME],
  principal: [NAME],
  binding: [NAME],
  appId: [APP_ID],
  capability: [CAPABILITY_ID, DERIVED_ID],
  version: [VERSION],
  stage: [WORD],
  code: [CODE],
  // A rule of a file is a name too: `root:<file>:<number>`, `user:<file>:<number>`.
  rule: [NAME, UUID],
  decider: [NAME],
  effect: [EFFECT],
  grant: [UUID, SESSION],
  commitment: [KEYED_HASH],
  replaced: [KEYED_HASH],
  profile: [WORD],
  assurance: [WORD],
  origin: [ORIGIN],
};
const CLASS = [WORD];
const MAX_CHARACTERS = 255;
/** Most rules that one event names. */
const MOST_CONSIDERED = 20;
const REFUSED = /^invalid\(\d{1,15}\)$/;

/** An event in the form it is recorded in. */
export interface SealedEvent {
  readonly type: AuditType;
  readonly invocation: string | undefined;
  /** One line of JSON in a fixed order of fields: the text that is stored and authenticated. */
  readonly body: string;
}

/** Whether the record can hold this name as a principal; one it cannot hold would be recorded as `invalid(<length>)`. */
export function isRecordableName(name: string): boolean {
  return matches(FORMS.principal, name);
}

/** Whether the record can hold this as the origin of a wish: a word of its list, with the numbers of a step. */
export function isRecordableOrigin(origin: string): boolean {
  return matches(FORMS.origin, origin);
}

/**
 * Brings an event into the form it is recorded in. A text that has not the form of its field becomes `invalid(<length>)`,
 * a number that is none -1; fields the record does not know are left out.
 * Throws `AuditError` when type, time or invocation are unusable, since events could then not be tied together.
 */
export function sealEvent(event: AuditEvent): SealedEvent {
  const { type, time, invocation } = event;
  if (!AUDIT_TYPES.includes(type)) throw new AuditError('EventInvalid', 'the event has no known type');
  if (!Number.isSafeInteger(time) || time < 0)
    throw new AuditError('EventInvalid', `the \`${type}\` event has no time`);
  const needsInvocation = type === 'requested' || OUTCOMES.includes(type);
  if (needsInvocation || invocation !== undefined) {
    if (typeof invocation !== 'string' || !matches(FORMS.invocation, invocation)) {
      throw new AuditError('EventInvalid', `the \`${type}\` event has no usable invocation id`);
    }
  }
  return { type, invocation, body: writeBody(event) };
}

/**
 * The event as JSON. No form has a character that JSON would escape, so a text that has its form is written as it is; an
 * object in between would be most of the cost.
 */
function writeBody(event: AuditEvent): string {
  let body = `{"type":"${event.type}","time":${event.time}`;
  for (const field of TEXT_FIELDS) {
    const value = event[field];
    if (value !== undefined) body += `,"${field}":"${cleanText(FORMS[field], value)}"`;
  }
  if (event.classification !== undefined) {
    const { sideEffects, access, network, risk, gate } = cleanClassification(event.classification);
    body += `,"classification":{"sideEffects":"${sideEffects}","access":"${access}","network":"${network}"`;
    body += `,"risk":"${risk}","gate":"${gate}"}`;
  }
  if (event.considered !== undefined) body += `,"considered":${JSON.stringify(cleanRules(event.considered))}`;
  for (const field of NUMBER_FIELDS) {
    const value = event[field];
    if (value !== undefined) body += `,"${field}":${cleanNumber(value)}`;
  }
  return `${body}}`;
}

/** Reads a recorded body; `undefined` when it is no event. Everything in the answer has the form of its field. */
export function readEvent(body: string): AuditEvent | undefined {
  const found = parseObject(body);
  if (found === undefined) return undefined;
  const { type, time } = found;
  const known = AUDIT_TYPES.find((each) => each === type);
  if (known === undefined || typeof time !== 'number') return undefined;
  return readFields({ type: known, time }, found);
}

type Unchecked = Partial<Record<keyof AuditEvent, unknown>>;
type Writable = { -readonly [field in keyof AuditEvent]: AuditEvent[field] };

/** Adds the known fields that have a value, each in its form, in the order in which they are written. */
function readFields(clean: Writable, event: Unchecked): AuditEvent {
  for (const field of TEXT_FIELDS) {
    const value = event[field];
    if (value !== undefined) clean[field] = cleanText(FORMS[field], value);
  }
  if (event.classification !== undefined) clean.classification = cleanClassification(event.classification);
  if (event.considered !== undefined) clean.considered = cleanRules(event.considered);
  for (const field of NUMBER_FIELDS) {
    const value = event[field];
    if (value !== undefined) clean[field] = cleanNumber(value);
  }
  return clean;
}

function cleanClassification(value: unknown): AuditClassification {
  const given: Partial<Record<keyof AuditClassification, unknown>> =
    typeof value === 'object' && value !== null ? value : {};
  return {
    sideEffects: cleanText(CLASS, given.sideEffects),
    access: cleanText(CLASS, given.access),
    network: cleanText(CLASS, given.network),
    risk: cleanText(CLASS, given.risk),
    gate: cleanText(CLASS, given.gate),
  };
}

/** What is no list of rules names none. */
function cleanRules(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_CONSIDERED).map((rule) => cleanText(FORMS.rule, rule));
}

function cleanText(forms: readonly RegExp[], value: unknown): string {
  if (typeof value !== 'string') return 'invalid(0)';
  return matches(forms, value) || REFUSED.test(value) ? value : `invalid(${value.length})`;
}

function matches(forms: readonly RegExp[], value: string): boolean {
  if (value.length > MAX_CHARACTERS) return false;
  for (const form of forms) if (form.test(value)) return true;
  return false;
}

function cleanNumber(value: unknown): number {
  if (typeof value !== 'number') return -1;
  const whole = Math.round(value);
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : -1;
}

function parseObject(text: string): Unchecked | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
