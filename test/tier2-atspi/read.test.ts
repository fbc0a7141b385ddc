// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { readActions } from '../../tier2-atspi/actions.ts';
import type { App } from '../../tier2-atspi/connect.ts';
import type { Element, Tree } from '../../tier2-atspi/element.ts';
import { DESKTOP_PATH, METHOD, PROPERTY } from '../../tier2-atspi/names.ts';
import { readTree } from '../../tier2-atspi/read.ts';
import { useAccessibleDesktop } from '../support/accessible-desktop.ts';
import { FakeApp, type FakeElement, fixed, ROLE } from '../support/fake-accessible-app.ts';
import { until } from '../support/programs.ts';
import type { Screen } from '../support/screen.ts';

const ROOT = DESKTOP_PATH;

/** Real apps: where they run, and something that everybody sees in them. */
const APPS: readonly { screen: Screen; command: readonly string[]; cache: boolean; sees: Sight }[] = [
  { screen: 'x11', command: ['mousepad'], cache: true, sees: ['menu', 'File'] },
  { screen: 'x11', command: ['galculator'], cache: true, sees: ['toggle button', '7'] },
  {
    screen: 'x11',
    command: ['zenity', '--info', '--text=Hello there'],
    cache: true,
    sees: ['label', 'Hello there'],
  },
  { screen: 'wayland', command: ['gtk3-widget-factory'], cache: true, sees: ['check box', 'checkbutton'] },
  {
    screen: 'wayland',
    command: ['gtk4-widget-factory'],
    cache: true,
    sees: ['password text', 'GtkPasswordEntry'],
  },
  { screen: 'wayland', command: ['gnome-calculator'], cache: true, sees: ['push button', '7 7'] },
  { screen: 'wayland', command: ['gnome-text-editor'], cache: true, sees: ['text', /.*/] },
  { screen: 'wayland', command: ['featherpad'], cache: false, sees: ['menu item', 'File'] },
];
type Sight = readonly [role: Element['role'], name: string | RegExp];

