// SPDX-License-Identifier: Apache-2.0
import type { Variant } from 'dbus-native/lib/values.js';
import { BoundedReader, TooManyValues } from './bounded-reader.ts';
import { DBusError, ERROR_NAME } from './error.ts';

export const MESSAGE = { call: 1, reply: 2, error: 3, signal: 4 } as const;
export const NO_REPLY_EXPECTED = 1;

/** One received message. The body stays bytes until someone who checked the signature asks for it. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly serial: number;
  readonly path: string | undefined;
  readonly interface: string | undefined;
  readonly member: string | undefined;
  readonly errorName: string | undefined;
  readonly replySerial: number | undefined;
  readonly sender: string | undefined;
  readonly signature: string;
  readonly endianness: number;
  /** Undefined where the body was over the limit: such a body is skipped, not stored. */
  readonly body: Buffer | undefined;
  /** How many values a body may hold to be decoded. */
  readonly maxValues: number;
}

// D-Bus specification, "Message Format": 12 bytes, the length of the header fields, the fields, padding to 8, the body.
const PREFIX_BYTES = 16;
const LITTLE_ENDIAN = 0x6c;
const BIG_ENDIAN = 0x42;
const PROTOCOL_VERSION = 1;
const LARGEST_MESSAGE = 2 ** 27;
/** Names take at most 255 bytes each; only a path may be longer, and no honest one comes near this. */
const LARGEST_FIELDS = 16384;
/** There are nine fields of four values each; a message with more is none that means well. */
const MOST_FIELD_VALUES = 128;
const FIELD = { path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, sender: 7, signature: 8 };

interface Prefix {
  readonly endianness: number;
  readonly fieldsBytes: number;
  readonly bodyBytes: number;
  readonly keep: 'all' | 'fields' | 'nothing';
}

/**
 * Cuts a byte stream into messages. A body over `maxBodyBytes` is skipped without being stored, so that a peer's huge
 * message costs neither memory nor the connection. Throws `protocol` where the stream itself makes no sense: after that
 * nobody knows where the next message starts.
 */
export class FrameReader {
  readonly #maxBodyBytes: number;
  readonly #maxValues: number;
  readonly #deliver: (frame: Frame) => void;
  #chunks: Buffer[] = [];
  #have = 0;
  #skip = 0;
  #prefix: Prefix | undefined;

