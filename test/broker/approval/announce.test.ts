// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Announcer } from '../../../broker/approval/announce.ts';
import type { Announced } from '../../../broker/approval/notice.ts';
import type { Connection } from '../../../dbus/connection.ts';
import { useBus } from '../../support/bus.ts';
import { useNotifications } from '../../support/notifications.ts';

const QUESTION: Announced = {
  id: 'a1',
  capability: 'notes.org.example.notes.delete',
  appId: 'org.example.Notes',
  principal: 'desk-agent',
  risk: 'medium',
};
const BODY = `notes.org.example.notes.delete
app: org.example.Notes
asked by: desk-agent
risk: medium
question: a1`;
const SERVER = {
  destination: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
};

describe('broker/approval/announce (with dunst)', () => {
  const bus = useBus();
  const daemon = useNotifications(bus, 'full');
  let connection: Connection;
  let announcer: Announcer;
  const calls: string[] = [];

  beforeEach(async () => {
    connection = await bus.connect();
    const counting: Pick<Connection, 'call'> = {
      call: (call) => {
        calls.push(call.member);
        return connection.call(call);
      },
    };
    announcer = new Announcer({ bus: counting, appName: 'Portal', timeoutMs: 5000 });
    await daemon.clear();
    calls.length = 0;
  });

  const asked = async (...more: readonly Partial<Announced>[]): Promise<void> => {
    for (const one of more) announcer.asked({ ...QUESTION, ...one });
    await announcer.settled();
  };
  const over = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) announcer.over(id);
    await announcer.settled();
  };
  const bodies = async () => (await daemon.clear()).map(({ body }) => body);

  it('[R93] a question is announced by its ids, without a button', async () => {
    await asked({});
    assert.equal(await daemon.count(), 1);
    assert.deepEqual(await daemon.clear(), [
      {
        app: 'Portal',
        summary: 'A decision of yours is needed',
        body: BODY,
        category: 'x-portal.decision',
        urgency: 'normal',
      },
    ]);
  });

  const urgencies: readonly [risk: string, urgency: string][] = [
    ['low', 'normal'],
    ['medium', 'normal'],
    ['high', 'critical'],
    ['critical', 'critical'],
  ];
  for (const [risk, urgency] of urgencies) {
    it(`[R93] ${risk} risk is ${urgency}`, async () => {
      await asked({ risk });
      assert.deepEqual(
        (await daemon.clear()).map((shown) => shown.urgency),
        [urgency],
      );
    });
  }

  it('[R93] it is closed when it is over, and only it', async () => {
    await asked({ id: 'a' }, { id: 'b' });
    await over('a', 'unknown');
    assert.equal(await daemon.count(), 1);
    assert.match((await daemon.closed())[0]?.body ?? '', /question: a$/);
    await over('b');
    assert.equal(await daemon.count(), 0);
  });

  it('[R93] asked again, it takes the place of what was shown before', async () => {
    await asked({});
    await asked({ risk: 'high' });
    assert.equal(await daemon.count(), 1);
    assert.match((await bodies())[0] ?? '', /risk: high/);
    await asked({ risk: 'high' });
    assert.equal(await daemon.count(), 1, 'a person who closed it hears of it again');
  });

  it('[R93] more than three are one notification that counts them, until all are over', async () => {
    await asked({ id: 'a' }, { id: 'b' }, { id: 'c' });
    assert.equal(await daemon.count(), 3);
    await asked({ id: 'd', principal: 'other' }, { id: 'e' });
    assert.equal(await daemon.count(), 1);
    assert.deepEqual(
      (await daemon.clear()).map(({ summary, body, urgency }) => [summary, body, urgency]),
      [['5 decisions of yours are needed', 'asked by: desk-agent\nasked by: other', 'normal']],
    );
    await over('a', 'b', 'c', 'd');
    assert.deepEqual(
      (await daemon.clear()).map(({ summary }) => summary),
      ['A decision of yours is needed'],
    );
    await over('e');
    assert.equal(await daemon.count(), 0);
    await asked({ id: 'f' });
    assert.match((await bodies())[0] ?? '', /question: f$/);
  });

  it('[R93] one of many that is of high risk makes them urgent', async () => {
    await asked({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' });
    await asked({ id: 'd', risk: 'high' });
    assert.deepEqual(
      (await daemon.clear()).map(({ urgency }) => urgency),
      ['critical'],
    );
  });

  it('[R93] a flood of questions is a few calls and one notification', async () => {
    for (let index = 0; index < 500; index += 1) {
      announcer.asked({ ...QUESTION, id: `f${index}` });
      if (index % 2 === 0) announcer.over(`f${index}`);
    }
    await announcer.settled();
    assert.isBelow(calls.length, 12);
    assert.equal((await daemon.clear())[0]?.summary, '250 decisions of yours are needed');
  });

  it('[R93] markup in a name is text', async () => {
    await asked({ principal: '<b>&amp;</b>' });
    assert.include((await bodies())[0], 'asked by: &lt;b&gt;&amp;amp;&lt;/b&gt;');
  });

  it('[R93] what anybody signals, closes or presses changes nothing', async () => {
    await asked({ id: 'a' }, { id: 'b' });
    const other = await bus.connect();
    const { destination: _, ...signal } = SERVER;
    for (let number = 0; number < 20; number += 1) {
      for (const destination of [{}, { destination: connection.name }]) {
        other.emit({
          ...signal,
          ...destination,
          member: 'ActionInvoked',
          signature: 'us',
          body: [number, 'default'],
        });
        other.emit({
          ...signal,
          ...destination,
          member: 'NotificationClosed',
          signature: 'uu',
          body: [number, 2],
        });
      }
      const control = { ...SERVER, interface: 'org.dunstproject.cmd0', signature: 'u', body: [number] };
      await other.call({ ...control, member: 'NotificationAction' }).catch(() => undefined);
    }
    assert.equal(await daemon.count(), 2);
    const before = calls.length;
    await daemon.clear();
    await announcer.settled();
    assert.equal(calls.length, before, 'nothing is listened to');
    await over('a');
    await asked({ id: 'c' });
    assert.equal(await daemon.count(), 1);
  });

  describe('without a notification service', () => {
    afterEach(() => daemon.start());

    it('[R93] nothing happens, and little is tried', async () => {
      await daemon.stop();
      await asked({ id: 'a' });
      await asked({ id: 'b' });
      await over('a', 'b');
      assert.deepEqual([...new Set(calls)], ['GetNameOwner', 'StartServiceByName']);
      assert.equal(calls.length, 6, 'one look for each change that leaves something to show');
    });

    it('[R93] what is still open is announced with the next question once there is one', async () => {
      await daemon.stop();
      await asked({ id: 'a' });
      await daemon.start();
      await asked({ id: 'b' });
      assert.equal(await daemon.count(), 2);
    });

    it('[R93] one that was started anew may use the old numbers for others', async () => {
      await asked({ id: 'a' });
      await daemon.stop();
      await daemon.start();
      const words = ['other', 0, '', 'of another program', '', [], {}, -1];
      for (let times = 0; times < 10; times += 1)
        await connection.call({ ...SERVER, member: 'Notify', signature: 'susssasa{sv}i', body: words });
      await over('a');
      assert.equal(await daemon.count(), 10);
    });
  });

  it('[R93] one that hangs is waited for so long and no longer', async () => {
    announcer = new Announcer({ bus: connection, appName: 'Portal', timeoutMs: 1000 });
    daemon.pause();
    await asked({ id: 'a' });
    daemon.resume();
    await asked({ id: 'b' });
    assert.equal(await daemon.count(), 2);
  });

  it('[R93] the end of the session bus is nobody’s trouble', async () => {
    await connection.close();
    await asked({ id: 'a' });
    await over('a');
  });
});

