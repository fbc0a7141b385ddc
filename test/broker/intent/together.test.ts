// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';
import { Variant } from '../../../dbus/values.ts';
import { only, PERSON, settle, waiting, write } from './approving.ts';
import { id } from './fixture-app.ts';
import { type Asked, received } from './scripted-bus.ts';
import { type Desk, done, type Ran, refused, useDesk } from './world.ts';

/** Digest and target of each row of a question. */
function rowsOf({ call }: Asked): readonly { readonly digest: string; readonly target: string }[] {
  const [, items] = call.body ?? [];
  const text = (item: unknown, key: string): string => {
    const value: unknown = Object(item)[key];
    return value instanceof Variant ? String(value.value) : '';
  };
  return (Array.isArray(items) ? items : []).map((item) => ({
    digest: text(item, 'digest'),
    target: text(item, 'target'),
  }));
}

const reply = (said: Readonly<Record<string, string>>): unknown =>
  received(
    Object.fromEntries(
      Object.entries(said).map(([digest, word]) => [
        digest,
        new Variant('a{sv}', received({ decision: word })),
      ]),
    ),
  );

describe('[R152] what is wanted with one intention', () => {
  const its = useDesk();
  beforeEach(() => {
    // Long enough for whatever is dispatched in one turn.
    its.desk.clock.sleep = (_ms, signal) => {
      signal.throwIfAborted();
      return settle();
    };
  });
  const tidy = (desk: Desk, path: string, more = {}, as = {}): Promise<Ran> =>
    write(desk, path, { intention: 'tidy', ...more }, as);

  it('is one question with a row and a digest each, and each row is decided alone', async () => {
    const { desk } = its;
    desk.bus.person = (asked) => {
      desk.clock.ms += 1000;
      const rows = rowsOf(asked);
      const digestOf = (target: string) => rows.find((row) => row.target === target)?.digest ?? '';
      return reply({ [digestOf('/tmp/a')]: 'once', [digestOf('/tmp/b')]: 'deny' });
    };
    const [a, b, c] = await Promise.all(['/tmp/a', '/tmp/b', '/tmp/c'].map((path) => tidy(desk, path)));
    assert.lengthOf(desk.bus.asked, 1);
    assert.lengthOf(rowsOf(desk.bus.asked[0] ?? assert.fail()), 3);
    assert.equal(a?.outcome.status, 'executed');
    assert.equal(b?.outcome.code, 'PersonDenied');
    assert.equal(c?.outcome.code, 'PersonDenied', 'what the answer leaves out is denied');
    assert.deepEqual(
      desk.bus.ran.map(({ body }) => body?.[2]),
      ['{"path":"/tmp/a"}'],
    );
  });

  it('of another caller, or with another intention or none, is a question of its own', async () => {
    const { desk } = its;
    desk.bus.person = (asked) => {
      desk.clock.ms += 1000;
      return reply(Object.fromEntries(rowsOf(asked).map(({ digest }) => [digest, 'once'])));
    };
    const all = await Promise.all([
      tidy(desk, '/tmp/a'),
      tidy(desk, '/tmp/b'),
      tidy(desk, '/tmp/c', { intention: 'other' }),
      tidy(desk, '/tmp/d', { intention: undefined }),
      tidy(desk, '/tmp/e', {}, { connection: ':1.8' }),
    ]);
    for (const { outcome } of all) assert.equal(outcome.status, 'executed');
    assert.deepEqual(desk.bus.asked.map((asked) => rowsOf(asked).length).toSorted(), [1, 1, 1, 2]);
  });

  it('a row that is decided from the list is taken out, and the rest is put again', async () => {
    const { desk } = its;
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    desk.bus.person = async (asked) => {
      if (desk.bus.asked.length === 1) await looked;
      desk.clock.ms += 1000;
      return reply(Object.fromEntries(rowsOf(asked).map(({ digest }) => [digest, 'once'])));
    };
    const both = [tidy(desk, '/tmp/a'), tidy(desk, '/tmp/b')];
    await settle();
    const row = (await waiting(desk)).find(({ targets }) => targets?.includes('/tmp/a'));
    await desk.approvals.deny(row?.id ?? '', { session: false }, PERSON);
    resolve();
    const [a, b] = await Promise.all(both);
    assert.equal(a?.outcome.code, 'PersonDenied');
    assert.equal(b?.outcome.status, 'executed');
    assert.deepEqual(
      desk.bus.asked.map((asked) => rowsOf(asked).map(({ target }) => target)),
      [['/tmp/a', '/tmp/b'], ['/tmp/b']],
    );
  });

  it('that does not fit into one message is asked one by one', async () => {
    const { desk } = its;
    desk.bus.person = (asked) => {
      const rows = rowsOf(asked);
      if (rows.length > 1) throw new DBusError('limit', ERROR_NAME.limitsExceeded, 'too large');
      desk.clock.ms += 1000;
      return reply(Object.fromEntries(rows.map(({ digest }) => [digest, 'once'])));
    };
    const both = await Promise.all([tidy(desk, '/tmp/a'), tidy(desk, '/tmp/b')]);
    for (const { outcome } of both) assert.equal(outcome.status, 'executed');
    assert.lengthOf(desk.bus.asked, 3);
  });

  it('what is withdrawn before it is put on the screen never appears', async () => {
    const { desk } = its;
    const caller = new AbortController();
    desk.clock.sleep = async () => {
      await settle();
      caller.abort();
      await settle();
    };
    const ran = await tidy(desk, '/tmp/a', {}, { signal: caller.signal });
    refused(ran, 'confirm', 'Withdrawn');
    await settle();
    assert.isEmpty(desk.bus.asked);
  });

  it('a row that expires while others wait on is taken off alone', async () => {
    const { desk } = its;
    desk.bus.person = async (asked) => {
      if (desk.bus.asked.length === 1) return desk.bus.never(asked.call);
      desk.clock.ms += 1000;
      return reply(Object.fromEntries(rowsOf(asked).map(({ digest }) => [digest, 'once'])));
    };
    const first = tidy(desk, '/tmp/a');
    desk.clock.sleep = async (_ms, signal) => signal.throwIfAborted();
    desk.clock.ms += 10_000;
    const second = tidy(desk, '/tmp/b');
    const [a, b] = await Promise.all([first, second]);
    assert.equal(a.outcome.status, 'expired');
    assert.equal(b.outcome.status, 'executed');
  });
});

