// SPDX-License-Identifier: Apache-2.0

const BACK_REFERENCE = /\\(?:[1-9]|k<)/;
const ESCAPE_OR_CLASS = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g;
const LOOK_AROUND = /\(\?<?[=!]/;
// What RE2 takes at most. A count above it starts with 2 to 9, is 1001 to 1999, or has five digits.
const OVER_1000 = /\{(?:\d+,)?(?:[2-9]\d{3}|1(?!000[,}])\d{3}|\d{5})/;

/**
 * Why a `pattern` cannot be used, or undefined. Patterns run in linear time with RE2's syntax, so look-around and
 * back-references are out. The full check is the compilation, which costs too much at registration and is left to
 * the first use; this finds what authors get wrong.
 */
export function patternFault(pattern: string, maxLength: number): string | undefined {
  if (pattern.length > maxLength) return `has over ${maxLength} characters: shorten it`;
  try {
    new RegExp(pattern);
  } catch {
    return 'is no regular expression: correct its syntax';
  }
  if (BACK_REFERENCE.test(pattern.replaceAll('\\\\', ''))) {
    return 'uses a back-reference, which cannot run in linear time: drop it';
  }
  const bare = pattern.replace(ESCAPE_OR_CLASS, '');
  if (LOOK_AROUND.test(bare)) return 'uses look-around, which cannot run in linear time: drop it';
  return OVER_1000.test(bare) ? 'repeats over 1000 times: lower the count' : undefined;
}
