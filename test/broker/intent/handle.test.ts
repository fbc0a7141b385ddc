// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { AuditType } from '../../../broker/audit/event.ts';
import type { Stage } from '../../../broker/intent/stage.ts';
import { StoreError } from '../../../broker/store/error.ts';
import type { World } from '../../../broker/world.ts';
import { id } from './fixture-app.ts';
import { success } from './scripted-bus.ts';
import { type Desk, done, ends, type Ran, refused, useDesk } from './world.ts';

const SECRET = 'secret-of-the-fault';

describe('the one path, where something in it fails', () => {
  const its = useDesk();
  const fail = (): never => {
    throw new Error(SECRET);
  };
  const write = (desk: Desk) => desk.dispatch(id('write'), { path: '/tmp/a' });
  /** Has one collaborator fail, with everything else of it as it was. */
  const breaking = <
    K extends 'registry' | 'keyring' | 'allowances' | 'desk' | 'grants' | 'providers' | 'undos',
  >(
    desk: Desk,
    part: K,
    method: keyof World[K],
  ): void => {
    const real = desk.world[part];
    desk.world[part] = new Proxy(real, {
      get: (target, key) => {
        const value = Reflect.get(target, key, target);
        if (key === method) return fail;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  const silent = ({ outcome, events }: Ran, desk: Desk): void => {
    assert.notInclude(JSON.stringify([outcome, events]), SECRET);
    assert.include(outcome.error?.message, 'f00d');
    assert.lengthOf(desk.faults, 1);
  };

  const before: readonly [Stage, what: string, (desk: Desk) => void][] = [
    ['resolve', 'the registry', (desk) => breaking(desk, 'registry', 'resolve')],
    ['resolve', 'the keyring', (desk) => breaking(desk, 'keyring', 'isTrusted')],
    [
      'resolve',
      'a withdrawal',
      (desk) => Object.assign(desk.world, { keyWithdrawn: fail, keyring: { isTrusted: () => false } }),
    ],
    ['validate', 'the schemas', (desk) => Object.assign(desk.world, { schemas: { validatorFor: fail } })],
    ['target', 'the look at the disk', (desk) => Object.assign(desk.world, { resolvePath: fail })],
    ['classify', 'the keyed hash', (desk) => Object.assign(desk.world, { mac: fail })],
    ['policy', 'the standing', (desk) => Object.assign(desk.world, { standing: fail })],
    ['grants', 'the allowances', (desk) => breaking(desk, 'allowances', 'spend')],
    ['grants', 'the grants', (desk) => breaking(desk, 'grants', 'hold')],
    ['confirm', 'the asking', (desk) => breaking(desk, 'desk', 'ask')],
    ['confirm', 'the binding that is shown', (desk) => breaking(desk, 'providers', 'binding')],
  ];
  for (const [stage, what, breakIt] of before) {
    it(`[R71] [R118] ${what}: denied at ${stage}, and nothing of the fault gets out`, async () => {
      breakIt(its.desk);
      const ran = await write(its.desk);
      refused(ran, stage, 'Failed');
      silent(ran, its.desk);
    });
  }

  const after: readonly [Stage, what: string, calls: number, (desk: Desk) => void][] = [
    ['dispatch', 'the call', 0, (desk) => breaking(desk, 'providers', 'run')],
    ['undo', 'the keeping of an undo', 1, (desk) => breaking(desk, 'undos', 'keep')],
  ];
  for (const [stage, what, calls, breakIt] of after) {
    it(`[R71] [R137] ${what}: nothing is called denied once it may have run`, async () => {
      its.desk.bus.app = () => success({}, { undo_token: 't' });
      breakIt(its.desk);
      const ran = await write(its.desk);
      assert.equal(ran.calls, calls);
      assert.equal(ran.outcome.status, 'unknown');
      ends(ran, 'unknown', stage, 'Failed');
      silent(ran, its.desk);
    });
  }

  it('[R71] [R137] the check of the result: unknown', async () => {
    const { schemas } = its.desk.world;
    its.desk.bus.app = () => {
      its.desk.world.schemas = { validatorFor: fail };
      return success({});
    };
    const ran = await write(its.desk);
    its.desk.world.schemas = schemas;
    assert.equal(ran.outcome.status, 'unknown');
    ends(ran, 'unknown', 'result', 'Failed');
    silent(ran, its.desk);
  });
});

describe('the one path, where the record cannot be written', () => {
  const its = useDesk();
  const write = () => its.desk.dispatch(id('write'), { path: '/tmp/a' });
  /** Has the record refuse events of these kinds. */
  const refusing = (...types: readonly AuditType[]): void => {
    const { records } = its;
    its.desk.world.records = {
      append: (event, durability) =>
        types.includes(event.type)
          ? Promise.reject(new StoreError('StoreFull', 'the disk is full'))
          : records.append(event, durability),
    };
  };

  for (const [type, stage] of [
    ['asked', 'confirm'],
    ['decided', 'confirm'],
    ['requested', 'record'],
  ] as const) {
    it(`[R72] no \`${type}\`: nothing runs`, async () => {
      refusing(type);
      const ran = await write();
      refused(ran, stage, 'RecordFailed');
      assert.include(ran.outcome.error?.message, 'free disk space');
    });
  }

  it('[R72] not even the refusal: refused all the same, without a number', async () => {
    refusing('denied');
    const { outcome, events } = await its.desk.dispatch(id('nothing'), {});
    assert.deepEqual([outcome.status, outcome.code], ['denied', 'NotFound']);
    assert.notProperty(outcome, 'audit_id');
    assert.deepEqual(events, []);
    assert.lengthOf(its.desk.faults, 1);
  });

  it('[R72] [R137] no outcome: the result is withheld, and the intent stays open for the next start to call unknown', async () => {
    refusing('executed');
    its.desk.bus.app = () => success({ text: 'withheld' }, { undo_token: 't' });
    const { outcome, events, invocation } = await write();
    assert.deepInclude(outcome, { status: 'unknown', stage: 'outcome', code: 'RecordFailed' });
    assert.equal(outcome.error?.recoverable, false);
    assert.notInclude(JSON.stringify(outcome), 'withheld');
    assert.equal(events.at(-1)?.type, 'requested');
    assert.isUndefined(its.desk.undos.find(invocation, its.desk.clock.ms));
  });

  it('[R72] neither outcome nor undoing: nothing is left for the process to stumble over', async () => {
    its.desk.bus.app = () => success({}, { undo_token: 't' });
    const { invocation } = await write();
    const rejections: unknown[] = [];
    const note = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', note);
    refusing('executed', 'undone');
    const { outcome } = await its.desk.undo(invocation);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    assert.equal(outcome.code, 'RecordFailed');
    assert.deepEqual(rejections, []);
  });

  it('[R72] a read waits for no disk, anything else does', async () => {
    const durabilities: string[] = [];
    const { records } = its;
    its.desk.world.records = {
      append: (event, durability) => {
        if (event.type === 'requested') durabilities.push(durability);
        return records.append(event, durability);
      },
    };
    for (const action of ['read', 'fetch', 'write']) done(await its.desk.dispatch(id(action), {}));
    assert.deepEqual(durabilities, ['normal', 'full', 'full']);
  });
});

describe('the allowance of a turn', () => {
  const its = useDesk();
  const look = (more = {}) => its.desk.dispatch(id('look'), {}, more);

  it('[R35] so many in a turn, a turn being a minute where the caller names none', async () => {
    for (const _ of [1, 2]) done(await look());
    const ran = await look();
    refused(ran, 'grants', 'LimitExceeded');
    assert.equal(ran.outcome.error?.recoverable, true);
    its.desk.clock.ms += 60_000;
    done(await look());
  });

  it('[R35] naming another turn is no way round', async () => {
    for (const turn of ['a', 'b']) done(await look({ turn }));
    refused(await look({ turn: 'c' }), 'grants', 'LimitExceeded');
  });

  it('[R35] a named turn lasts until the caller names another', async () => {
    for (const _ of [1, 2]) done(await look({ turn: 'a' }));
    its.desk.clock.ms += 60_000;
    refused(await look({ turn: 'a' }), 'grants', 'LimitExceeded');
    done(await look({ turn: 'b' }));
  });

  it('[R35] invalid and denied calls use nothing', async () => {
    for (const _ of [1, 2, 3]) {
      refused(await its.desk.dispatch(id('look'), { more: 1 }), 'validate', 'InvalidParams');
      refused(await look({ category: 'HARDWARE' }), 'authority', 'CategoryMismatch');
      refused(await look({ context: 'dream' }), 'context', 'ContextForbidden');
    }
    its.desk.configure({ locked: [id('look')] });
    refused(await look(), 'policy', 'PolicyDenied');
    its.desk.configure({ locked: [] });
    for (const _ of [1, 2]) done(await look());
  });
});
