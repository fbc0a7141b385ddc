// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { connect } from '../../dbus/connection.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { variant } from '../../dbus/values.ts';
import { Accessibility } from '../../tier2-atspi/connect.ts';
import { AccessibilityError } from '../../tier2-atspi/error.ts';
import { DEFAULT_ACCESSIBILITY_LIMITS } from '../../tier2-atspi/limits.ts';
import type { LinkListener } from '../../tier2-atspi/link.ts';
import { A11Y_BUS, DESKTOP_PATH, EVENT_OBJECT, REGISTRY } from '../../tier2-atspi/names.ts';
import { readTree } from '../../tier2-atspi/read.ts';
import { useAccessibleDesktop } from '../support/accessible-desktop.ts';
import { FakeApp, fixed } from '../support/fake-accessible-app.ts';
import { until } from '../support/programs.ts';

const ELEMENTS = fixed({ [DESKTOP_PATH]: {} });

function unexpected(): void {
  assert.fail('this should not have come');
}

describe('tier2-atspi/connect', () => {
  const desktop = useAccessibleDesktop('none');

  async function fake() {
    const connection = await desktop().connect();
    await FakeApp.start(connection, ELEMENTS);
    return connection;
  }

  async function embed(bus: string, path: string = DESKTOP_PATH): Promise<void> {
    const connection = await desktop().connect();
    const call = {
      destination: REGISTRY,
      path: DESKTOP_PATH,
      interface: 'org.a11y.atspi.Socket',
      member: 'Embed',
    };
    await connection.call({ ...call, signature: '(so)', body: [[bus, path]] });
  }

  async function another(listener: LinkListener): Promise<Accessibility> {
    return await Accessibility.start({
      session: desktop().session,
      limits: DEFAULT_ACCESSIBILITY_LIMITS,
      now: () => performance.now(),
      listener,
      onFault: unexpected,
    });
  }

  it('an app appears with its process, and vanishes when it leaves', async () => {
    const connection = await fake();
    const app = await desktop().appAt(connection.name);
    assert.equal(app.pid, process.pid);
    assert.deepEqual(app.root, { bus: connection.name, path: DESKTOP_PATH });
    assert.strictEqual(desktop().accessibility.apps.get(app.bus), app);
    await connection.close();
    await desktop().vanished(app.bus);
  });

  it('whoever connects later is told of those that are there', async () => {
    const connection = await fake();
    await desktop().appAt(connection.name);
    const heard: string[] = [];
    const second = await another({
      appeared: ({ bus }) => heard.push(bus),
      vanished: ({ bus }) => heard.push(`-${bus}`),
    });
    assert.include(heard, connection.name);
    await second.stop();
    assert.include(heard, `-${connection.name}`);
    assert.equal(second.apps.size, 0);
  });

  it('what is listed twice, is nobody, or is known by a name that others can take over, is no app', async () => {
    const connection = await fake();
    const app = await desktop().appAt(connection.name);
    await embed(connection.name, '/another');
    await embed(':1.99999');
    await embed(REGISTRY);
    const last = await fake();
    await desktop().appAt(last.name);
    assert.strictEqual(desktop().accessibility.apps.get(app.bus), app);
    const later = await another({ appeared: () => undefined, vanished: () => undefined });
    assert.equal(later.apps.get(app.bus)?.root.path, DESKTOP_PATH, 'what was listed first counts');
    await later.stop();
    for (const bus of desktop().accessibility.apps.keys()) assert.match(bus, /^:/);
    assert.isFalse(desktop().accessibility.apps.has(':1.99999'));
  });

  it('when an app brings the registry down, the next one is found, and who is listed there', async () => {
    const connection = await fake();
    const { bus } = await desktop().appAt(connection.name);
    // The registry of at-spi2-core 2.46 does not survive a root without a name.
    await embed('').catch(() => undefined);
    await desktop().vanished(bus);
    const again = await fake();
    assert.equal((await desktop().appAt(again.name)).pid, process.pid);
  });

  it('a new accessibility bus is found, and its apps', async () => {
    const connection = await fake();
    const before = await desktop().appAt(connection.name);
    await desktop().replaceAccessibilityBus();
    await desktop().vanished(before.bus);
    const error = await readTree(before.line).catch((reason: unknown) => reason);
    assert.instanceOf(error, AccessibilityError);
    assert.equal(error.code, 'lost');
    const address = await until('another bus', async () => {
      const now = await desktop().currentAddress();
      return now !== undefined && now !== desktop().address ? now : undefined;
    });
    const again = await connect({ address });
    await FakeApp.start(again, ELEMENTS);
    const app = await desktop().appAt(again.name);
    assert.equal((await readTree(app.line)).elements.size, 1);
    await again.close();
  });

  it('a session without an accessibility bus is told so', async () => {
    const bus = await startPrivateBus();
    const session = await connect({ address: bus.address });
    const starting = Accessibility.start({
      session,
      limits: DEFAULT_ACCESSIBILITY_LIMITS,
      now: () => performance.now(),
      listener: { appeared: unexpected, vanished: unexpected },
      onFault: unexpected,
    });
    const error = await starting.catch((reason: unknown) => reason);
    assert.instanceOf(error, AccessibilityError);
    assert.equal(error.code, 'no-bus');
    await session.close();
    await bus.stop();
  });

  it('a list of apps that was not answered is asked for again', async () => {
    const bus = await startPrivateBus();
    const [session, registry] = [
      await connect({ address: bus.address }),
      await connect({ address: bus.address }),
    ];
    let lists = 0;
    registry.onCall((call) => {
      if (call.member === 'GetAddress') registry.reply(call, 's', [bus.address]);
      else if (call.member !== 'GetChildren') registry.reply(call, '', []);
      else {
        lists += 1;
        const roots = lists === 1 ? [] : [[session.name, DESKTOP_PATH]];
        if (lists !== 2) registry.reply(call, 'a(so)', [roots]);
      }
    });
    await registry.requestName(A11Y_BUS);
    await registry.requestName(REGISTRY);
    const faults: unknown[] = [];
    const accessibility = await Accessibility.start({
      session,
      limits: { ...DEFAULT_ACCESSIBILITY_LIMITS, callMs: 100 },
      now: () => performance.now(),
      listener: { appeared: () => undefined, vanished: () => undefined },
      onFault: (error) => faults.push(error),
    });
    const event = { path: DESKTOP_PATH, interface: EVENT_OBJECT, member: 'ChildrenChanged' };
    registry.emit({ ...event, signature: 'siiv', body: ['add', 0, 0, variant('i', 0)] });
    await until('the app', () => accessibility.apps.get(session.name));
    assert.lengthOf(faults, 1);
    assert.equal(lists, 3);
    await accessibility.stop();
    await Promise.all([session.close(), registry.close()]);
    await bus.stop();
  });

  it('an accessibility bus that cannot be reached is told, and tried again where it had been there', async () => {
    const [bus, second] = [await startPrivateBus(), await startPrivateBus()];
    const [session, owner] = [
      await connect({ address: bus.address }),
      await connect({ address: bus.address }),
    ];
    let address = 'unix:path=/nowhere';
    owner.onCall((call) => owner.reply(call, 's', [address]));
    await owner.requestName(A11Y_BUS);
    const faults: unknown[] = [];
    const start = () =>
      Accessibility.start({
        session,
        limits: { ...DEFAULT_ACCESSIBILITY_LIMITS, reconnectAtMostMs: 10 },
        now: () => performance.now(),
        listener: { appeared: unexpected, vanished: unexpected },
        onFault: (error) => faults.push(error),
      });
    const refused = await start().catch((reason: unknown) => reason);
    assert.instanceOf(refused, AccessibilityError);
    assert.equal(refused.code, 'no-bus');
    address = second.address;
    const registry = await connect({ address });
    registry.onCall((call) => {
      if (call.member === 'GetChildren') registry.reply(call, 'a(so)', [[]]);
      else registry.reply(call, '', []);
    });
    await registry.requestName(REGISTRY);
    const accessibility = await start();
    await second.stop();
    await until('further tries', () => faults[2]);
    for (const fault of faults) assert.instanceOf(fault, AccessibilityError);
    await accessibility.stop();
    await Promise.all([session.close(), owner.close()]);
    await bus.stop();
  });
});