  constructor(maxBodyBytes: number, maxValues: number, deliver: (frame: Frame) => void) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#maxValues = maxValues;
    this.#deliver = deliver;
  }

  push(chunk: Buffer): void {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    const rest = skipped === 0 ? chunk : chunk.subarray(skipped);
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#have += rest.length;
    while (this.#step());
  }

  #step(): boolean {
    if (this.#have < PREFIX_BYTES) return false;
    this.#prefix ??= readPrefix(this.#peek(PREFIX_BYTES), this.#maxBodyBytes);
    const { fieldsBytes, bodyBytes, keep } = this.#prefix;
    const head = PREFIX_BYTES + Math.ceil(fieldsBytes / 8) * 8;
    const stored = keep === 'all' ? head + bodyBytes : keep === 'fields' ? head : 0;
    if (this.#have < stored) return false;
    const prefix = this.#prefix;
    this.#prefix = undefined;
    const bytes = this.#take(stored);
    this.#drop(head + bodyBytes - stored);
    const frame = keep === 'nothing' ? undefined : readFrame(bytes, prefix, head, this.#maxValues);
    if (frame !== undefined) this.#deliver(frame);
    return true;
  }

  #peek(count: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= count) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #take(count: number): Buffer {
    const joined = this.#peek(count);
    this.#have -= count;
    if (joined.length === count) this.#chunks.shift();
    else this.#chunks[0] = joined.subarray(count);
    return joined.subarray(0, count);
  }

  #drop(count: number): void {
    const now = Math.min(count, this.#have);
    if (now > 0) this.#take(now);
    this.#skip = count - now;
  }
}

function readPrefix(bytes: Buffer, maxBodyBytes: number): Prefix {
  const endianness = bytes[0];
  if (endianness !== LITTLE_ENDIAN && endianness !== BIG_ENDIAN) throw malformed('unknown byte order');
  if (bytes[3] !== PROTOCOL_VERSION) throw malformed('unknown protocol version');
  const read = (at: number) =>
    endianness === LITTLE_ENDIAN ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  const bodyBytes = read(4);
  const fieldsBytes = read(12);
  if (fieldsBytes + bodyBytes > LARGEST_MESSAGE) throw malformed('message over 128 MiB');
  const keep = fieldsBytes > LARGEST_FIELDS ? 'nothing' : bodyBytes > maxBodyBytes ? 'fields' : 'all';
  return { endianness, fieldsBytes, bodyBytes, keep };
}

/** Undefined for a message whose header fields nobody should spend time on. */
function readFrame(
  bytes: Buffer,
  { endianness, fieldsBytes, keep }: Prefix,
  head: number,
  maxValues: number,
): Frame | undefined {
  const fields = readFields(bytes.subarray(12, PREFIX_BYTES + fieldsBytes), endianness);
  if (fields === undefined) return undefined;
  const text = (code: number): string | undefined => {
    const value = fields.get(code);
    if (value !== undefined && typeof value !== 'string')
      throw malformed('a header field has the wrong type');
    return value;
  };
  const replySerial = fields.get(FIELD.replySerial);
  if (replySerial !== undefined && typeof replySerial !== 'number')
    throw malformed('a reply serial that is no number');
  const frame: Frame = {
    type: bytes[1] ?? 0,
    flags: bytes[2] ?? 0,
    serial: endianness === LITTLE_ENDIAN ? bytes.readUInt32LE(8) : bytes.readUInt32BE(8),
    path: text(FIELD.path),
    interface: text(FIELD.interface),
    member: text(FIELD.member),
    errorName: text(FIELD.errorName),
    replySerial,
    sender: text(FIELD.sender),
    signature: text(FIELD.signature) ?? '',
    endianness,
    body: keep === 'all' ? bytes.subarray(head) : undefined,
    maxValues,
  };
  if (!isComplete(frame)) throw malformed('a message without a required header field');
  return frame;
}

/** D-Bus specification, "Header Fields": which fields each type must have. Unknown types are to be ignored. */
function isComplete({ type, path, interface: name, member, errorName, replySerial }: Frame): boolean {
  if (type === MESSAGE.call) return path !== undefined && member !== undefined;
  if (type === MESSAGE.signal) return path !== undefined && member !== undefined && name !== undefined;
  if (type === MESSAGE.reply) return replySerial !== undefined;
  if (type === MESSAGE.error) return replySerial !== undefined && errorName !== undefined;
  return type !== 0;
}

function readFields(bytes: Buffer, endianness: number): Map<number, unknown> | undefined {
  const fields = new Map<number, unknown>();
  try {
    // The array starts at byte 12 of the message: alignment counts from there.
    const [list] = new BoundedReader(bytes, 12, endianness, MOST_FIELD_VALUES).read('a(yv)');
    for (const [code, value] of list as [number, Variant][]) fields.set(code, value.value);
  } catch (cause) {
    if (cause instanceof TooManyValues) return undefined;
    throw malformed('unreadable header fields', cause);
  }
  return fields;
}

/**
 * The values of a body. Throws `limit` for one that was skipped or holds too many values, and `protocol` for one that its
 * signature does not fit.
 */
export function readBody({ body, signature, endianness, maxValues }: Frame): readonly unknown[] {
  if (body === undefined) throw overLimit('the message is larger than the limit');
  if (signature === '') return [];
  try {
    return new BoundedReader(body, 0, endianness, maxValues).read(signature);
  } catch (cause) {
    if (cause instanceof TooManyValues) throw overLimit('the message holds more values than the limit');
    throw new DBusError('protocol', ERROR_NAME.inconsistentMessage, 'the message body is malformed', {
      cause,
    });
  }
}

function overLimit(message: string): DBusError {
  return new DBusError('limit', ERROR_NAME.limitsExceeded, message);
}

function malformed(what: string, cause?: unknown): DBusError {
  return new DBusError('protocol', ERROR_NAME.inconsistentMessage, `the message bus sent ${what}`, { cause });
}
