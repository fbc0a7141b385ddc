// SPDX-License-Identifier: Apache-2.0

const MAX_REPEAT = 1000;

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
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll('\\\\', '')))
    return 'uses a back-reference, which cannot run in linear time: drop it';
  const bare = pattern.replace(/\\[\s\S]/g, '').replace(/\[[^\]]*\]/g, '');
  if (/\(\?<?[=!]/.test(bare)) return 'uses look-around, which cannot run in linear time: drop it';
  const counts = [...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, from = '', to = '']) => [
    Number(from),
    Number(to),
  ]);
  return counts.some((most) => most > MAX_REPEAT)
    ? `repeats over ${MAX_REPEAT} times: lower the count`
    : undefined;
}
