// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { completeTypes } from '../../dbus/signature.ts';
import { variant } from '../../dbus/values.ts';

/** Texts that mean something to somebody, beside any other. */
const TEXTS = [
  '',
  '{}',
  '[]',
  'null',
  '{"text":"x"}',
  '{"__proto__":1}',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'org.example.Fixture',
  'fix.org.example.fixture.look',
  'fix.org.example.fixture.write',
  'system.health',
  'x'.repeat(5000),
  '\u202e\u2066\ufeff',
  '-1',
  '1e999',
];

/** Names of options that exist somewhere, so that their values are read too. */
const KEYS = [
  'handle_token',
  'version',
  'category',
  'context',
  'target',
  'session',
  'turn',
  'intention',
  'reason',
  'evidence',
  'origin',
  'require_approval',
  'timeout_ms',
  'wait_ms',
  'fallback',
  'type',
  'since',
  'limit',
  'detail',
  'text',
  'offset',
  'decision',
  '__proto__',
];

const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }).map((one) => one.replaceAll('\0', '0')),
);
const path = fc.constantFrom(
  '/',
  '/a',
  '/org/portal/Broker1',
  '/org/portal/Broker1/request/1_1/x',
  '/provider',
);

const basic: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  s: text,
  o: path,
  g: fc.constantFrom('', 's', 'a{sv}', '(ss)'),
  b: fc.boolean(),
  y: fc.integer({ min: 0, max: 255 }),
  u: fc.oneof(
    fc.constantFrom(0, 1, 100, 55_000, 55_001, 2 ** 32 - 1),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  ),
  i: fc.integer(),
  t: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  x: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  d: fc.double({ noNaN: true }),
  h: fc.integer({ min: 0, max: 3 }),
};

const INNER = ['s', 'b', 'u', 'i', 't', 'x', 'd', 'y', 'o', 'g', 'as', 'ay', 'a{sv}', 'av', '(su)', 'v', 'h'];

/** Any arguments of this signature. */
export function argumentsOf(signature: string): fc.Arbitrary<readonly unknown[]> {
  return fc.tuple(...completeTypes(signature).map((type) => anyOf(type, 2)));
}

function anyOf(type: string, depth: number): fc.Arbitrary<unknown> {
  const found = basic[type];
  if (found !== undefined) return found;
  if (type === 'v') return variantOf(depth);
  if (type === 'a{sv}') return dictionaryOf(depth);
  if (type === 'ay') return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
  if (type.startsWith('a')) return fc.array(anyOf(type.slice(1), depth - 1), { maxLength: 4 });
  return fc.tuple(...completeTypes(type.slice(1, -1)).map((inner) => anyOf(inner, depth - 1)));
}

function variantOf(depth: number): fc.Arbitrary<unknown> {
  const types = depth <= 0 ? INNER.filter((type) => basic[type] !== undefined) : INNER;
  return fc
    .constantFrom(...types)
    .chain((type) => anyOf(type, depth - 1).map((value) => variant(type, value)));
}

/** As pairs, so that a key can come twice. */
function dictionaryOf(depth: number): fc.Arbitrary<unknown> {
  const key = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...KEYS) }, text);
  return fc.array(fc.tuple(key, variantOf(depth)), { maxLength: 4 });
}
