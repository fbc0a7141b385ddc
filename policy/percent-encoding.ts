// SPDX-License-Identifier: Apache-2.0

/** Characters that mean the same whether they are percent-encoded or not (RFC 3986 2.3). */
const UNRESERVED = /[A-Za-z0-9._~-]/;

/** The one spelling of `%` and these two hex digits, in a text where both spellings are one (RFC 3986 6.2.2). */
export function canonicalEscape(digits: string): string {
  const char = String.fromCharCode(Number.parseInt(digits, 16));
  return UNRESERVED.test(char) ? char : `%${digits.toUpperCase()}`;
}
