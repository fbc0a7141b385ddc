// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall, type OutgoingMessage } from 'dbus-native/lib/message.js';
import { type Connection, connect } from '../../dbus/connection.ts';
import { type Frame, FrameReader } from '../../dbus/wire.ts';

/** A message as only the bus can send it: the marshaller takes a sender as well. */
export type BusMessage = OutgoingMessage & { readonly sender?: string };

/** A bus with one client that says whatever a test wants, to see what a broken bus could do. */
export class FalseBus {
  readonly client: Connection;
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #folder: string;
  readonly #received: Frame[];

  static async start(): Promise<FalseBus> {
    const folder = await mkdtemp(join(tmpdir(), 'portal-test-'));
    const server = createServer().listen(join(folder, 'bus'));
    await once(server, 'listening');
    const connecting = connect({ address: `unix:path=${join(folder, 'bus')}`, onFault: () => undefined });
    const [socket]: Socket[] = await once(server, 'connection');
    if (socket === undefined) throw new Error('no connection');
    await once(socket, 'data');
    socket.write('OK 00ff\r\n');
    const received: Frame[] = [];
    const reader = new FrameReader(1e6, 1e6, (frame) => received.push(frame));
    const begin = 'BEGIN\r\n'.length;
    let [chunk]: Buffer[] = await once(socket, 'data');
    if (chunk?.length === begin) [chunk] = await once(socket, 'data');
    else chunk = chunk?.subarray(begin);
    reader.push(chunk ?? Buffer.alloc(0));
    socket.on('data', (more) => reader.push(more));
    const hello = {
      type: 2,
      serial: 1,
      replySerial: received[0]?.serial ?? 0,
      sender: 'org.freedesktop.DBus',
    };
    socket.write(marshall({ ...hello, signature: 's', body: [':1.7'] }));
    return new FalseBus(await connecting, server, socket, folder, received);
  }

  private constructor(client: Connection, server: Server, socket: Socket, folder: string, received: Frame[]) {
    this.client = client;
    this.#server = server;
    this.#socket = socket;
    this.#folder = folder;
    this.#received = received;
  }

  send(message: BusMessage): void {
    this.sendBytes(marshall(message));
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** The first message from the client that is like this. */
  async next(wanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.#received.find(wanted);
      if (found !== undefined) return found;
      await once(this.#socket, 'data');
    }
  }

  async stop(): Promise<void> {
    await this.client.close();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await rm(this.#folder, { recursive: true });
  }
}
