// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { variant } from '../../dbus/values.ts';
import { readActions } from '../../tier2-atspi/actions.ts';
import type { App } from '../../tier2-atspi/connect.ts';
import type { Element, Tree } from '../../tier2-atspi/element.ts';
import type { AccessibilityError } from '../../tier2-atspi/error.ts';
import { Follower, type FollowListener } from '../../tier2-atspi/follow.ts';
import { DESKTOP_PATH, EVENT_OBJECT } from '../../tier2-atspi/names.ts';
import { useAccessibleDesktop } from '../support/accessible-desktop.ts';
import { FakeApp, type FakeElement, type FakeOptions } from '../support/fake-accessible-app.ts';
import { until } from '../support/programs.ts';

const ROOT = DESKTOP_PATH;
const EVENTS_PER_SECOND = 100;

/** Hears what a follower tells, and waits for it. */
class Heard implements FollowListener {
  readonly trees: Tree[] = [];
  readonly failures: AccessibilityError[] = [];
  readonly faults: unknown[] = [];

  changed(tree: Tree): void {
    this.trees.push(tree);
  }
  failed(error: AccessibilityError): void {
    this.failures.push(error);
  }
  fault(error: unknown): void {
    this.faults.push(error);
  }

  get last(): Tree | undefined {
    return this.trees.at(-1);
  }
  async tree(is: (tree: Tree) => boolean): Promise<Tree> {
    return await until('the tree', () => (this.last !== undefined && is(this.last) ? this.last : undefined));
  }
}

const followers: Follower[] = [];

async function follow({ line }: App): Promise<{ heard: Heard; follower: Follower }> {
  const heard = new Heard();
  const follower = await Follower.start(line, heard);
  followers.push(follower);
  return { heard, follower };
}

async function stopFollowing(): Promise<void> {
  await Promise.all(followers.splice(0).map((follower) => follower.stop()));
}

