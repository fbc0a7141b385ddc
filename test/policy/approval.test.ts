// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { assert } from 'chai';
import fc from 'fast-check';
import { canonicalBytes } from '../../keys/canonical-json.ts';
import { type ApprovedThing, invocationDigest, lengthDelimited } from '../../policy/approval.ts';
import type { Targets } from '../../policy/target.ts';

const mac = (bytes: Uint8Array): string => createHmac('sha256', 'test').update(bytes).digest('hex');
const digest = (thing: ApprovedThing): string => invocationDigest(thing, mac);

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const targets: fc.Arbitrary<Targets> = fc.oneof(
  fc.constant('undetermined' as const),
  fc.array(
    fc.record({ kind: fc.constantFrom('path' as const, 'url' as const, 'text' as const), value: text }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
);
const thing: fc.Arbitrary<ApprovedThing> = fc.record({
  capability: text,
  version: text,
  definitionDigest: text,
  targets,
  canonicalParams: text.map((value) => Buffer.from(value)),
  provider: text,
  caller: text,
});

const plain = (one: ApprovedThing): unknown => ({
  ...one,
  canonicalParams: Buffer.from(one.canonicalParams).toString('hex'),
});

describe('invocationDigest', () => {
  const FIELDS = [
    'capability',
    'version',
    'definitionDigest',
    'provider',
    'caller',
    'targets',
    'canonicalParams',
  ] as const;
  for (const field of FIELDS) {
    it(`[R83] another ${field} is another digest`, () => {
      fc.assert(
        fc.property(thing, thing, (one, other) => {
          const changed = { ...one, [field]: other[field] };
          fc.pre(JSON.stringify(plain(changed)) !== JSON.stringify(plain(one)));
          assert.notEqual(digest(changed), digest(one));
        }),
      );
    });
  }

  it('[R83] [R94] two different things have different digests', () => {
    fc.assert(
      fc.property(thing, thing, (one, other) => {
        const equal = JSON.stringify(plain(one)) === JSON.stringify(plain(other));
        assert.equal(digest(one) === digest(other), equal);
      }),
    );
  });

  it('[R83] a text moved from one field to its neighbour is another digest', () => {
    const targets = [{ kind: 'text', value: 'path' }] as const;
    const base: ApprovedThing = {
      capability: 'ab',
      version: 'c',
      definitionDigest: '',
      targets,
      canonicalParams: Buffer.from('{}'),
      provider: '',
      caller: '',
    };
    const moved: readonly ApprovedThing[] = [
      { ...base, capability: 'a', version: 'bc' },
      { ...base, capability: 'abc', version: '' },
      { ...base, targets: 'undetermined' },
      { ...base, targets: [...targets, { kind: 'text', value: '' }] },
      { ...base, targets: [{ kind: 'path', value: 'text' }] },
    ];
    assert.lengthOf(new Set([base, ...moved].map(digest)), 6);
  });

  it('[R83] key order and white space in the parameters do not matter, since the canonical form is what is hashed', () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.integer()), (params) => {
        const turned = Object.fromEntries(Object.entries(params).reverse());
        const spaced: unknown = JSON.parse(JSON.stringify(turned, undefined, 2));
        assert.deepEqual(canonicalBytes(spaced), canonicalBytes(params));
      }),
    );
  });

  it('is keyed: another key gives another digest', () => {
    const [one] = fc.sample(thing, 1);
    assert.isDefined(one);
    const other = invocationDigest(one, (bytes) => createHmac('sha256', 'other').update(bytes).digest('hex'));
    assert.notEqual(other, digest(one));
  });
});

describe('lengthDelimited', () => {
  const part = fc.oneof(text, fc.uint8Array({ maxLength: 8 }));
  const bytesOf = (one: string | Uint8Array): string => Buffer.from(one).toString('hex');

  it('can be read back, so no two lists have the same bytes', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const bytes = Buffer.from(lengthDelimited(parts));
        const read: string[] = [];
        let offset = 4;
        for (let left = bytes.readUInt32BE(0); left > 0; left -= 1) {
          const length = bytes.readUInt32BE(offset);
          read.push(bytes.subarray(offset + 4, offset + 4 + length).toString('hex'));
          offset += 4 + length;
        }
        assert.equal(offset, bytes.length);
        assert.deepEqual(read, parts.map(bytesOf));
      }),
    );
  });

  it('has this form', () => {
    assert.equal(Buffer.from(lengthDelimited([])).toString('hex'), '00000000');
    assert.equal(
      Buffer.from(lengthDelimited(['a', Buffer.from([255]), ''])).toString('hex'),
      '000000030000000161' + '00000001ff' + '00000000',
    );
  });
});