describe('what is void', () => {
  const its = useDesk();
  beforeEach(() => {
    its.desk.confirmers.remove(':1.90');
    its.desk.approvals.watch(':1.80');
  });

  const changes: readonly [what: string, change: (desk: Desk) => void][] = [
    ['the provider is gone', (desk) => desk.leave()],
    ['another process of the app took its place', (desk) => desk.offer({ connection: ':1.51' })],
    ['its definition changed', (desk) => desk.offer({ capabilities: [] })],
    ['its key is no longer trusted', (desk) => Object.assign(desk, { trusted: false })],
    ['policy denies it now', (desk) => desk.configure({ locked: [id('write')] })],
    ['its principal was stopped', (desk) => Object.assign(desk, { suspended: true })],
    ['a fault in the look', (desk) => Object.assign(desk.world, { standing: () => assert.fail('a fault') })],
  ];
  for (const [what, change] of changes) {
    it(`B09 ${what}: at once, and nobody can approve it any more`, async () => {
      const { desk } = its;
      const running = write(desk);
      const row = await only(desk);
      change(desk);
      desk.approvals.recheck();
      const ran = await running;
      refused(ran, 'confirm', 'Void');
      assert.equal(desk.approvals.list({ ended: true })[0]?.state, 'void');
      const late = await desk.approvals.approve(row.id, row.digest, { choice: 'once' }, PERSON).catch(String);
      assert.include(String(late), 'Error');
      assert.isEmpty(desk.bus.ran);
    });
  }

  it('a look at what has not changed leaves it waiting; one that finds a key withdrawn looks again', async () => {
    const { desk } = its;
    const running = write(desk);
    const row = await only(desk);
    desk.approvals.recheck();
    assert.deepEqual(await only(desk), row);
    const { keyWithdrawn } = desk.world;
    desk.world.keyWithdrawn = (appId) => {
      keyWithdrawn(appId);
      desk.approvals.recheck();
    };
    desk.trusted = false;
    desk.approvals.recheck();
    refused(await running, 'confirm', 'Void');
  });

  it('not what waits while the person has locked the session: it can be answered when they are back', async () => {
    const { desk } = its;
    const running = write(desk);
    const row = await only(desk);
    desk.sessionLocked = true;
    desk.approvals.recheck();
    refused(await write(desk, '/tmp/b'), 'policy', 'SessionLocked');
    desk.sessionLocked = false;
    desk.approvals.recheck();
    await desk.approvals.approve(row.id, row.digest, { choice: 'once' }, PERSON);
    done(await running);
  });

  it('a look that finds it void in the middle of an answer with changes', async () => {
    const { desk } = its;
    const running = write(desk);
    const row = await only(desk);
    const { standing } = desk.world;
    desk.world.standing = (...of) => {
      desk.trusted = false;
      desk.approvals.recheck();
      return standing(...of);
    };
    const params = '{"path":"/tmp/a","paths":[]}';
    const answer = await desk.approvals
      .approve(row.id, row.digest, { choice: 'once', params }, PERSON)
      .catch((error: unknown) => error);
    assert.deepInclude(answer, { code: 'Stale' });
    refused(await running, 'confirm', 'Void');
  });

  it('voids what is meant, and nothing else', async () => {
    const { desk } = its;
    const both = [write(desk), desk.dispatch(id('erase'), {})] as const;
    await waiting(desk);
    desk.configure({ locked: [id('erase')] });
    desk.approvals.recheck();
    refused(await both[1], 'confirm', 'Void');
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, { choice: 'once' }, PERSON);
    done(await both[0]);
  });
});
