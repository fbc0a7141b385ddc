// SPDX-License-Identifier: Apache-2.0
import { isIPv4, isIPv6 } from 'node:net';

// Each check is linear in its input: single passes, classes without overlap, no nested repetition.
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;
const UUID = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const MAILBOX = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
const MAX_HOSTNAME = 253;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // A date that does not exist either fails to parse or comes back as another one (the 30th of February).
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.charAt(10)) && TIME.test(text.slice(11));
}

function isHostname(text: string): boolean {
  return text.length <= MAX_HOSTNAME && text.split('.').every((label) => LABEL.test(label));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return MAILBOX.test(text.slice(0, Math.max(at, 0))) && isHostname(text.slice(at + 1));
}

/** The values of `format` that the dialect knows, by name. All are checks, none is a hint. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['date-time', isDateTime],
  ['time', (text: string) => TIME.test(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  // A zone (`%eth0`) belongs to one machine's interfaces, not to the address.
  ['ipv6', (text: string) => isIPv6(text) && !text.includes('%')],
  ['uri', (text: string) => URI.test(text) && URL.canParse(text)],
  ['uuid', (text: string) => UUID.test(text)],
]);
