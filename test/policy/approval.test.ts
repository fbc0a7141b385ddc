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
  kind: fc.constantFrom('invoke' as const, 'undo' as const),
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
    'kind',
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
      kind: 'invoke',
      capability: 'ab',
      version: 'c',
      definitionDigest: '',
      targets,
      canonicalParams: Buffer.from('{}'),
      provider: '',
      caller: '',
    };
    const moved: readonly ApprovedThing[] = [
      { ...base, kind: 'undo' },
      { ...base, capability: 'a', version: 'bc' },
      { ...base, capability: 'abc', version: '' },
      { ...base, targets: 'undetermined' },
      { ...base, targets: [...targets, { kind: 'text', value: '' }] },
      { ...base, targets: [{ kind: 'path', value: 'text' }] },
    ];
    assert.lengthOf(new Set([base, ...moved].map(digest)), 7);
  });

  /** A JSON value in another spelling: keys the other way round at every depth, more white space. */
  const respelt = (params: unknown): unknown => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([key, one]) => [key, turned(one)] as const);
      return Object.fromEntries(entries.toReversed());
    };
    return JSON.parse(JSON.stringify(turned(params), undefined, 2));
  };
  const params = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const withParams = (one: ApprovedThing, value: unknown): ApprovedThing => ({
    ...one,
    canonicalParams: canonicalBytes(value),
  });

  it('[R83] how the parameters are spelt does not matter: the order of keys, white space', () => {
    fc.assert(
      fc.property(thing, params, (one, value) => {
        assert.equal(digest(withParams(one, respelt(value))), digest(withParams(one, value)));
      }),
    );
  });

  it('[R83] [R94] any other parameters are another digest', () => {
    fc.assert(
      fc.property(thing, params, text, fc.jsonValue({ maxDepth: 1 }), (one, value, key, changed) => {
        const other = { ...value, [key]: changed };
        const equal = Buffer.from(canonicalBytes(other)).equals(canonicalBytes(value));
        assert.equal(digest(withParams(one, other)) === digest(withParams(one, value)), equal);
      }),
    );
  });

  it('[R83] nothing else that is known of an invocation is in it', () => {
    fc.assert(
      fc.property(thing, fc.dictionary(text, text), (one, more) => {
        assert.equal(digest({ ...more, ...one }), digest(one));
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