describe('tier2-atspi/follow', () => {
  afterEach(stopFollowing);

  const limits = { callMs: 500, probeAfterMs: 50, deafMs: 50, eventsPerSecond: EVENTS_PER_SECOND };
  const desktop = useAccessibleDesktop('none', limits);
  async function fakeApp(elements: Map<string, FakeElement>, options: FakeOptions = {}) {
    const connection = await desktop().connect();
    const fake = await FakeApp.start(connection, (path) => elements.get(path), options);
    const app = await desktop().appAt(connection.name);
    return { fake, app, ...(await follow(app)) };
  }

  function family(): Map<string, FakeElement> {
    return new Map<string, FakeElement>([
      [ROOT, { children: ['/a', '/b'] }],
      ['/a', { children: ['/a/1'] }],
      ['/a/1', { name: 'One' }],
      ['/b', {}],
    ]);
  }

  it('a new child is read, and what did not change is not asked again', async () => {
    const elements = family();
    const { fake, heard } = await fakeApp(elements);
    const before = heard.last;
    fake.asked.clear();
    elements.set('/b', { children: ['/b/1'] }).set('/b/1', { name: 'New' });
    fake.childrenChanged('/b', '/b/1', 'add');
    const tree = await heard.tree(({ elements: now }) => now.has('/b/1'));
    assert.equal(tree.elements.get('/b/1')?.name, 'New');
    assert.strictEqual(tree.elements.get('/a'), before?.elements.get('/a'));
    assert.equal(fake.asked.get('GetRole'), 2, 'only the parent and the new one');
    assert.lengthOf(heard.trees, 2);
  });

  it('a child that is taken away takes what is below it along', async () => {
    const elements = family();
    const { fake, heard } = await fakeApp(elements);
    elements.set(ROOT, { children: ['/b'] });
    fake.childrenChanged(ROOT, '/a', 'remove');
    const tree = await heard.tree(({ elements: now }) => !now.has('/a'));
    assert.deepEqual([...tree.elements.keys()], [ROOT, '/b']);
  });

  it('a child that moves is there once, under its new parent', async () => {
    const elements = family();
    const { fake, heard } = await fakeApp(elements);
    elements.set('/a', {}).set('/b', { children: ['/a/1'] });
    fake.childrenChanged('/a', '/a/1', 'remove');
    fake.childrenChanged('/b', '/a/1', 'add');
    const tree = await heard.tree(({ elements: now }) => now.get('/a/1')?.parent?.path === '/b');
    assert.deepEqual(tree.elements.get('/a')?.children, []);
  });

  it('names and states are taken from the event, cleaned, without asking', async () => {
    const { fake, heard } = await fakeApp(family());
    fake.asked.clear();
    fake.nameChanged('/a/1', 'Two\nlines');
    fake.stateChanged('/a/1', 'focused', true);
    fake.stateChanged('/a/1', 'sensitive', false);
    fake.stateChanged('/a/1', 'nothing-like-it', true);
    const tree = await heard.tree(({ elements: now }) => now.get('/a/1')?.name === 'Two lines');
    const states = tree.elements.get('/a/1')?.states;
    assert.isTrue(states?.has('focused'));
    assert.isFalse(states?.has('sensitive'));
    assert.equal(fake.asked.size, 0);
  });

  it("what others say in an app's name is not heard", async () => {
    const { fake, heard } = await fakeApp(family());
    const other = await desktop().connect();
    const body = ['accessible-name', 0, 0, variant('s', 'Forged'), []];
    const forged = {
      path: '/a/1',
      interface: EVENT_OBJECT,
      member: 'PropertyChange',
      signature: 'siiva{sv}',
      body,
    };
    other.emit(forged);
    other.emit({ ...forged, destination: fake.connection.name });
    await other.call({
      destination: fake.connection.name,
      path: ROOT,
      interface: 'org.a11y.atspi.Accessible',
      member: 'GetRole',
    });
    fake.nameChanged('/b', 'After it');
    const tree = await heard.tree(({ elements: now }) => now.get('/b')?.name === 'After it');
    assert.equal(tree.elements.get('/a/1')?.name, 'One');
  });

  it('an app that changes all the time is not listened to for a while, and then read anew', async () => {
    const elements = family();
    const { fake, heard } = await fakeApp(elements);
    fake.asked.clear();
    let count = 0;
    const timer = setInterval(() => {
      for (let turn = 0; turn < 20; turn += 1) fake.nameChanged('/b', `Name ${count++}`);
    }, 1);
    try {
      await until('a flood', () => (count > 20 * EVENTS_PER_SECOND ? true : undefined));
    } finally {
      clearInterval(timer);
    }
    elements.set('/b', { name: 'Settled' });
    fake.nameChanged('/b', 'Settled');
    await heard.tree(({ elements: now }) => now.get('/b')?.name === 'Settled');
    assert.isBelow(heard.trees.length, count / 10);
    assert.isAtLeast(
      fake.asked.get('GetRole') ?? 0,
      elements.size,
      'a name is asked for only in reading anew',
    );
    assert.isEmpty(heard.faults);
  });

  it('an app that hangs is tried again until it answers', async () => {
    let hangs = true;
    const { heard, follower } = await fakeApp(family(), { misbehave: () => (hangs ? 'silence' : undefined) });
    assert.equal(heard.failures[0]?.code, 'silent');
    assert.isUndefined(follower.tree);
    hangs = false;
    const tree = await heard.tree(() => true);
    assert.equal(tree.elements.size, 4);
  });

  it('what was missing for want of an answer is asked for again', async () => {
    let hangs = true;
    const { heard } = await fakeApp(family(), {
      misbehave: ({ path }) => (hangs && path === '/b' ? 'silence' : undefined),
    });
    assert.isTrue(heard.last?.gaps.has('silent'));
    hangs = false;
    const tree = await heard.tree(({ complete }) => complete);
    assert.equal(tree.elements.size, 4);
  });

  it('an app that leaves is told as gone, and not tried again', async () => {
    const { fake, app, heard } = await fakeApp(family());
    fake.childrenChanged('/a', '/a/1', 'remove');
    await fake.connection.close();
    await desktop().vanished(app.bus);
    await until('the failure', () => heard.failures[0]);
    // So long that another app was tried several times.
    const other = await fakeApp(family(), { misbehave: () => 'silence' });
    await until('further tries', () => other.heard.failures[2]);
    assert.deepEqual(
      heard.failures.map(({ code }) => code),
      ['gone'],
    );
  });

  it('a listener that throws stops nothing', async () => {
    const { fake, heard } = await fakeApp(family());
    heard.changed = (tree) => {
      heard.trees.push(tree);
      if (tree.elements.get('/b')?.name === 'Bad') throw new Error('listener');
    };
    fake.nameChanged('/b', 'Bad');
    await until('the fault', () => heard.faults[0]);
    fake.nameChanged('/b', 'Good');
    await heard.tree(({ elements: now }) => now.get('/b')?.name === 'Good');
  });
});

describe('tier2-atspi/follow: real apps', function () {
  this.timeout(60_000);
  // A machine under load is slow to draw; what is tested here is that a change is heard, not how soon.
  const desktop = useAccessibleDesktop('wayland', { callMs: 10_000, walkMs: 20_000 });
  afterEach(stopFollowing);

  for (const command of ['gtk3-widget-factory', 'gtk4-widget-factory']) {
    it(`${command}: a check box that is pressed is heard`, async () => {
      const app = await desktop().app(command);
      const { heard } = await follow(app);
      const box = await until('a check box', () => pressable(heard.last));
      const was = box.states.has('checked');
      await press(app, box);
      await heard.tree(({ elements }) => elements.get(box.ref.path)?.states.has('checked') === !was);
      await desktop().end(app.pid);
    });
  }

  function pressable(tree: Tree | undefined): Element | undefined {
    return [...(tree?.elements.values() ?? [])].find(
      ({ role, states }) => role === 'check box' && states.has('sensitive') && states.has('visible'),
    );
  }

  async function press(app: App, element: Element): Promise<void> {
    const index = (await readActions(app.line, element)).findIndex((name) => /^(?:click|toggle)$/.test(name));
    assert.isAtLeast(index, 0);
    const action = { interface: 'org.a11y.atspi.Action', member: 'DoAction', in: 'i', out: 'b' };
    await app.line.ask(element.ref.path, action, [index]);
  }
});
