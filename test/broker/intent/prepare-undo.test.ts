// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { id } from './fixture-app.ts';
import { remote, success, untilAborted } from './scripted-bus.ts';
import { done, ends, type Ran, refused, useDesk } from './world.ts';

describe('an undo', () => {
  const its = useDesk();
  const person = { principal: { id: 'desk', level: 'system' }, connection: ':1.90', byPerson: true } as const;

  /** Something that can be taken back. */
  const written = async (): Promise<string> => {
    its.desk.bus.app = () => success({}, { undo_token: 'take-it-back' });
    const ran = await its.desk.dispatch(id('write'), { path: '/tmp/a' });
    assert.deepEqual(done(ran).undo, { until: its.desk.clock.ms + 30_000 });
    its.desk.bus.app = () => success({});
    return ran.invocation;
  };

  it('[R26] by who did it: asked about like the original, and run by the same app', async () => {
    const invocation = await written();
    const ran = await its.desk.undo(invocation);
    done(ran);
    assert.equal(ran.events[0]?.rule, 'gate');
    const [, asked] = its.desk.bus.asked;
    assert.deepInclude(Object.fromEntries(asked?.item ?? []), {
      kind: 'undo',
      capability: id('write'),
      target: '/tmp/a',
      params: `{"undo":"${invocation}"}`,
      undo: 'takes back what was done before',
    });
    const call = its.desk.bus.ran.at(-1);
    assert.deepEqual([call?.destination, call?.member, call?.body?.[0]], [':1.50', 'Undo', 'take-it-back']);
    assert.equal(its.records.query({ invocation, type: 'undone' }).length, 1);
  });

  it('[R26] [R156] by the person: not asked whether they meant it', async () => {
    const invocation = await written();
    done(await its.desk.undo(invocation, person));
    assert.lengthOf(its.desk.bus.asked, 1);
  });

  it('[R44] by the person: what is locked stays locked', async () => {
    const invocation = await written();
    its.desk.configure({ locked: [id('write')] });
    refused(await its.desk.undo(invocation, person), 'policy', 'PolicyDenied');
  });

  const nothing = ({ outcome: { invocation, audit_id, ...rest } }: Ran): unknown => rest;

  it('[R26] by somebody else: answered like nothing at all', async () => {
    const other = await its.desk.undo(await written(), { principal: { id: 'other' } });
    refused(other, 'undo', 'UndoGone');
    const none = await its.desk.undo('11111111-1111-4111-8111-111111111111');
    refused(none, 'undo', 'UndoGone');
    assert.deepEqual(nothing(other), nothing(none));
  });

  it('[R26] works once', async () => {
    const invocation = await written();
    done(await its.desk.undo(invocation));
    refused(await its.desk.undo(invocation), 'undo', 'UndoGone');
  });

  it('[R26] works for its window, which starts with the outcome', async () => {
    const invocation = await written();
    its.desk.clock.ms += 29_999;
    done(await its.desk.undo(invocation, person));
    const late = await written();
    its.desk.clock.ms += 30_000;
    refused(await its.desk.undo(late, person), 'undo', 'UndoGone');
  });

  it('[R26] whose window ends while the person is asked does nothing', async () => {
    const invocation = await written();
    its.desk.bus.person = (asked) => {
      its.desk.clock.ms += 30_000;
      return its.desk.bus.once(asked);
    };
    const ran = await its.desk.undo(invocation);
    assert.deepEqual([ran.outcome.status, ran.outcome.code, ran.calls], ['failed', 'UndoGone', 0]);
    ends(ran, 'failed', 'dispatch', 'UndoGone');
  });

  it('[R26] two at once: exactly one runs', async () => {
    const invocation = await written();
    const both = await Promise.all([its.desk.undo(invocation, person), its.desk.undo(invocation, person)]);
    assert.deepEqual(both.map(({ outcome: { status, code } }) => [status, code]).sort(), [
      ['executed', undefined],
      ['failed', 'UndoGone'],
    ]);
    assert.lengthOf(its.desk.bus.ran, 2);
  });

  it('[R26] after the app started anew: its token means nothing there', async () => {
    const invocation = await written();
    its.desk.leave();
    refused(await its.desk.undo(invocation, person), 'resolve', 'NotFound');
    its.desk.offer({ connection: ':1.51' });
    refused(await its.desk.undo(invocation, person), 'undo', 'UndoGone');
  });

  it('[R26] after the key was withdrawn', async () => {
    const invocation = await written();
    its.desk.trusted = false;
    refused(await its.desk.undo(invocation, person), 'resolve', 'NotFound');
  });

  it('[R30] by who may no longer use the capability', async () => {
    const { outcome, calls } = await its.desk.undo(await written(), { principal: { level: 'public' } });
    assert.deepEqual([outcome.stage, outcome.code, calls], ['resolve', 'NotFound', 0]);
  });

  it('[R26] that the app refuses, or that is cancelled, is used up all the same', async () => {
    const refusedByApp = await written();
    its.desk.bus.app = () => {
      throw remote('org.portal.Broker1.Error.ExecutionFailed', 'gone');
    };
    assert.equal((await its.desk.undo(refusedByApp, person)).outcome.status, 'failed');
    assert.equal((await its.desk.undo(refusedByApp, person)).outcome.code, 'UndoGone');
    const cancelled = await written();
    const caller = new AbortController();
    its.desk.bus.app = (call) => {
      setImmediate(() => caller.abort());
      return untilAborted(call);
    };
    const ran = await its.desk.undo(cancelled, { ...person, signal: caller.signal });
    assert.deepEqual([ran.outcome.status, ran.outcome.code], ['unknown', 'Cancelled']);
  });

  it('[R26] has no undo of its own, and no declared result', async () => {
    const invocation = await written();
    its.desk.bus.app = () => success({ anything: 1 }, { undo_token: 'again' });
    const outcome = done(await its.desk.undo(invocation, person));
    assert.notProperty(outcome, 'undo');
    assert.deepEqual(outcome.result, { anything: 1 });
  });

  it('[R26] [R35] is bounded in size', async () => {
    const invocation = await written();
    its.desk.bus.app = () => success('a'.repeat(200));
    assert.equal((await its.desk.undo(invocation, person)).outcome.code, 'ResultTooLarge');
  });

  it('[R26] there is none without a window, without a token, or for what was only read', async () => {
    its.desk.bus.app = () => success({}, { undo_token: 't' });
    assert.notProperty(done(await its.desk.dispatch(id('writes'), {})), 'undo');
    its.desk.bus.app = () => success({});
    assert.notProperty(done(await its.desk.dispatch(id('write'), {})), 'undo');
    its.desk.bus.app = () => success({}, { undo_token: 't' });
    assert.notProperty(done(await its.desk.dispatch(id('readsundoable'), {})), 'undo');
  });
});
