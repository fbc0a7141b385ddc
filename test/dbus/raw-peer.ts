// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createConnection, type DBusConnection, type Message } from 'dbus-native';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';

/** A peer that sends what our own connection would not: any serial, any reply, any bytes. */
export class RawPeer {
  readonly name: string;
  readonly received: Message[] = [];
  readonly closed: Promise<void>;
  readonly #connection: DBusConnection;
  #serial = 100;

  static async open(address: string): Promise<RawPeer> {
    const connection = createConnection({ busAddress: address });
    const hello = new Promise<Message>((resolve, reject) => {
      connection.on('message', (message) => {
        if (message.replySerial === 1) resolve(message);
      });
      connection.on('error', reject);
    });
    connection.message({
      type: 1,
      serial: 1,
      destination: BUS_NAME,
      path: BUS_PATH,
      interface: BUS_NAME,
      member: 'Hello',
    });
    return new RawPeer(connection, await hello);
  }

  private constructor(connection: DBusConnection, hello: Message) {
    this.name = String(hello.body?.[0]);
    this.#connection = connection;
    connection.on('message', (message) => this.received.push(message));
    this.closed = new Promise((resolve) => connection.on('close', () => resolve()));
  }

  /** Sends a message as it is, with the next serial unless it has one. */
  send(message: Message): number {
    this.#serial += 1;
    const serial = message.serial ?? this.#serial;
    this.#connection.message({ ...message, serial });
    return serial;
  }

  sendBytes(bytes: Buffer): void {
    this.#connection.stream.write(bytes);
  }

  /** The answer to the message with this serial. */
  answerTo(serial: number): Promise<Message> {
    return this.#first((message) => message.replySerial === serial);
  }

  /** The first method call that came. */
  nextCall(): Promise<Message> {
    return this.#first((message) => message.type === 1);
  }

  async #first(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.received.find(wanted);
      if (found !== undefined) return found;
      await once(this.#connection, 'message');
    }
  }

  async close(): Promise<void> {
    this.#connection.end();
    await this.closed;
  }
}