describe('tier2-atspi/read', function () {
  this.timeout(60_000);

  for (const screen of ['x11', 'wayland'] as const) {
    describe(`real apps under ${screen}`, () => {
      // A machine under load is slow to draw; what is tested here is what is read, not how soon.
      const desktop = useAccessibleDesktop(screen, { callMs: 10_000, walkMs: 20_000 });

      for (const { command, cache, sees } of APPS.filter((app) => app.screen === screen)) {
        it(`${command[0]}: the same through its list and element by element`, async () => {
          const app = await desktop().app(...command);
          const tree = await drawn(app, sees);
          assertConsistent(tree);
          assert.equal(tree.fromCache, cache);
          for (const gap of tree.gaps.keys()) assert.oneOf(gap, ['managed', 'children']);
          const walked = await read(app, false);
          assertConsistent(walked);
          assert.isFalse(walked.fromCache);
          assert.isDefined(find(walked, sees));
          for (const path of walked.elements.keys())
            if (tree.elements.has(path)) assertAlike(tree, walked, path);
          await desktop().end(app.pid);
          await desktop().vanished(app.bus);
        });
      }
    });
  }

  describe('an app of our own', () => {
    const desktop = useAccessibleDesktop('none');
    const elements: Record<string, FakeElement> = {
      [ROOT]: { role: ROLE.application, children: ['/w'] },
      '/w': { role: ROLE.frame, children: ['/a', '/b', '/c'] },
      '/a': {
        actions: ['buffer.delete-line', 'click'],
        interfaces: ['org.a11y.atspi.Action', 'org.example.Other'],
      },
      '/b': {},
      '/c': {},
    };

    async function start(cache: 'none' | 'older' | 'present', listed: readonly string[] = []) {
      const connection = await desktop().connect();
      const fake = await FakeApp.start(connection, fixed(elements), { cache });
      fake.listed = listed;
      return { fake, line: (await desktop().appAt(connection.name)).line };
    }

    it('a whole list is one question', async () => {
      const { fake, line } = await start('present', Object.keys(elements).toReversed());
      fake.asked.clear();
      const tree = await readTree(line);
      assert.deepEqual([...tree.elements.keys()], [ROOT, '/w', '/a', '/b', '/c']);
      assert.deepEqual(Object.fromEntries(fake.asked), { GetItems: 1 });
      assert.isTrue(tree.fromCache);
    });

    it('what is not on the list is asked for', async () => {
      const { fake, line } = await start('present', [ROOT, '/w', '/a']);
      fake.asked.clear();
      const tree = await readTree(line);
      assert.deepEqual([...tree.elements.keys()], [ROOT, '/w', '/a', '/b', '/c']);
      assert.equal(fake.asked.get('GetChildren'), 1);
      assert.equal(fake.asked.get('GetRole'), 2);
    });

    it('what is listed of another process is not taken for one of its own', async () => {
      const { fake, line } = await start('present', Object.keys(elements));
      fake.listedOf = [[(await desktop().connect()).name, '/b']];
      const tree = await readTree(line);
      assert.equal(tree.elements.get('/b')?.name, '/b');
      assert.isTrue(tree.complete);
    });

    it('a list of the older form, an empty one and none at all prove nothing', async () => {
      for (const cache of ['older', 'present', 'none'] as const) {
        const tree = await readTree((await start(cache)).line);
        assert.equal(tree.elements.size, 5);
        assert.isFalse(tree.fromCache);
        assert.isTrue(tree.complete);
      }
    });

    it('an element says what it is and what it can do', async () => {
      const { line } = await start('none');
      const element = (await readTree(line)).elements.get('/a');
      assert.deepEqual(element?.ref, { bus: line.root.bus, path: '/a' });
      assert.equal(element?.parent?.path, '/w');
      assert.equal(element?.role, 'push button');
      assert.deepEqual([...(element?.interfaces ?? [])], ['Action']);
      assert.sameMembers([...(element?.states ?? [])], ['enabled', 'sensitive', 'showing']);
    });

    it('the actions of an element are named in their order', async () => {
      const { fake, line } = await start('none');
      const tree = await readTree(line);
      const [a, b] = ['/a', '/b'].map((path) => tree.elements.get(path));
      assert.isDefined(a);
      assert.isDefined(b);
      if (a === undefined || b === undefined) return;
      assert.deepEqual(await readActions(line, a), ['buffer.delete-line', 'click']);
      fake.asked.clear();
      assert.deepEqual(await readActions(line, b), []);
      assert.equal(fake.asked.size, 0);
    });
  });

  describe('names', () => {
    const desktop = useAccessibleDesktop('x11');

    it('signatures are those that apps declare', async () => {
      const app = await desktop().app('mousepad');
      const introspect = {
        interface: 'org.freedesktop.DBus.Introspectable',
        member: 'Introspect',
        in: '',
        out: 's',
      };
      const tree = await until('the window', async () => {
        const read = await readTree(app.line);
        return read.elements.size > 10 ? read : undefined;
      });
      const button = [...tree.elements.values()].find(({ interfaces }) => interfaces.has('Action'));
      const paths = [app.root.path, button?.ref.path ?? '', '/org/a11y/atspi/cache'];
      const xml = (await Promise.all(paths.map((path) => app.line.ask(path, introspect)))).join('\n');
      for (const method of Object.values(METHOD)) {
        if (!method.interface.startsWith('org.a11y.atspi.') || method === METHOD.registerEvent) continue;
        assert.deepEqual(
          declared(xml, method.interface, method.member),
          { in: method.in, out: method.out },
          method.member,
        );
      }
      for (const { interface: name, name: property, type } of Object.values(PROPERTY))
        assert.match(
          inInterface(xml, name),
          new RegExp(`<property(?=[^>]*name="${property}")(?=[^>]*type="${type}")`),
        );
    });
  });

  /** An app draws its window after it appears: reads until it is there, and did not change any more. */
  async function drawn(app: App, sees: Sight): Promise<Tree> {
    let size = 0;
    return await until(`the window of ${app.pid}`, async () => {
      const tree = await read(app, true);
      const settled = tree.elements.size === size;
      size = tree.elements.size;
      return settled && find(tree, sees) !== undefined ? tree : undefined;
    });
  }

  async function read(app: App, throughList: boolean): Promise<Tree> {
    app.line.hasCache = throughList;
    return await readTree(app.line);
  }
});

function find(tree: Tree, [role, name]: Sight): Element | undefined {
  return [...tree.elements.values()].find(
    (element) =>
      element.role === role && (typeof name === 'string' ? element.name === name : name.test(element.name)),
  );
}

/** Every element but the app itself is the child of its parent, once. */
function assertConsistent({ root, elements }: Tree): void {
  for (const [path, { ref, parent, children }] of elements) {
    assert.equal(ref.path, path);
    assert.equal(ref.bus, root.bus);
    if (path === root.path) assert.isUndefined(parent);
    else assert.include(elements.get(parent?.path ?? '')?.children.map((child) => child.path) ?? [], path);
    for (const child of children) assert.equal(elements.get(child.path)?.parent?.path, path);
    assert.lengthOf(new Set(children.map((child) => child.path)), children.length);
  }
}

function assertAlike(listed: Tree, walked: Tree, path: string): void {
  const facts = ({ role, name, interfaces }: Element) => [role, name, [...interfaces].join()];
  const [one, other] = [listed.elements.get(path), walked.elements.get(path)];
  if (one !== undefined && other !== undefined) assert.deepEqual(facts(one), facts(other));
}

function inInterface(xml: string, name: string): string {
  const start = xml.indexOf(`<interface name="${name}">`);
  return start < 0 ? '' : xml.slice(start, xml.indexOf('</interface>', start));
}

function declared(xml: string, name: string, member: string): { in: string; out: string } {
  const [, body = ''] =
    new RegExp(`<method name="${member}"\\s*>([\\s\\S]*?)</method>`).exec(inInterface(xml, name)) ?? [];
  const types = (direction: string) =>
    [...body.matchAll(/<arg [^>]*>/g)]
      .filter(([arg]) => arg.includes(`direction="${direction}"`))
      .map(([arg]) => /type="([^"]*)"/.exec(arg)?.[1] ?? '')
      .join('');
  return { in: types('in'), out: types('out') };
}
