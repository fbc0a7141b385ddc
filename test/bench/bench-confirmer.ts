// SPDX-License-Identifier: Apache-2.0
// A confirmation surface that says yes at once: a write then costs the question's round trip and nobody's time. A process
// of its own, since nobody may ask and decide.
import { connect } from '../../dbus/connection.ts';
import { ObjectTree } from '../../dbus/serve.ts';
import { variant } from '../../dbus/values.ts';

const bus = await connect();
const tree = new ObjectTree(bus, {
  introspect: () => undefined,
  fault: () => ({ name: 'org.example.Failed', text: 'failed' }),
});
const yes = variant('a{sv}', [['decision', variant('s', 'once')]]);
tree.add('/confirm', [
  {
    name: 'org.portal.Broker1.Confirmer',
    methods: {
      Confirm: { in: 'saa{sv}a{sv}', out: 'a{sv}', handle: ([, items]) => [[[digestOf(items), yes]]] },
      Withdraw: { in: 's', out: '', handle: () => [] },
    },
  },
]);
await bus.call({
  destination: 'org.portal.Broker1',
  path: '/org/portal/Broker1',
  interface: 'org.portal.Broker1.Operator',
  member: 'RegisterConfirmer',
  signature: 'oa{sv}',
  body: ['/confirm', []],
});
process.stdout.write('ready\n');
process.stdin.on('end', () => process.exit(0)).resume();

function digestOf(items: unknown): string {
  const [item] = items as [[string, { value: string }][]];
  return item.find(([key]) => key === 'digest')?.[1].value ?? '';
}
