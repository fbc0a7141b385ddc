// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { brokerInterface } from '../broker/bus/broker-interface.ts';
import { decodeIntent, decodeUndo } from '../broker/bus/decode.ts';
import { operatorInterface } from '../broker/bus/operator-interface.ts';
import { registryInterface } from '../broker/bus/registry-interface.ts';
import { requestInterface } from '../broker/bus/requests.ts';
import { confirmerInterface } from '../broker/client/confirmer.ts';
import { providerInterface } from '../broker/handler/provider.ts';
import { STAGES } from '../broker/intent/stage.ts';
import type { InterfaceSpec } from '../dbus/serve.ts';
import { variant } from '../dbus/values.ts';
import { type Documented, readInterfaces } from './support/interface-xml.ts';

const folder = join(import.meta.dirname, '..', 'dbus-policy');
const files = readdirSync(folder).filter((name) => name.endsWith('.xml'));
const documented = new Map(
  files.map((file) => {
    const [found, ...more] = readInterfaces(readFileSync(join(folder, file), 'utf8'));
    assert.isEmpty(more, `${file} holds one interface`);
    assert.equal(`${found?.name}.xml`, file, 'a file is named after its interface');
    return [found?.name ?? '', found] as const;
  }),
);

// What is compared are the tables of members, and those need nothing to run.
const nothing = JSON.parse('{}');
const served: readonly InterfaceSpec[] = [
  brokerInterface(nothing),
  requestInterface(() => undefined),
  registryInterface(nothing),
  operatorInterface(nothing),
  providerInterface(nothing),
  confirmerInterface(nothing, nothing),
];

/** The members of an interface, each on a line with its signatures. */
function linesOf({ methods, properties = {}, signals = {} }: InterfaceSpec): string[] {
  return [
    ...Object.entries(methods).map(([name, spec]) => `method ${name}(${spec.in}) -> (${spec.out})`),
    ...Object.entries(properties).map(([name, { type }]) => `property ${name} ${type}`),
    ...Object.entries(signals).map(([name, signature]) => `signal ${name}(${signature})`),
  ].sort();
}

function documentedLines({ methods, properties, signals }: Documented): string[] {
  const signature = (args: readonly { type: string }[]): string => args.map(({ type }) => type).join('');
  return [
    ...methods.map(({ name, args }) => {
      const [ins, outs] = [args.filter((arg) => arg.out === false), args.filter((arg) => arg.out === true)];
      return `method ${name}(${signature(ins)}) -> (${signature(outs)})`;
    }),
    ...properties.map(({ name, type }) => `property ${name} ${type}`),
    ...signals.map(({ name, args }) => `signal ${name}(${signature(args)})`),
  ].sort();
}

describe('the documented interfaces', () => {
  it('are those that the code serves', () => {
    assert.sameMembers(
      [...documented.keys()],
      served.map(({ name }) => name),
    );
  });

  for (const spec of served) {
    it(`${spec.name} has the same members with the same signatures in code and XML`, () => {
      const found = documented.get(spec.name);
      if (found === undefined) throw new Error(`no dbus-policy/${spec.name}.xml`);
      assert.deepEqual(documentedLines(found), linesOf(spec));
    });

    it(`${spec.name} documents itself, each member and each argument`, () => {
      const found = documented.get(spec.name);
      assert.deepEqual(found?.undocumented, []);
    });
  }

  it('names every stage of the path', () => {
    const text = documented.get('org.portal.Broker1')?.docs.get('Dispatch') ?? '';
    assert.deepEqual(
      STAGES.filter((stage) => !new RegExp(`\\b${stage}\\b`).test(text)),
      [],
    );
  });

  it('names every code that an outcome can have', () => {
    const source = readFileSync(join(import.meta.dirname, '..', 'broker', 'intent', 'stage.ts'), 'utf8');
    const union = /export type Code =([^;]+);/.exec(source)?.[1] ?? '';
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    assert.isAtLeast(codes.length, 20);
    const docs = documented.get('org.portal.Broker1')?.docs ?? new Map<string, string>();
    const text = `${docs.get('Dispatch')} ${docs.get('Undo')}`;
    // What is above a caller answers NotFound; the true reason stands in the record alone.
    const missing = codes.filter((code) => code !== 'NotAllowed' && !new RegExp(`\\b${code}\\b`).test(text));
    assert.deepEqual(missing, []);
  });

  it('documents only options that the code accepts, of the type that it accepts', () => {
    const samples: Readonly<Record<string, unknown>> = { s: 'live', as: ['a'], b: true, u: 100 };
    const given = (member: string): [string, unknown][] => {
      const text = documented.get('org.portal.Broker1')?.docs.get(member) ?? '';
      const options = text.slice(text.indexOf('Options:'), text.indexOf('Statuses:'));
      return [...options.matchAll(/^- ([a-z_, ]+) \((\w+)\):/gm)].flatMap(([, names = '', type = '']) =>
        names.split(', ').map((name): [string, unknown] => {
          const value = name === 'version' ? '1.0' : samples[type];
          return [name, variant(type, value)];
        }),
      );
    };
    const options = given('Dispatch');
    assert.isAtLeast(options.length, 14);
    for (const option of options) decodeIntent('a.b', '{}', [option]);
    for (const name of ['handle_token', 'reason', 'wait_ms']) {
      decodeUndo(options.filter(([key]) => key === name));
    }
    assert.throws(() => decodeIntent('a.b', '{}', [['approved', variant('b', true)]]));
  });

  describe('the comparison', () => {
    const [name = ''] = documented.keys();
    const text = readFileSync(join(folder, `${name}.xml`), 'utf8');
    const [original] = readInterfaces(text);

    function changed(from: string | RegExp, to: string): Documented {
      const edited = text.replace(from, to);
      assert.notEqual(edited, text, 'the change changed something');
      const [found] = readInterfaces(edited);
      if (found === undefined) throw new Error('no interface left');
      return found;
    }

    it('sees another type, direction or name of a member', () => {
      if (original === undefined) throw new Error('nothing to compare');
      for (const other of [
        changed(/<arg type="s"/, '<arg type="u"'),
        changed(/direction="in"/, 'direction="out"'),
        changed(/<method name="/, '<method name="X'),
      ]) {
        assert.notDeepEqual(documentedLines(other), documentedLines(original));
      }
    });

    it('sees a member or an argument that is not documented', () => {
      assert.isNotEmpty(changed(/<method name="/, '<method name="X').undocumented);
      assert.isNotEmpty(changed(/name="id"/, 'name="other"').undocumented);
    });

    it('refuses what it would not understand', () => {
      for (const [from, to] of [
        ['<method ', '<methud '],
        ['</interface>', 'stray</interface>'],
        ['direction="in"', 'direction="sideways"'],
        ['</interface>', ''],
        ['<method name="', '<method nickname="'],
      ] as const) {
        assert.throws(() => readInterfaces(text.replace(from, to)), undefined, undefined, `${from} to ${to}`);
      }
    });
  });
});
