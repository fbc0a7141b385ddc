// SPDX-License-Identifier: Apache-2.0
import { PROVIDER, REGISTRY, ROOT_PATH } from '../../../broker/bus/names.ts';
import { type Connection, connect, type MethodCall } from '../../../dbus/connection.ts';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';
import { ObjectTree } from '../../../dbus/serve.ts';
import { type Command, tell } from './channel.ts';

let reply: Readonly<Record<string, unknown>> = { answer: '{"success":true}' };
/** The connections of this process by the name that the test gave them. */
const connections = new Map<string, Promise<Connection>>();

function on(name: unknown): Promise<Connection> {
  const key = String(name ?? 'main');
  const found = connections.get(key) ?? connect({ onFault: () => undefined });
  connections.set(key, found);
  return found;
}

/** Says what it likes on the bus, on as many connections as it likes. */
export const rawCommands: Readonly<Record<string, Command>> = {
  async name({ connection }) {
    return (await on(connection)).name;
  },
  async call({ connection, call }) {
    return await (await on(connection)).call(call as MethodCall);
  },
  /** Tells of every signal that reaches this connection and matches. */
  async hear({ connection, match }) {
    await (await on(connection)).watch(match as object, ({ sender, path, interface: name, member, body }) =>
      tell('heard', { sender, path, interface: name, member, body }),
    );
  },
  async hangUp({ connection }) {
    await (await on(connection)).close();
    connections.delete(String(connection ?? 'main'));
  },
  /** What the provider answers from now on: this very text, an error of this name with this text, or with `hang` nothing. */
  async answer(args) {
    reply = args;
  },
  /** Registers a provider that answers with whatever `answer` says. */
  async provide({ connection, manifest }) {
    const bus = await on(connection);
    const tree = new ObjectTree(bus, {
      introspect: () => undefined,
      fault: () => ({ name: String(reply.error), text: String(reply.text) }),
    });
    const respond = async ([invocation]: readonly unknown[]): Promise<readonly unknown[]> => {
      tell('invoked', invocation);
      if (reply.hang === true) return await new Promise(() => undefined);
      if (reply.error !== undefined) throw new DBusError('invalid', ERROR_NAME.failed, '');
      return [reply.answer];
    };
    const cancelled = ([invocation]: readonly unknown[]): readonly unknown[] => {
      tell('cancelled', invocation);
      return [];
    };
    tree.add('/provider', [
      {
        name: PROVIDER,
        methods: {
          Invoke: { in: 'sssa{sv}', out: 's', handle: respond },
          Undo: { in: 'sa{sv}', out: 's', handle: respond },
          Cancel: { in: 's', out: '', handle: cancelled },
        },
      },
    ]);
    return await bus.call({
      destination: 'org.portal.Broker1',
      path: ROOT_PATH,
      interface: REGISTRY,
      member: 'Register',
      signature: 'soa{sv}',
      body: [manifest, '/provider', {}],
    });
  },
};
