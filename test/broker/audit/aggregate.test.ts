// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { Aggregate } from '../../../broker/audit/aggregate.ts';
import type { AuditEvent, AuditType } from '../../../broker/audit/event.ts';
import { RecordFixture } from './fixture.ts';

const DAY = 24 * 3_600_000;

describe('broker/audit/aggregate', () => {
  let fixture: RecordFixture;
  let now: number;
  let broken: boolean;
  let faults: unknown[];

  beforeEach(() => {
    fixture = new RecordFixture();
    now = 1000;
    broken = false;
    faults = [];
  });
  afterEach(() => fixture.remove());

  const aggregate = (intervalMs = DAY) =>
    new Aggregate({
      records: {
        append: async (event, durability, within) => {
          if (broken) throw new Error('the disk is full');
          return await fixture.records.append(event, durability, within);
        },
      },
      mostEqual: 3,
      intervalMs,
      now: () => now,
      fault: (error) => faults.push(error),
    });
  let minted = 0;
  const event = (type: AuditType, more: Partial<AuditEvent> = {}): AuditEvent => {
    minted += 1;
    return {
      type,
      time: now,
      principal: 'desk',
      pid: minted,
      invocation: `invocation-${minted}-0000`,
      ...more,
    };
  };
  const denied = (more: Partial<AuditEvent> = {}) =>
    event('denied', { stage: 'resolve', code: 'NotFound', capability: `a.b${minted}`, ...more });
  const many = async (to: Aggregate, count: number, one: () => AuditEvent) => {
    const numbers = [];
    for (let sent = 0; sent < count; sent += 1) numbers.push(await to.append(one(), 'normal'));
    return numbers;
  };
  const recorded = () =>
    fixture.records.query().map(({ event }) => [event?.type, event?.code, event?.count, event?.principal]);

  it('[R59] records the first equal refusals one by one and the rest as one with their count', async () => {
    const to = aggregate();
    assert.deepEqual(await many(to, 5, denied), ['1', '2', '3', undefined, undefined]);
    now = 2000;
    await to.flush();
    const last = fixture.records.query()[3];
    assert.deepEqual(last?.event, {
      type: 'denied',
      time: 2000,
      principal: 'desk',
      stage: 'resolve',
      code: 'NotFound',
      count: 2,
    });
    assert.equal(last?.auditId, '4');
    assert.isTrue(fixture.verify().ok);
  });

  it('[R59] counts what differs in principal, stage, code or type apart', async () => {
    const to = aggregate();
    await many(to, 4, denied);
    await many(to, 4, () => denied({ principal: 'other' }));
    await many(to, 4, () => denied({ stage: 'call', code: 'InvalidArgs' }));
    await many(to, 4, () => event('role-refused', { stage: 'operate' }));
    await many(to, 4, () => event('manifest-rejected', { code: 'KeyMissing' }));
    await to.flush();
    assert.lengthOf(recorded(), 20);
    assert.deepEqual(recorded().slice(15), [
      ['denied', 'NotFound', 1, 'desk'],
      ['denied', 'NotFound', 1, 'other'],
      ['denied', 'InvalidArgs', 1, 'desk'],
      ['role-refused', undefined, 1, 'desk'],
      ['manifest-rejected', 'KeyMissing', 1, 'desk'],
    ]);
  });

  it('[R59] counts nothing that a person was asked about or that may have run', async () => {
    const to = aggregate();
    const full: readonly [AuditType, Partial<AuditEvent>][] = [
      ['requested', {}],
      ['asked', {}],
      ['decided', {}],
      ['denied', { stage: 'confirm', code: 'PersonDenied' }],
      ['denied', { code: 'Failed' }],
      ['expired', {}],
      ['registered', {}],
    ];
    for (const [type, more] of full) await many(to, 5, () => event(type, more));
    assert.lengthOf(recorded(), 5 * full.length);
    for (const type of ['executed', 'failed', 'unknown'] as const) {
      await many(to, 5, () => event(type, { invocation: 'outcome-of-something' }));
    }
    assert.lengthOf(recorded(), 5 * (full.length + 3));
  });

  it('[R59] an attempt that was asked about and then refused early has its own record', async () => {
    const to = aggregate();
    await many(to, 5, denied);
    const asked = denied();
    await to.append({ ...asked, type: 'asked' }, 'normal');
    assert.equal(await to.append(asked, 'normal'), '5');
    assert.isUndefined(await to.append(asked, 'normal'), 'it ended');
  });

  it('[R59] counts nothing that something else is done within', async () => {
    const to = aggregate();
    const done: string[] = [];
    await many(to, 5, denied);
    const within = () => done.push('within');
    assert.equal(await to.append(denied(), 'normal', within), '4');
    assert.equal(await to.append(event('policy', { code: 'RuleAdded' }), 'full', within), '5');
    assert.lengthOf(done, 2);
  });

  it('[R59] what is counted names no rule, since others may have decided over others', async () => {
    const to = aggregate();
    const policy = { stage: 'policy', code: 'PolicyDenied', rule: 'root:10-base:3', specificity: 4 } as const;
    await many(to, 5, () => denied({ ...policy, considered: ['root:10-base:3'], consideredCount: 1 }));
    await to.flush();
    assert.deepEqual(Object.keys(fixture.records.query()[3]?.event ?? {}).toSorted(), [
      'code',
      'count',
      'principal',
      'stage',
      'time',
      'type',
    ]);
  });

  it('[R59] begins anew after each interval', async () => {
    const to = aggregate();
    await many(to, 5, denied);
    await to.flush();
    await many(to, 2, denied);
    await to.flush();
    assert.deepEqual(
      recorded().map(([, , count]) => count),
      [undefined, undefined, undefined, 2, undefined, undefined],
    );
  });

  it('[R59] writes the counts when the interval is over', async () => {
    const to = aggregate(5);
    await many(to, 3, denied);
    await to.append(denied(), 'normal');
    while (recorded().length < 4) await sleep(1);
    assert.isNumber(recorded()[3]?.[2]);
  }).timeout(20_000);

  it('[R59] loses no count when it cannot be recorded', async () => {
    const to = aggregate();
    await many(to, 5, denied);
    broken = true;
    const failing = to.flush();
    await many(to, 1, denied).catch(() => undefined);
    await failing;
    assert.lengthOf(faults, 1);
    broken = false;
    await to.flush();
    assert.deepEqual(recorded().at(-1), ['denied', 'NotFound', 2, 'desk']);
  });
});
