// SPDX-License-Identifier: Apache-2.0
// The parts of dbus-native that we use: its marshalling. The package types only its main entry, whose message bus we
// do not use, and whose import costs twice as much as these modules together.

declare module 'dbus-native/lib/message.js' {
  export interface OutgoingMessage {
    readonly type: number;
    readonly serial: number;
    readonly flags?: number;
    readonly path?: string;
    readonly interface?: string;
    readonly member?: string;
    readonly errorName?: string;
    readonly replySerial?: number;
    readonly destination?: string;
    readonly signature?: string;
    readonly body?: readonly unknown[];
  }
  /** One whole message in little-endian wire form; throws on a body that does not fit its signature. */
  export function marshall(message: OutgoingMessage): Buffer;
}

declare module 'dbus-native/lib/dbus-buffer.js' {
  export default class DBusBuffer {
    constructor(buffer: Buffer, startPos: number | undefined, options: object, endianness: number);
    read(signature: string): unknown[];
    /** Reads one value of a parsed type; called for every value, nested ones included. */
    readTree(tree: object): unknown;
  }
}

declare module 'dbus-native/lib/values.js' {
  /** A value together with its signature: how every `v` arrives, and how every `v` is sent. */
  export class Variant {
    readonly signature: string;
    readonly value: unknown;
    constructor(signature: string, value: unknown);
  }
}

declare module 'dbus-native/lib/names.js' {
  export function isValidObjectPath(path: unknown): boolean;
  export function isValidInterfaceName(name: unknown): boolean;
  export function isValidErrorName(name: unknown): boolean;
  export function isValidMemberName(name: unknown): boolean;
  export function isValidBusName(name: unknown): boolean;
}
