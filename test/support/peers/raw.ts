// SPDX-License-Identifier: Apache-2.0
import { PROVIDER, REGISTRY, ROOT_PATH } from '../../../broker/bus/names.ts';
import { type Connection, connect, type MethodCall } from '../../../dbus/connection.ts';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';
import { ObjectTree } from '../../../dbus/serve.ts';
import { type Command, tell } from './channel.ts';

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
  /** Registers a provider that answers every call with the same text, whatever it is, or with an error. */
  async provide({ connection, manifest, answer, error, text }) {
    const bus = await on(connection);
    const tree = new ObjectTree(bus, {
      introspect: () => undefined,
      fault: () => ({ name: String(error), text: String(text) }),
    });
    const reply = ([invocation]: readonly unknown[]): readonly unknown[] => {
      tell('invoked', invocation);
      if (error !== undefined) throw new DBusError('invalid', ERROR_NAME.failed, '');
      return [answer];
    };
    tree.add('/provider', [
      {
        name: PROVIDER,
        methods: {
          Invoke: { in: 'sssa{sv}', out: 's', handle: reply },
          Undo: { in: 'sa{sv}', out: 's', handle: reply },
          Cancel: { in: 's', out: '', handle: () => [] },
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
