// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { OutgoingMessage } from 'dbus-native/lib/message.js';
import { aborted, abortedBy, disconnected, PendingCalls } from './calls.ts';
import type { Connection, Match, SignalListener } from './connection.ts';
import { DBusError, ERROR_NAME } from './error.ts';
import { Inbox } from './inbox.ts';
import type { ConnectionLimits } from './limits.ts';
import { Matches } from './matches.ts';
import type { IncomingCall, IncomingSignal, MethodCall, OutgoingSignal } from './messages.ts';
import { BUS_NAME, BUS_PATH, Incoming } from './messages.ts';
import { NameOwners, whoLeft } from './name-owners.ts';
import { isErrorName } from './name-syntax.ts';
import { encode } from './outgoing.ts';
import { isCongested, readAtPace } from './reading.ts';
import { Serials } from './serials.ts';
import type { Frame } from './wire.ts';
import { FrameReader, MESSAGE, NO_REPLY_EXPECTED } from './wire.ts';

const MAX_ERROR_TEXT = 4096;
const TOO_MANY = 'too many calls at once: wait for answers first';
const DO_NOT_QUEUE = 4;
const PRIMARY_OWNER = 1;

/** The implementation of `Connection` over an authenticated socket. */
export class BusConnection implements Connection {
  readonly closed: Promise<Error | undefined>;
  #name = '';
  readonly #socket: Socket;
  readonly #maxBytes: number;
  readonly #fault: (error: unknown) => void;
  readonly #serials = new Serials();
  readonly #calls = new PendingCalls();
  readonly #matches: Matches;
  readonly #owners: NameOwners;
  readonly #inbox: Inbox;
  /** The calls that have no answer yet. */
  readonly #unanswered = new WeakSet<IncomingCall>();
  #handler: ((call: IncomingCall) => void) | undefined;
  #open = true;
  #reason: Error | undefined;
  #closing = false;
  #corked = false;

  static async start(
    socket: Socket,
    limits: ConnectionLimits,
    onFault: (error: unknown) => void,
  ): Promise<BusConnection> {
    const connection = new BusConnection(socket, limits, onFault);
    const [name] = await connection.#callBus('Hello', '', []);
    if (typeof name !== 'string')
      throw new DBusError('protocol', ERROR_NAME.inconsistentMessage, 'no name from Hello');
    connection.#name = name;
    return connection;
  }

