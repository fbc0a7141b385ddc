// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { marshall } from 'dbus-native/lib/message.js';
import { Variant } from 'dbus-native/lib/values.js';
import fc from 'fast-check';
import { DBusError } from '../../dbus/error.ts';
import { type Frame, FrameReader, MESSAGE, readBody } from '../../dbus/wire.ts';
import { thrownBy } from './failure.ts';

const CALL = { type: MESSAGE.call, serial: 7, path: '/a', interface: 'a.b', member: 'C' };

function call(text: string): Buffer {
  return marshall({ ...CALL, signature: 's', body: [text] });
}

function framesOf(bytes: Buffer, limit: number, cuts: readonly number[] = [], maxValues = 1e6): Frame[] {
  const frames: Frame[] = [];
  const reader = new FrameReader(limit, maxValues, (frame) => frames.push(frame));
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b).concat(bytes.length)) {
    reader.push(bytes.subarray(start, cut));
    start = cut;
  }
  return frames;
}

describe('dbus/wire', () => {
  it('reads the same messages wherever the stream is cut', () => {
    const texts = ['', 'x', 'y'.repeat(700), 'over the limit '.repeat(100), 'last'];
    const bytes = Buffer.concat(texts.map(call));
    const expected = texts.map((text) => (text.length > 1000 ? undefined : text));
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const read = framesOf(bytes, 1000, cuts).map((frame) =>
          frame.body ? readBody(frame)[0] : undefined,
        );
        assert.deepEqual(read, expected);
      }),
    );
  });

  it('says that a body over the limit was skipped', () => {
    const [frame] = framesOf(call('z'.repeat(2000)), 1000);
    assert.equal(frame?.member, 'C');
    assert.equal(thrownBy(() => frame && readBody(frame)).code, 'limit');
  });

  const nested = (depth: number): Variant =>
    depth === 0 ? new Variant('y', 1) : new Variant('v', nested(depth - 1));
  const heavy: readonly [what: string, signature: string, body: unknown][] = [
    ['a dictionary of many entries', 'a{sv}', Array.from({ length: 30 }, () => ['k', new Variant('y', 1)])],
    ['variants within variants', 'av', Array.from({ length: 3 }, () => nested(40))],
    ['an array of many numbers', 'au', Array(101).fill(1)],
    ['many structs', 'a(yy)', Array(40).fill([1, 2])],
  ];
  for (const [what, signature, body] of heavy) {
    it(`decodes no more than so many values: ${what}`, () => {
      const bytes = marshall({ ...CALL, signature, body: [body] });
      const [refused] = framesOf(bytes, 1e6, [], 100);
      assert.equal(thrownBy(() => refused && readBody(refused)).code, 'limit');
      const [read] = framesOf(bytes, 1e6, [], 1000);
      assert.lengthOf((read && readBody(read)) ?? [], 1);
    });
  }

  it('skips a message with more header fields than there are', () => {
    const odd = marshall({ ...CALL, signature: 's', body: ['x'] });
    // An array of header fields, each an unknown one with a byte: code, signature `y`, value.
    const field = Buffer.from([200, 1, 0x79, 0, 7, 0, 0, 0]);
    const known = odd.readUInt32LE(12);
    const padded = Math.ceil(known / 8) * 8;
    const many = Buffer.concat([
      odd.subarray(0, 16 + padded),
      ...Array<Buffer>(60).fill(field),
      odd.subarray(16 + padded),
    ]);
    many.writeUInt32LE(padded + 60 * field.length, 12);
    assert.deepEqual(
      framesOf(Buffer.concat([many, call('next')]), 1000).map((frame) => readBody(frame)),
      [['next']],
    );
  });

  it('skips a message whose header fields are over any honest size', () => {
    const long = marshall({ ...CALL, path: `/${'a'.repeat(20_000)}` });
    assert.deepEqual(
      framesOf(Buffer.concat([long, call('x')]), 1000, [5000]).map((frame) => frame.path),
      ['/a'],
    );
  });

  it('reads big-endian messages', () => {
    // A reply to serial 5 from ":1.2" with one u of 258, written by hand from the specification's "Message Format".
    const words = [
      ...['42020001', '00000004', '00000009', '0000001d'], // reply, body of 4 bytes, serial 9, fields of 29 bytes
      ...['05017500', '00000005', '08016700', '01750000'], // reply serial 5, signature u
      ...['07017300', '00000004', '3a312e32', '00000000', '00000102'], // sender :1.2, padding, the body
    ];
    const [frame] = framesOf(Buffer.from(words.join(''), 'hex'), 100);
    assert.deepEqual(frame && [frame.serial, frame.replySerial, frame.sender, readBody(frame)], [
      9,
      5,
      ':1.2',
      [258],
    ]);
  });

  const broken: readonly [what: string, change: (bytes: Buffer) => void][] = [
    ['an unknown byte order', (bytes) => bytes.writeUInt8(0x78, 0)],
    ['an unknown protocol version', (bytes) => bytes.writeUInt8(2, 3)],
    ['a length over what any message may have', (bytes) => bytes.writeUInt32LE(2 ** 27, 4)],
    ['type 0', (bytes) => bytes.writeUInt8(0, 1)],
    ['a reply that answers nothing', (bytes) => bytes.writeUInt8(MESSAGE.reply, 1)],
    ['an error without a name', (bytes) => bytes.writeUInt8(MESSAGE.error, 1)],
    ['header fields that run past their end', (bytes) => bytes.writeUInt32LE(200, 20)],
    ['a path that is a number', (bytes) => bytes.write('u', 18)],
  ];
  for (const [what, change] of broken) {
    it(`refuses ${what}`, () => {
      const bytes = call('x');
      change(bytes);
      assert.equal(thrownBy(() => framesOf(bytes, 1000)).code, 'protocol');
    });
  }

  it('ignores no field that a signal or a call must have', () => {
    const { interface: _, ...noInterface } = CALL;
    const { member: __, ...noMember } = CALL;
    assert.equal(
      thrownBy(() => framesOf(marshall({ ...noInterface, type: MESSAGE.signal }), 100)).code,
      'protocol',
    );
    assert.equal(thrownBy(() => framesOf(marshall(noMember), 100)).code, 'protocol');
    assert.lengthOf(framesOf(marshall(noInterface), 100), 1);
    assert.lengthOf(framesOf(marshall({ ...CALL, type: 9 }), 100), 1);
  });

  it('refuses a body that its signature does not fit', () => {
    const [frame] = framesOf(call('x'), 1000);
    if (frame === undefined) throw new Error('no frame');
    assert.equal(thrownBy(() => readBody({ ...frame, signature: 'ss' })).code, 'protocol');
    assert.deepEqual(readBody({ ...frame, signature: '' }), []);
  });

  it('meets any bytes with messages or a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, prefixed) => {
        const start = prefixed ? Buffer.from('6c010001080000000100000010000000', 'hex') : Buffer.alloc(0);
        try {
          for (const frame of framesOf(Buffer.concat([start, noise]), 1000)) if (frame.body) readBody(frame);
        } catch (error) {
          assert.instanceOf(error, DBusError);
        }
      }),
    );
  });
});
