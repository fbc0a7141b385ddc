// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { variant } from '../../dbus/values.ts';
import type { Tree } from '../../tier2-atspi/element.ts';
import { AccessibilityError } from '../../tier2-atspi/error.ts';
import { type AccessibilityLimits, DEFAULT_ACCESSIBILITY_LIMITS } from '../../tier2-atspi/limits.ts';
import { AppLine } from '../../tier2-atspi/line.ts';
import { DESKTOP_PATH } from '../../tier2-atspi/names.ts';
import { readTree } from '../../tier2-atspi/read.ts';
import { useAccessibleDesktop } from '../support/accessible-desktop.ts';
import {
  FakeApp,
  type FakeElement,
  type FakeOptions,
  fixed,
  ROLE,
  STATE,
} from '../support/fake-accessible-app.ts';

const CALL_MS = 500;
const WALK_MS = 2500;
const { maxDepth } = DEFAULT_ACCESSIBILITY_LIMITS;
const ROOT = DESKTOP_PATH;

describe('tier2-atspi: trees that no app should have [B39]', () => {
  const desktop = useAccessibleDesktop('none', { callMs: CALL_MS, walkMs: WALK_MS, probeAfterMs: 50 });

  async function appOf(elements: (path: string) => FakeElement | undefined, options: FakeOptions = {}) {
    const connection = await desktop().connect();
    const fake = await FakeApp.start(connection, elements, options);
    const app = await desktop().appAt(connection.name);
    return { fake, app, line: app.line };
  }

  async function treeOf(
    elements: (path: string) => FakeElement | undefined,
    options?: FakeOptions,
  ): Promise<Tree> {
    return await readTree(patient((await appOf(elements, options)).line));
  }

  it('an element that is its own child is there once', async () => {
    const tree = await treeOf(
      fixed({ [ROOT]: { children: ['/a'] }, '/a': { children: ['/a', ROOT, '/a'] } }),
    );
    assert.deepEqual([...tree.elements.keys()], [ROOT, '/a']);
    assert.deepEqual(tree.elements.get('/a')?.children, []);
    assert.isTrue(tree.complete);
  });

  it('elements that are all children of each other are there once each', async () => {
    const all = Array.from({ length: 12 }, (_none, index) => `/n${index}`);
    const elements = Object.fromEntries(all.map((path) => [path, { children: all }]));
    const tree = await treeOf(fixed({ ...elements, [ROOT]: { children: ['/n0'] } }));
    assert.sameMembers([...tree.elements.keys()], [ROOT, ...all]);
    assert.equal(tree.elements.get('/n7')?.parent?.path, '/n0');
  });

  for (const count of [2 ** 31 - 1, 201]) {
    it(`an element that says it has ${count} children is not asked for them`, async () => {
      const { fake, line } = await appOf(fixed({ [ROOT]: { children: ['/t'] }, '/t': { count } }));
      const tree = await readTree(patient(line));
      assert.equal(tree.elements.get('/t')?.unread, 'children');
      assert.equal(fake.asked.get('GetChildren'), 1);
      assert.isFalse(tree.complete);
      assert.deepEqual([...tree.gaps], [['children', 1]]);
    });
  }

  it('an element that says it has -1 children is asked', async () => {
    const tree = await treeOf(fixed({ [ROOT]: { children: ['/a'], count: -1 }, '/a': {} }));
    assert.isTrue(tree.elements.has('/a'));
  });

  it('an element that hands its children out on demand is not asked for them', async () => {
    const table = { role: ROLE.table, states: [STATE.manages, 0], count: 3, children: ['/x'] };
    const { fake, line } = await appOf(fixed({ [ROOT]: { children: ['/t'] }, '/t': table }));
    const tree = await readTree(patient(line));
    assert.equal(tree.elements.get('/t')?.unread, 'managed');
    assert.equal(fake.asked.get('GetChildren'), 1);
  });

  it('100 000 buttons are no buttons, whatever their number was said to be', async () => {
    const children = Array.from({ length: 100_000 }, (_none, index) => `/b${index}`);
    const elements = { [ROOT]: { children: ['/p', '/q'] }, '/p': { children, count: 5 }, '/q': {} };
    const tree = await readTree(patient((await appOf(fixed(elements))).line));
    assert.equal(tree.elements.get('/p')?.unread, 'children');
    assert.equal(tree.elements.size, 3);
  });

  it('more children than were said are none', async () => {
    const children = Array.from({ length: 201 }, (_none, index) => `/b${index}`);
    const tree = await treeOf((path) => (path === ROOT ? { children: ['/p'] } : { children, count: 5 }));
    assert.equal(tree.elements.get('/p')?.unread, 'children');
    assert.equal(tree.elements.size, 2);
  });

  it('more elements than the limit are cut off, those that lie deepest first', async () => {
    const kids = (path: string) => Array.from({ length: 100 }, (_none, index) => `${path}/${index}`);
    const { line } = await appOf((path) => ({ children: kids(path === ROOT ? '/n' : path) }));
    const tree = await readTree(patient(line, { maxNodes: 150 }));
    assert.equal(tree.elements.size, 150);
    assert.isTrue(tree.elements.has('/n/99'));
    assert.deepEqual([...tree.gaps.keys()], ['nodes']);
  });

  it('a tree 10 000 levels deep ends at the limit', async () => {
    const tree = await treeOf((path) =>
      path === ROOT ? { children: ['/d1'] } : { children: [`/d${Number(path.slice(2)) + 1}`] },
    );
    assert.equal(tree.elements.size, maxDepth + 1);
    assert.deepEqual([...tree.gaps], [['depth', 1]]);
  });

  it('a name of a megabyte with new-lines becomes one short line', async () => {
    const name = `Send\n${'x'.repeat(2 ** 20)}`;
    const tree = await treeOf(
      fixed({ [ROOT]: { children: ['/a', '/b'] }, '/a': { name }, '/b': { name: '' } }),
    );
    const read = tree.elements.get('/a')?.name ?? '';
    assert.match(read, /^Send x+…$/);
    assert.isAtMost(read.length, DEFAULT_ACCESSIBILITY_LIMITS.maxNameLength);
    assert.equal(tree.elements.get('/b')?.name, '');
  });

  it('a child of another process is left out', async () => {
    const other = (await desktop().connect()).name;
    const tree = await treeOf(fixed({ [ROOT]: { children: [[other, '/x'], '/a'] }, '/a': {} }));
    assert.deepEqual([...tree.elements.keys()], [ROOT, '/a']);
    assert.equal(tree.elements.get(ROOT)?.unread, 'foreign');
  });

  it('below a password nothing is read', async () => {
    const secret = { role: ROLE['password text'], children: ['/s/t'] };
    const { fake, line } = await appOf(fixed({ [ROOT]: { children: ['/s'] }, '/s': secret, '/s/t': {} }));
    const tree = await readTree(patient(line));
    assert.deepEqual(tree.elements.get('/s')?.children, []);
    assert.equal(tree.elements.get('/s')?.unread, 'password');
    assert.isTrue(tree.complete);
    assert.equal(fake.asked.get('GetChildren'), 1);
  });

  it('an app that never answers costs one wait, and is then not asked until that is due', async () => {
    let hangs = true;
    const misbehave = () => (hangs ? ('silence' as const) : undefined);
    const { fake, line } = await appOf(fixed({ [ROOT]: {} }), { misbehave });
    assert.equal(await codeOf(readTree(line)), 'silent');
    const before = new Map(fake.asked);
    assert.equal(await codeOf(readTree(line)), 'silent');
    assert.deepEqual(fake.asked, before);
    // Meanwhile others are read as ever.
    assert.isTrue((await treeOf(fixed({ [ROOT]: { children: ['/a'] }, '/a': {} }))).complete);
    hangs = false;
    while (line.breaker.state === 'open')
      await new Promise((resolve) => setTimeout(resolve, line.breaker.waitMs));
    assert.equal((await readTree(line)).elements.size, 1);
    assert.equal(line.breaker.state, 'closed');
  });

  it('an app that hangs half way is read as far as it answered', async () => {
    const misbehave: FakeOptions['misbehave'] = ({ path }) => (path === '/b' ? 'silence' : undefined);
    const elements = { [ROOT]: { children: ['/a', '/b'] }, '/a': { children: ['/c'] }, '/b': {}, '/c': {} };
    const tree = await readTree((await appOf(fixed(elements), { misbehave })).line);
    assert.deepEqual([...tree.elements.keys()], [ROOT, '/a']);
    assert.equal(tree.elements.get(ROOT)?.unread, 'silent');
  });

  it('once an answer did not come, nothing more is asked in that reading', async () => {
    const elements = { [ROOT]: { children: ['/a', '/b'] }, '/a': { children: ['/c'] }, '/b': {}, '/c': {} };
    const { line } = await appOf(fixed(elements), {
      misbehave: ({ path }) => (path === '/b' ? 'silence' : undefined),
    });
    // Even where the app might be tried again at once.
    const { connection, root, now, limits } = line;
    const tree = await readTree(
      new AppLine({ connection, root, now, limits: { ...limits, probeAfterMs: 0 } }),
    );
    assert.deepEqual([...tree.elements.keys()], [ROOT, '/a']);
    assert.equal(tree.elements.get('/a')?.unread, 'silent');
  });

  it('an app that answers each time just in time is read as far as the time goes', async () => {
    const { fake, line } = await appOf((path) => ({ children: [`${path === ROOT ? '' : path}/n`] }));
    const reply = fake.connection.reply.bind(fake.connection);
    fake.connection.reply = (...answer) => void setTimeout(() => reply(...answer), CALL_MS / 2);
    const tree = await readTree(line);
    assert.isTrue(tree.gaps.has('time'));
    assert.isAbove(tree.elements.size, 2);
    assert.equal(line.breaker.state, 'closed');
  });

  it('an app that ends half way is gone', async () => {
    const { fake, line } = await appOf(fixed({ [ROOT]: { children: ['/a'] }, '/a': {} }), {
      misbehave: ({ path }) => {
        if (path !== '/a') return undefined;
        void fake.connection.close();
        return 'silence';
      },
    });
    assert.equal(await codeOf(readTree(line)), 'gone');
    await desktop().vanished(line.root.bus);
  });

  for (const [member, signature, value] of [
    ['GetRole', 's', 'button'],
    ['GetState', 's', 'focused'],
    ['GetState', 'as', ['focused']],
    ['GetInterfaces', 'au', [1]],
    ['GetChildren', 'as', ['/b']],
    ['Get', 's', 'no variant'],
    ['Get', 'v', variant('d', 1)],
  ] as const) {
    it(`an answer to ${member} of the form ${signature} is no answer`, async () => {
      const misbehave: FakeOptions['misbehave'] = (call) =>
        call.path === '/a' && call.member === member ? { signature, body: [value] } : undefined;
      const elements = { [ROOT]: { children: ['/a', '/b'] }, '/a': { children: ['/c'] }, '/b': {}, '/c': {} };
      const tree = await treeOf(fixed(elements), { misbehave });
      assert.deepEqual([...tree.elements.keys()], [ROOT, '/b']);
      assert.equal(tree.elements.get(ROOT)?.unread, 'malformed');
    });
  }

  it('an element that is gone by the time it is asked is missing, and nothing else', async () => {
    const tree = await treeOf(fixed({ [ROOT]: { children: ['/gone', '/b'] }, '/b': {} }));
    assert.deepEqual([...tree.elements.keys()], [ROOT, '/b']);
    assert.equal(tree.elements.get(ROOT)?.unread, 'refused');
  });

  it('nobody who no longer waits is told anything', async () => {
    const { line } = await appOf(fixed({ [ROOT]: { children: ['/a'] }, '/a': {} }));
    assert.equal(await codeOf(readTree(line, { signal: AbortSignal.abort() })), 'aborted');
    assert.equal(line.breaker.state, 'closed');
  });
});

/** The same app with more time: for what is not about time. */
function patient(
  { connection, root, now, limits }: AppLine,
  over: Partial<AccessibilityLimits> = {},
): AppLine {
  return new AppLine({
    connection,
    root,
    now,
    limits: { ...limits, callMs: 10_000, walkMs: 15_000, ...over },
  });
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
    return 'none';
  } catch (error) {
    assert.instanceOf(error, AccessibilityError);
    return error.code;
  }
}
