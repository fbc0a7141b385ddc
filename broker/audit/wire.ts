// SPDX-License-Identifier: Apache-2.0

/** Our own records as they leave the process: like all JSON of the contract, with names in snake_case. */
export function wireForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireForm);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snake(name), wireForm(inner)]));
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