  private constructor(socket: Socket, limits: ConnectionLimits, onFault: (error: unknown) => void) {
    this.#socket = socket;
    this.#maxBytes = limits.maxMessageBytes;
    this.#fault = onFault;
    const askBus = (member: string, text: string) => this.#callBus(member, 's', [text]);
    this.#matches = new Matches(askBus, onFault);
    this.#owners = new NameOwners({
      matches: this.#matches,
      askBus,
      fault: onFault,
      lost: (error) => this.#fail(error),
    });
    this.#inbox = new Inbox({
      maxUnanswered: limits.maxUnanswered,
      maxWaitingBytes: limits.maxWaitingBytes,
      deliver: (frame) => this.#deliver(frame),
      refuse: (frame) => this.#sendError(new Incoming(frame), ERROR_NAME.limitsExceeded, TOO_MANY),
      congested: () => isCongested(socket),
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve(this.#end()));
    });
    socket.on('error', (error) => this.#fail(error));
    const reader = new FrameReader(limits.maxIncomingBytes, limits.maxValues, (frame) =>
      this.#receive(frame),
    );
    readAtPace(socket, {
      push: (chunk) => this.#read(reader, chunk),
      hasWork: () => this.#handler !== undefined && !this.#inbox.isEmpty,
      drained: () => this.#inbox.resume(),
    });
  }

  get name(): string {
    return this.#name;
  }

  async call(call: MethodCall): Promise<readonly unknown[]> {
    if (!this.#open) throw disconnected(this.#reason);
    const givenUp = abortedBy(call);
    if (givenUp !== undefined) throw aborted(call, givenUp.reason);
    const { destination, path, member, signature = '', body = [] } = call;
    const serial = this.#serials.draw(this.#calls.serials);
    this.#send({
      type: MESSAGE.call,
      serial,
      destination,
      path,
      interface: call.interface,
      member,
      signature,
      body,
    });
    return await this.#calls.wait(serial, call);
  }

  emit({ path, interface: name, member, signature = '', body = [], destination }: OutgoingSignal): void {
    const to = destination === undefined ? {} : { destination };
    const serial = this.#serials.draw(this.#calls.serials);
    const flags = NO_REPLY_EXPECTED;
    this.#send({
      type: MESSAGE.signal,
      serial,
      flags,
      path,
      interface: name,
      member,
      signature,
      body,
      ...to,
    });
  }

  async requestName(name: string): Promise<void> {
    const [result] = await this.#callBus('RequestName', 'su', [name, DO_NOT_QUEUE]);
    if (result === PRIMARY_OWNER) return;
    throw new DBusError(
      'remote',
      ERROR_NAME.failed,
      `the name \`${name}\` is taken; stop the other owner first`,
    );
  }

  onCall(handler: (call: IncomingCall) => void): void {
    if (this.#handler !== undefined)
      throw new DBusError('invalid', ERROR_NAME.failed, 'a call handler is already set');
    this.#handler = handler;
    this.#inbox.open();
  }

  reply(call: IncomingCall, signature: string, body: readonly unknown[]): void {
    this.#answered(call);
    if (call.noReply) return;
    const { sender: destination, serial: replySerial } = call;
    const serial = this.#serials.draw(this.#calls.serials);
    const flags = NO_REPLY_EXPECTED;
    try {
      this.#send({ type: MESSAGE.reply, serial, flags, destination, replySerial, signature, body });
    } catch (error) {
      this.#fault(error);
      const tooLarge = error instanceof DBusError && error.code === 'limit';
      if (tooLarge) this.#sendError(call, ERROR_NAME.limitsExceeded, 'the answer is larger than the limit');
      else this.#sendError(call, ERROR_NAME.failed, 'the answer does not have the declared form');
    }
  }

  replyError(call: IncomingCall, name: string, text: string): void {
    this.#answered(call);
    this.#sendError(call, name, text);
  }

  #answered(call: IncomingCall): void {
    if (this.#unanswered.delete(call)) this.#inbox.answered(call.sender);
  }

  #sendError(call: IncomingCall, name: string, text: string): void {
    if (call.noReply) return;
    this.#send({
      type: MESSAGE.error,
      serial: this.#serials.draw(this.#calls.serials),
      flags: NO_REPLY_EXPECTED,
      destination: call.sender,
      replySerial: call.serial,
      errorName: isErrorName(name) ? name : ERROR_NAME.failed,
      signature: 's',
      // Neither a zero byte nor a text over the limit can travel, and this must never fail.
      body: [text.slice(0, MAX_ERROR_TEXT).replaceAll('\0', '\u{fffd}')],
    });
  }

  async watch(match: Match, listener: SignalListener): Promise<() => Promise<void>> {
    const { sender } = match;
    if (sender === undefined || sender === BUS_NAME || sender.startsWith(':'))
      return this.#matches.add(match, listener);
    const owner = this.#owners.track(sender);
    try {
      const [stop] = await Promise.all([this.#matches.add(match, listener, owner.is), owner.known]);
      return async () => {
        owner.stop();
        await stop();
      };
    } catch (error) {
      owner.stop();
      throw error;
    }
  }

  watchName(name: string, onVanished: () => void): () => void {
    return this.#owners.follow(name, (oldOwner) => {
      if (oldOwner !== '') onVanished();
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#open = false;
    this.#socket.destroySoon(); // what was written still goes out
    await this.closed;
  }

  #callBus(member: string, signature: string, body: readonly unknown[]): Promise<readonly unknown[]> {
    return this.call({ destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member, signature, body });
  }

  #send(message: OutgoingMessage): void {
    if (!this.#open) return;
    this.#write(encode(message, this.#maxBytes));
  }

  /** What is sent in one turn goes out in one system call. */
  #write(bytes: Buffer): void {
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(bytes);
  }

  #read(reader: FrameReader, chunk: Buffer): void {
    try {
      reader.push(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  #receive(frame: Frame): void {
    if (frame.sender === undefined)
      throw new DBusError('protocol', ERROR_NAME.inconsistentMessage, 'a message from nobody');
    if (frame.type === MESSAGE.call && frame.body === undefined) {
      this.#sendError(new Incoming(frame), ERROR_NAME.limitsExceeded, 'the message is larger than the limit');
    } else this.#inbox.push(frame);
  }

  #deliver(frame: Frame): void {
    if (frame.type === MESSAGE.reply || frame.type === MESSAGE.error) this.#calls.answer(frame);
    else if (frame.type === MESSAGE.signal) this.#hear(new Incoming(frame));
    else if (frame.type === MESSAGE.call) this.#handle(new Incoming(frame));
  }

  #hear(signal: IncomingSignal): void {
    if (!this.#inbox.isEmpty) this.#inbox.forget(whoLeft(signal));
    this.#matches.deliver(signal);
  }

  #handle(call: IncomingCall): void {
    this.#unanswered.add(call);
    try {
      this.#handler?.(call);
    } catch (error) {
      this.#fault(error);
      this.replyError(call, ERROR_NAME.failed, 'the call failed');
    }
  }

  #fail(error: unknown): void {
    this.#open = false;
    this.#reason ??=
      error instanceof Error ? error : new DBusError('protocol', ERROR_NAME.failed, 'the connection failed');
    this.#socket.destroy();
  }

  /** Runs once, when the socket is down. */
  #end(): Error | undefined {
    this.#open = false;
    const reason = this.#closing ? undefined : (this.#reason ?? busGone());
    this.#reason = reason;
    this.#inbox.close();
    this.#calls.rejectAll(reason);
    return reason;
  }
}

function busGone(): DBusError {
  return new DBusError('disconnected', ERROR_NAME.disconnected, 'the message bus closed the connection');
}
