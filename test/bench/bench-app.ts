// SPDX-License-Identifier: Apache-2.0
// An app that answers at once: what is measured is the way to it, not the app.
import { readFileSync } from 'node:fs';
import { connect } from '../../dbus/connection.ts';
import { ObjectTree } from '../../dbus/serve.ts';

const PATH = '/org/example/Bench';
const [manifest = ''] = process.argv.slice(2);
const answer = JSON.stringify({ success: true, data: { text: 'x'.repeat(64) } });
const bus = await connect();
const tree = new ObjectTree(bus, {
  introspect: () => undefined,
  fault: () => ({ name: 'org.example.Failed', text: 'failed' }),
});
tree.add(PATH, [
  {
    name: 'org.portal.Broker1.Provider',
    methods: { Invoke: { in: 'sssa{sv}', out: 's', handle: () => [answer] } },
  },
]);
const [tier] = await bus.call({
  destination: 'org.portal.Broker1',
  path: '/org/portal/Broker1',
  interface: 'org.portal.Broker1.Registry',
  member: 'Register',
  signature: 'soa{sv}',
  body: [readFileSync(manifest, 'utf8'), PATH, []],
});
process.stdout.write(`${JSON.stringify({ name: bus.name, tier })}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
