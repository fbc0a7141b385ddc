// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { StoreError } from '../../../broker/store/error.ts';
import { parseGrantRequest } from '../../../policy/grant.ts';
import { PERSON, useList, waiting, write } from './approving.ts';
import { id } from './fixture-app.ts';
import { success } from './scripted-bus.ts';
import { type Desk, done, ends, POLICY_LIMITS, type Ran, refused } from './world.ts';

describe('a grant, on the path', () => {
  const list = useList();

  const grant = async (desk: Desk, more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const wanted = {
      principal: 'agent',
      capability: id('write'),
      target: '/tmp/**',
      access: 'write',
      minutes: 60,
      operations: 1,
      reason: 'a test',
      ...more,
    };
    const entry = desk.registry.resolve(String(wanted.capability), undefined, desk.registry.epoch);
    if (typeof entry === 'string') throw new Error(entry);
    const parsed = parseGrantRequest(wanted, POLICY_LIMITS, desk.clock.ms);
    return (await desk.ledger.add(parsed, entry.capability.digest, PERSON)).id;
  };
  const left = (desk: Desk): number | undefined => desk.ledger.list()[0]?.operations_left;
  /** Denies whatever waits, and says how often the person was asked. */
  const denyAll = async (desk: Desk): Promise<number> => {
    const rows = await waiting(desk);
    for (const row of rows) await desk.approvals.deny(row.id, { session: false }, PERSON);
    return rows.length;
  };
  const runsUnder = (ran: Ran, grantId: string): void => {
    done(ran);
    assert.deepEqual(
      ran.events.map(({ type, effect, grant: by, decider }) => [type, effect, by, decider]),
      [
        ['requested', 'ask', grantId, 'grant'],
        ['executed', undefined, grantId, 'grant'],
      ],
    );
  };

  it('[R106] [R108] B30 of ten at once it answers for as many as it counts; the others ask', async () => {
    const { desk } = list;
    const grantId = await grant(desk, { operations: 3 });
    const all = Array.from({ length: 8 }, (_, index) => write(desk, `/tmp/${index}`));
    assert.equal(await denyAll(desk), 5);
    const ran = await Promise.all(all);
    const ranUnder = ran.filter(({ outcome }) => outcome.status === 'executed');
    assert.lengthOf(ranUnder, 3);
    for (const { events } of ranUnder) assert.equal(events[0]?.grant, grantId);
    assert.lengthOf(desk.bus.ran, 3);
    assert.isEmpty(desk.ledger.list(), 'it is used up');
  });

  it('[R108] B30 what is invalid or denied uses nothing; what the app does not answer counts', async () => {
    const { desk } = list;
    const grantId = await grant(desk, { operations: 2 });
    for (const _ of [1, 2])
      refused(await desk.dispatch(id('write'), { path: 5 }), 'validate', 'InvalidParams');
    desk.configure({ locked: [id('write')] });
    refused(await write(desk), 'policy', 'PolicyDenied');
    desk.configure({ locked: [] });
    assert.equal(left(desk), 2);
    desk.bus.app = desk.bus.never;
    ends(await write(desk), 'unknown', 'dispatch', 'Timeout');
    assert.equal(left(desk), 1);
    desk.bus.app = () => success({});
    runsUnder(await write(desk), grantId);
    const running = write(desk);
    assert.equal(await denyAll(desk), 1);
    refused(await running, 'confirm', 'PersonDenied');
  });

  it('[R72] [R108] what could not be recorded gives its use back', async () => {
    const { desk } = list;
    const { records } = list.its;
    const grantId = await grant(desk);
    desk.world.records = {
      append: (event, durability, within) =>
        event.type === 'requested'
          ? Promise.reject(new StoreError('StoreFull', 'the disk is full'))
          : records.append(event, durability, within),
    };
    refused(await write(desk), 'record', 'RecordFailed');
    desk.world.records = records;
    runsUnder(await write(desk), grantId);
  });

  it('[R90] [R108] so does what is withdrawn before it runs', async () => {
    const { desk } = list;
    const grantId = await grant(desk);
    refused(await write(desk, '/tmp/a', {}, { signal: AbortSignal.abort() }), 'record', 'Withdrawn');
    runsUnder(await write(desk), grantId);
  });

  it('[R109] revoked between the taking and the record: nothing runs under it', async () => {
    const { desk } = list;
    const { records } = list.its;
    const grantId = await grant(desk);
    let revoking: Promise<void> | undefined;
    desk.world.records = {
      append: (event, durability, within) => {
        if (event.type === 'requested') revoking = desk.ledger.revoke(grantId, PERSON);
        return records.append(event, durability, within);
      },
    };
    refused(await write(desk), 'record', 'ApprovalMismatch');
    await revoking;
    assert.isEmpty(desk.bus.ran);
  });

  const outside: readonly [what: string, ask: (desk: Desk) => Promise<Ran>][] = [
    ['another target', (desk) => write(desk, '/etc/passwd')],
    ['another capability', (desk) => desk.dispatch(id('erase'), {})],
    ['another principal', (desk) => write(desk, '/tmp/a', {}, { principal: { id: 'b', name: 'b' } })],
    ['whoever wants a person to look', (desk) => write(desk, '/tmp/a', { requireApproval: true })],
    [
      'an unbound provider',
      (desk) => {
        desk.offer({ binding: 'unbound' });
        return write(desk);
      },
    ],
    [
      'the strict profile',
      (desk) => {
        desk.configure({ profile: 'strict' });
        return write(desk);
      },
    ],
  ];
  for (const [what, ask] of outside) {
    it(`[R107] [R110] never for ${what}`, async () => {
      const { desk } = list;
      await grant(desk);
      const running = ask(desk);
      assert.equal(await denyAll(desk), 1);
      refused(await running, 'confirm', 'PersonDenied');
      assert.equal(left(desk), 1);
    });
  }

  it('[R107] never for what always confirms', async () => {
    const { desk } = list;
    await grant(desk, { capability: id('send'), target: 'https://example.org/**' });
    const running = desk.dispatch(id('send'), { url: 'https://example.org/a' });
    assert.equal(await denyAll(desk), 1);
    refused(await running, 'confirm', 'PersonDenied');
  });

  it('never for the taking back of what was done under it', async () => {
    const { desk } = list;
    await grant(desk, { operations: 2 });
    desk.bus.app = () => success({}, { undo_token: 't' });
    const ran = await write(desk);
    done(ran);
    const undoing = desk.undo(ran.invocation);
    assert.equal(await denyAll(desk), 1);
    refused(await undoing, 'confirm', 'PersonDenied');
    assert.equal(left(desk), 1);
  });
});
