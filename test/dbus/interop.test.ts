// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { assert } from 'chai';
import type { Connection } from '../../dbus/connection.ts';
import { ObjectTree } from '../../dbus/serve.ts';
import { useBus } from '../support/bus.ts';

const run = promisify(execFile);

/** Runs another implementation's client; says how to get it where it is missing. */
async function tool(
  address: string,
  program: string,
  debianPackage: string,
  args: readonly string[],
): Promise<string> {
  try {
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address };
    return (await run(program, args, { env })).stdout;
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw missing ? new Error(`${program} is missing: apt-get install ${debianPackage}`) : error;
  }
}

describe('dbus with other implementations', () => {
  const bus = useBus();
  let service: Connection;

  const busctl = (...args: string[]) => tool(bus.address, 'busctl', 'systemd', ['--user', ...args]);
  const gdbus = (command: string, ...args: string[]) =>
    tool(bus.address, 'gdbus', 'libglib2.0-bin', [command, '--session', ...args]);

  before(async () => {
    service = await bus.connect();
    const fault = () => ({ name: 'a.b.Error.Refused', text: 'refused' });
    new ObjectTree(service, { introspect: () => undefined, fault }).add('/org/example/Thing', [
      {
        name: 'org.example.Thing',
        methods: {
          Join: { in: 'asa{sv}', out: 's', handle: ([parts]) => [String(parts)] },
          Refuse: { in: '', out: '', handle: () => Promise.reject(new Error('secret')) },
        },
        properties: { Count: { type: 'u', get: () => 7 } },
        signals: { Joined: 's' },
      },
    ]);
    await service.requestName('org.example.Thing');
  });

  const thing = ['org.example.Thing', '/org/example/Thing'] as const;

  it('busctl introspects, calls and reads a property', async () => {
    const listed = await busctl('introspect', ...thing);
    assert.match(listed, /^\.Join +method +asa\{sv\} +s +-$/m);
    assert.match(listed, /^\.Count +property +u +7 +.*const|^\.Count +property +u +7/m);
    assert.match(await busctl('tree', 'org.example.Thing'), /\/org\/example\/Thing/);
    const joined = await busctl(
      'call',
      ...thing,
      'org.example.Thing',
      'Join',
      'asa{sv}',
      '2',
      'a',
      'b',
      '1',
      'k',
      'u',
      '1',
    );
    assert.equal(joined, 's "a,b"\n');
    assert.equal(await busctl('get-property', ...thing, 'org.example.Thing', 'Count'), 'u 7\n');
  });

  it('gdbus introspects, calls and is told of a refusal', async () => {
    const at = ['--dest', thing[0], '--object-path', thing[1]];
    assert.include(await gdbus('introspect', ...at), 'Join(in  as arg_0,');
    const call = [...at, '--method', 'org.example.Thing.Join'];
    assert.equal(await gdbus('call', ...call, "['x', 'y']", "{'k': <uint32 1>}"), "('x,y',)\n");
    const refusal = await gdbus('call', ...at, '--method', 'org.example.Thing.Refuse').then(
      assert.fail,
      String,
    );
    assert.include(refusal, 'a.b.Error.Refused: refused');
    assert.notInclude(refusal, 'secret');
  });

  it('a signal of ours reaches gdbus, and a call of ours its errors', async () => {
    const client = await bus.connect();
    const call = {
      destination: service.name,
      path: '/org/example/Thing',
      interface: 'org.example.Thing',
      member: 'Join',
    };
    assert.deepEqual(await client.call({ ...call, signature: 'asa{sv}', body: [['p', 'q'], {}] }), ['p,q']);
  });
});
