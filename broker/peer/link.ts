// SPDX-License-Identifier: Apache-2.0
import { type Connection, connect } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { ObjectTree, type ServeOptions } from '../../dbus/serve.ts';
import { BUS_NAME, ROOT_PATH } from '../bus/names.ts';
import { BrokerError, brokerError, noBroker } from './error.ts';

const BUS = 'org.freedesktop.DBus';
const BUS_OBJECT = { destination: BUS, path: '/org/freedesktop/DBus', interface: BUS } as const;

export interface LinkOptions {
  /** Bus address. Default: `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address?: string | undefined;
  /** Told of what a listener or a served object threw. Default: a process warning, without detail. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Called with the broker's unique name when it appears, with undefined when it is gone. */
export type OwnerListener = (owner: string | undefined) => void;

/**
 * A peer's connection to the broker, whichever process is the broker at the moment. Calls go to its unique name, since
 * a reply to a well-known name can be forged by whoever guesses a serial.
 */
export class BrokerLink {
  readonly connection: Connection;
  /** What this peer serves. It exists even when empty: calls without a handler would be held in memory. */
  readonly objects: ObjectTree;
  readonly #listeners = new Set<OwnerListener>();
  #owner: string | undefined;
  #ownerKnown = false;

  /** Connects and looks for the broker, which need not be there. Rejects with a BrokerError without a bus. */
  static async open(options: LinkOptions, fault: ServeOptions['fault']): Promise<BrokerLink> {
    const { address, onFault } = options;
    let link: BrokerLink;
    try {
      const connection = await connect({
        ...(address === undefined ? {} : { address }),
        ...(onFault === undefined ? {} : { onFault }),
      });
      link = new BrokerLink(connection, fault);
    } catch (error) {
      throw brokerError(error);
    }
    try {
      await link.#find();
      return link;
    } catch (error) {
      await link.close();
      throw brokerError(error);
    }
  }

  private constructor(connection: Connection, fault: ServeOptions['fault']) {
    this.connection = connection;
    this.objects = new ObjectTree(connection, { introspect: () => undefined, fault });
  }

  /** The broker's unique name, where one is running. */
  get owner(): string | undefined {
    return this.#owner;
  }

  /** Whether a message came from the broker itself; the bus vouches for the sender. */
  isBroker(sender: string): boolean {
    return this.#owner !== undefined && sender === this.#owner;
  }

  /** Tells of every later change of the owner. A restart is two: gone, then there. */
  onOwner(listener: OwnerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls the broker, starting it by activation where the bus knows how. Rejects with a BrokerError.
   * @param path the object; the broker's main one by default
   * @param timeoutMs how long the reply may take; by default as long as any call
   */
  async call(
    interfaceName: string,
    member: string,
    signature = '',
    body: readonly unknown[] = [],
    path: string = ROOT_PATH,
    timeoutMs?: number,
  ): Promise<readonly unknown[]> {
    try {
      const destination = this.#owner ?? (await this.#start());
      return await this.connection.call({
        destination,
        path,
        interface: interfaceName,
        member,
        signature,
        body,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    } catch (error) {
      throw brokerError(error);
    }
  }

  /** Has the bus start a broker where none is running and the bus knows how. */
  async wake(): Promise<void> {
    if (this.#owner !== undefined) return;
    await this.#start().catch((error: unknown) => {
      const failed = brokerError(error);
      if (failed.code !== 'NoBroker' && failed.code !== 'Failed') throw failed;
    });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  async #find(): Promise<void> {
    const match = { sender: BUS, interface: BUS, member: 'NameOwnerChanged', arg0: BUS_NAME };
    await this.connection.watch(match, ({ signature, body }) => {
      if (signature !== 'sss') return;
      const owner = body[2];
      this.#ownerKnown = true;
      this.#setOwner(typeof owner === 'string' && owner !== '' ? owner : undefined);
    });
    const owner = await this.#askOwner();
    // A change that arrived meanwhile is newer than this answer.
    if (!this.#ownerKnown) this.#owner = owner;
  }

  async #askOwner(): Promise<string | undefined> {
    try {
      const [owner] = await this.connection.call({
        ...BUS_OBJECT,
        member: 'GetNameOwner',
        signature: 's',
        body: [BUS_NAME],
      });
      return typeof owner === 'string' ? owner : undefined;
    } catch (error) {
      if (error instanceof DBusError && error.code === 'remote') return undefined;
      throw error;
    }
  }

  async #start(): Promise<string> {
    const call = { ...BUS_OBJECT, member: 'StartServiceByName', signature: 'su', body: [BUS_NAME, 0] };
    const failed = await this.connection.call(call).then(
      () => undefined,
      (error: unknown) => error,
    );
    // What the bus knows of the owner it told before it answered, also where it cannot start one.
    if (this.#owner !== undefined) return this.#owner;
    throw failed ?? noBroker();
  }

  #setOwner(owner: string | undefined): void {
    if (owner === this.#owner) return;
    // A name can pass from one owner to another without a gap; to everyone who waits on the first, it is gone.
    const steps = owner !== undefined && this.#owner !== undefined ? [undefined, owner] : [owner];
    for (const step of steps) {
      this.#owner = step;
      for (const listener of [...this.#listeners]) listener(step);
    }
  }
}

/** A text from a reply, which the broker owes. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new BrokerError('Protocol', 'the broker answered in another form than this version knows');
}
