// SPDX-License-Identifier: Apache-2.0

/** Splits a well-formed signature into its complete types: `sa{sv}(iu)` gives `s`, `a{sv}`, `(iu)`. */
export function completeTypes(signature: string): readonly string[] {
  const types: string[] = [];
  let depth = 0;
  let type = '';
  for (const character of signature) {
    type += character;
    if (character === '(' || character === '{') depth += 1;
    if (character === ')' || character === '}') depth -= 1;
    if (depth === 0 && character !== 'a') {
      types.push(type);
      type = '';
    }
  }
  return types;
}
