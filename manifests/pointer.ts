// SPDX-License-Identifier: Apache-2.0

/** The pointer one level below `parent` (RFC 6901 section 3: `~` and `/` are escaped). */
export function below(parent: string, token: string | number): string {
  if (typeof token === 'number' || !(token.includes('~') || token.includes('/'))) return `${parent}/${token}`;
  return `${parent}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** The reference tokens of a non-empty pointer, or undefined where the text is none (RFC 6901 sections 3 and 4). */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  if (!POINTER.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