describe('broker/approval/announce (with a dunst that shows text as it is)', () => {
  const bus = useBus();
  const daemon = useNotifications(bus, 'no');

  it('[R93] nothing is escaped where the body is no markup', async () => {
    const announcer = new Announcer({ bus: await bus.connect(), appName: 'Portal', timeoutMs: 5000 });
    announcer.asked({ ...QUESTION, appId: '', principal: '<b>&' });
    await announcer.settled();
    assert.equal(
      (await daemon.clear())[0]?.body,
      'notes.org.example.notes.delete\nasked by: <b>&\nrisk: medium\nquestion: a1',
    );
  });
});

describe('broker/approval/announce (with a service that answers nonsense)', () => {
  const bus = useBus();

  it('[R93] keeps announcing, and throws nothing', async () => {
    const service = await bus.connect();
    const members: string[] = [];
    service.onCall((call) => {
      members.push(call.member);
      service.reply(call, call.member === 'Notify' ? 's' : 'u', call.member === 'Notify' ? ['one'] : [7]);
    });
    await service.requestName(SERVER.destination);
    const announcer = new Announcer({ bus: await bus.connect(), appName: 'Portal', timeoutMs: 5000 });
    for (const id of ['a', 'b']) {
      announcer.asked({ ...QUESTION, id });
      await announcer.settled();
    }
    announcer.over('a');
    await announcer.settled();
    assert.deepEqual(members, ['GetCapabilities', 'Notify', 'Notify', 'CloseNotification']);
  });
});
