// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import type { Connection } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { type Fault, type InterfaceSpec, ObjectTree, type ServeOptions } from '../../dbus/serve.ts';
import { asDictionary, Variant } from '../../dbus/values.ts';
import { useBus } from '../support/bus.ts';
import { failureOf, thrownBy } from './failure.ts';

const STANDARD = 'org.freedesktop.DBus';
const ERROR = `${STANDARD}.Error`;

describe('dbus/serve', () => {
  const bus = useBus();
  let service: Connection;
  let client: Connection;
  let faults: unknown[];

  beforeEach(async () => {
    faults = [];
    service = await bus.connect({ onFault: (error) => faults.push(error) });
    client = await bus.connect();
  });

  function serve(options: Partial<ServeOptions> = {}): ObjectTree {
    const fault = (): Fault => ({ name: 'a.b.Error.Mapped', text: 'mapped' });
    return new ObjectTree(service, { introspect: () => undefined, fault, ...options });
  }

  function ask(member: string, signature = '', body: readonly unknown[] = [], more: object = {}) {
    return client.call({
      destination: service.name,
      path: '/a/b',
      interface: 'a.b',
      member,
      signature,
      body,
      ...more,
    });
  }

  function standard(
    name: string,
    member: string,
    signature = '',
    body: readonly unknown[] = [],
    path = '/a/b',
  ) {
    return ask(member, signature, body, { interface: `${STANDARD}.${name}`, path });
  }

  function oneMethod(handle: InterfaceSpec['methods'][string]['handle'], out = 's'): InterfaceSpec {
    return { name: 'a.b', methods: { M: { in: '', out, handle } } };
  }

  describe('methods', () => {
    it('answer at once or later', async () => {
      serve().add('/a/b', [
        {
          name: 'a.b',
          methods: {
            Now: { in: 'u', out: 'us', handle: ([n], call) => [n, call.sender] },
            Later: { in: '', out: 's', handle: async () => ['later'] },
          },
        },
      ]);
      assert.deepEqual(await ask('Now', 'u', [7]), [7, client.name]);
      assert.deepEqual(await ask('Later'), ['later']);
    });

    const failing: readonly [what: string, handle: () => Promise<readonly unknown[]> | readonly unknown[]][] =
      [
        [
          'throws',
          () => {
            throw new Error('secret');
          },
        ],
        ['rejects', () => Promise.reject(new Error('secret'))],
        [
          'throws what is no error',
          () => {
            throw 'secret';
          },
        ],
        [
          "rejects with another peer's error",
          () => Promise.reject(new DBusError('remote', 'x.y.Z', 'secret')),
        ],
      ];
    for (const [what, handle] of failing) {
      it(`answer what the fault mapping says when the handler ${what}`, async () => {
        serve().add('/a/b', [oneMethod(handle)]);
        const error = await failureOf(ask('M'));
        assert.deepEqual([error.name, error.message], ['a.b.Error.Mapped', 'mapped']);
      });
    }

    it('answer no more of an error than fits', async () => {
      const fault = (): Fault => ({ name: 'a.b.Error.Long', text: 'x'.repeat(20 * 2 ** 20) });
      serve({ fault }).add('/a/b', [oneMethod(() => Promise.reject(new Error('secret')))]);
      const error = await failureOf(ask('M'));
      assert.deepEqual([error.name, error.message.length], ['a.b.Error.Long', 4096]);
    });

    it('fail plainly when the fault mapping itself fails', async () => {
      const fault = (): Fault => {
        throw new Error('secret');
      };
      serve({ fault }).add('/a/b', [oneMethod(() => Promise.reject(new Error('secret')))]);
      const error = await failureOf(ask('M'));
      assert.deepEqual([error.name, error.message], [`${ERROR}.Failed`, 'the call failed']);
    });

    const misshapen: readonly [what: string, result: unknown, name: string][] = [
      ['nothing', undefined, 'Failed'],
      ['no list', 'text', 'Failed'],
      ['too much', ['a', 'b'], 'Failed'],
      ['the wrong type', [1], 'Failed'],
      ['a zero byte', ['a\0b'], 'Failed'],
      ['200 MiB', ['x'.repeat(200 * 2 ** 20)], 'LimitsExceeded'],
    ];
    for (const [what, result, name] of misshapen) {
      it(`fail and are reported when the handler returns ${what}, and work again after`, async () => {
        let next = result;
        serve().add('/a/b', [oneMethod(() => next as readonly unknown[])]);
        assert.equal((await failureOf(ask('M'))).name, `${ERROR}.${name}`);
        assert.lengthOf(faults, 1);
        next = Promise.resolve(result);
        assert.equal((await failureOf(ask('M'))).name, `${ERROR}.${name}`);
        next = ['fine'];
        assert.deepEqual(await ask('M'), ['fine']);
      });
    }
  });

  describe('what is not there', () => {
    beforeEach(() => {
      serve().add('/a/b', [oneMethod(() => ['x'])]);
    });
    const unknown: readonly [what: string, change: object, name: string][] = [
      ['object', { path: '/a/c' }, 'UnknownObject'],
      ['object between', { path: '/a' }, 'UnknownObject'],
      ['interface', { interface: 'a.c' }, 'UnknownInterface'],
      ['method', { member: 'N' }, 'UnknownMethod'],
      ['method of a standard interface', { interface: `${STANDARD}.Peer`, member: 'N' }, 'UnknownMethod'],
    ];
    for (const [what, change, name] of unknown) {
      it(`is an unknown ${what}`, async () => {
        assert.equal((await failureOf(ask('M', '', [], change))).name, `${ERROR}.${name}`);
      });
    }
  });

  describe('objects', () => {
    it('are added once, and removed by whoever added them', async () => {
      const tree = serve();
      let answer = 'first';
      const interfaces = [oneMethod(() => [answer])];
      const remove = tree.add('/a/b', interfaces);
      assert.equal(thrownBy(() => tree.add('/a/b', [])).code, 'invalid');
      remove();
      assert.equal((await failureOf(ask('M'))).name, `${ERROR}.UnknownObject`);
      answer = 'second';
      tree.add('/a/b', interfaces);
      remove();
      assert.deepEqual(await ask('M'), ['second']);
    });

    it('that a caller may not see answer it like unknown ones, in every interface', async () => {
      const owner = await bus.connect();
      const visible = (path: string, call: { sender: string }) =>
        path !== '/a/b' || call.sender === owner.name;
      const tree = serve({ visible });
      tree.add('/a/b', [{ ...oneMethod(() => ['mine']), properties: { P: { type: 's', get: () => 'p' } } }]);
      const all = (path: string) => {
        const calls = [
          ask('M', '', [], { path }),
          ask('N', 'u', [1], { path }),
          ask('M', '', [], { path, interface: 'a.c' }),
          standard('Introspectable', 'Introspect', '', [], path),
          standard('Properties', 'Get', 'ss', ['a.b', 'P'], path),
          standard('Properties', 'GetAll', 's', ['a.b'], path),
          standard('Properties', 'Set', 'ssv', ['a.b', 'P', new Variant('s', 'x')], path),
        ];
        return Promise.all(
          calls.map(async (call) => {
            const { name, message } = await failureOf(call);
            return [name, message];
          }),
        );
      };
      assert.deepEqual(await all('/a/b'), await all('/a/unknown'));
      assert.equal(
        (await failureOf(standard('Introspectable', 'Introspect', '', [], '/'))).name,
        `${ERROR}.UnknownObject`,
      );
      const call = { destination: service.name, path: '/a/b', interface: 'a.b', member: 'M' };
      assert.deepEqual(await owner.call(call), ['mine']);
    });
  });

  describe('standard interfaces', () => {
    const spec: InterfaceSpec = {
      name: 'a.b',
      methods: { M: { in: 'sa{sv}', out: 'u', handle: () => [1] } },
      properties: { P: { type: 'u', get: () => 7 }, Who: { type: 's', get: (call) => call.sender } },
      signals: { S: 'ss' },
    };

    it('answer Ping on any path and give the machine id', async () => {
      serve();
      assert.deepEqual(await standard('Peer', 'Ping', '', [], '/anything'), []);
      assert.deepEqual(await standard('Peer', 'GetMachineId'), [
        readFileSync('/etc/machine-id', 'utf8').trim(),
      ]);
    });

    it('give properties, one or all', async () => {
      serve().add('/a/b', [spec]);
      assert.deepEqual(await standard('Properties', 'Get', 'ss', ['a.b', 'P']), [new Variant('u', 7)]);
      const [all] = await standard('Properties', 'GetAll', 's', ['a.b']);
      assert.deepEqual(
        [...asDictionary(all)],
        [
          ['P', 7],
          ['Who', client.name],
        ],
      );
    });

    const refused: readonly [member: string, signature: string, body: readonly unknown[], name: string][] = [
      ['Get', 'ss', ['a.b', 'Q'], 'UnknownProperty'],
      ['Get', 'ss', ['a.c', 'P'], 'UnknownInterface'],
      ['GetAll', 's', ['a.c'], 'UnknownInterface'],
      ['Set', 'ssv', ['a.b', 'P', new Variant('u', 1)], 'PropertyReadOnly'],
      ['Set', 'ssv', ['a.b', 'Q', new Variant('u', 1)], 'UnknownProperty'],
      ['Get', 's', ['a.b'], 'InvalidArgs'],
    ];
    for (const [member, signature, body, name] of refused) {
      it(`refuse ${member}(${body.slice(0, 2).join(', ')}) with ${name}`, async () => {
        serve().add('/a/b', [spec]);
        assert.equal(
          (await failureOf(standard('Properties', member, signature, body))).name,
          `${ERROR}.${name}`,
        );
        assert.deepEqual(await standard('Properties', 'Get', 'ss', ['a.b', 'P']), [new Variant('u', 7)]);
      });
    }

    it('describe an object in its own XML, or else from its tables', async () => {
      const tree = serve({ introspect: (path) => (path === '/own' ? '<node/>' : undefined) });
      tree.add('/own', [spec]);
      tree.add('/a/b', [spec]);
      assert.deepEqual(await standard('Introspectable', 'Introspect', '', [], '/own'), ['<node/>']);
      const [xml] = await standard('Introspectable', 'Introspect');
      for (const part of [
        '<interface name="a.b">',
        '<method name="M"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="u" direction="out"/></method>',
        '<property name="P" type="u" access="read"/>',
        '<signal name="S"><arg type="s"/><arg type="s"/></signal>',
      ])
        assert.include(String(xml), part);
    });

    it('describe what lies between by what is below', async () => {
      const tree = serve();
      for (const path of ['/a/b', '/a/b/c', '/a/d']) tree.add(path, [spec]);
      const [root] = await standard('Introspectable', 'Introspect', '', [], '/');
      const [below] = await standard('Introspectable', 'Introspect', '', [], '/a');
      assert.deepEqual(String(root).match(/name="\w+"/g), ['name="a"']);
      assert.deepEqual(String(below).match(/name="\w+"/g), ['name="b"', 'name="d"']);
    });
  });
});
