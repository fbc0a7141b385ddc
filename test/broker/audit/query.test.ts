// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { AuditEvent } from '../../../broker/audit/event.ts';
import { AUDIT_LIMITS } from '../../../broker/audit/records.ts';
import { event, RecordFixture } from './fixture.ts';

describe('broker/audit/query', () => {
  let fixture: RecordFixture;

  beforeEach(() => {
    fixture = new RecordFixture();
  });
  afterEach(() => fixture.remove());

  const append = (...events: AuditEvent[]): Promise<string[]> =>
    Promise.all(events.map((each) => fixture.records.append(each, 'normal')));
  const ids = (filter: Parameters<RecordFixture['records']['query']>[0]): string[] =>
    fixture.records.query(filter).map((row) => row.auditId);

  const READ = { principal: 'assistant', capability: 'notes.org.example.notes.read' };
  const DELETE = { principal: 'other', capability: 'notes.org.example.notes.delete' };

  it('[R116] finds events by every field it offers', async () => {
    await append(
      event('requested', 'inv-1', READ),
      { ...event('executed', 'inv-1', READ), time: 2000 },
      { ...event('denied', 'inv-2', DELETE), time: 3000 },
      { ...event('started'), time: 4000 },
    );
    assert.deepEqual(ids({}), ['1', '2', '3', '4']);
    assert.deepEqual(ids({ since: 2000, until: 4000 }), ['2', '3']);
    assert.deepEqual(ids({ type: 'executed' }), ['2']);
    assert.deepEqual(ids({ principal: 'assistant' }), ['1', '2']);
    assert.deepEqual(ids({ capability: DELETE.capability }), ['3']);
    assert.deepEqual(ids({ invocation: 'inv-1', type: 'requested' }), ['1']);
    assert.deepEqual(ids({ after: '2' }), ['3', '4']);
    assert.deepEqual(ids({ newest: true, limit: 2 }), ['3', '4']);
    assert.deepEqual(ids({ limit: 1 }), ['1']);
    assert.deepEqual(ids({ limit: -1 }), []);
  });

  it('is bounded, and pages by the last id', async () => {
    fixture.reopen({ ...AUDIT_LIMITS, queryRows: 3 });
    await append(...Array.from({ length: 7 }, () => event('started')));
    assert.deepEqual(ids({ limit: 100 }), ['1', '2', '3']);
    assert.deepEqual(ids({ after: '6' }), ['7']);
  });

  it('text in a filter is a value and nothing else', async () => {
    await append(event('denied', 'inv-1', READ));
    assert.deepEqual(ids({ principal: "x' OR 1 = 1 --" }), []);
    assert.deepEqual(ids({ after: "0' OR 1" }), ['1']);
  });

  it('shows tampered text as no event, in any query', async () => {
    await append(event('denied', 'inv-1'), event('denied', 'inv-2', READ));
    fixture.tamper(
      "INSERT INTO events SELECT seq + 2, body, mac FROM events; UPDATE events SET body = '{\u001b[2J' WHERE seq = 1; DELETE FROM events WHERE seq > 2",
    );
    fixture.reopen();
    assert.deepEqual(fixture.records.query(), [
      { auditId: '1', event: undefined },
      { auditId: '2', event: event('denied', 'inv-2', READ) },
    ]);
    assert.deepEqual(ids({ principal: 'assistant' }), ['2']);
    assert.equal(fixture.records.stats().events, 2);
    assert.deepEqual(fixture.records.stats().types, [{ value: 'denied', count: 1 }]);
  });

  it('[R78] [R120] counts denials and how well-formed the calls are', async () => {
    await append(
      event('requested', 'inv-1', { ...READ, stage: 'dispatch' }),
      event('executed', 'inv-1', { ...READ, stage: 'outcome' }),
      event('denied', 'inv-2', { ...READ, stage: 'validate', code: 'InvalidParams' }),
      event('denied', 'inv-3', { ...DELETE, stage: 'resolve', code: 'NotFound', count: 2 }),
      event('denied', 'inv-4', { ...DELETE, stage: 'confirm', code: 'PersonDenied' }),
      event('denied', undefined, { principal: 'assistant' }),
    );
    const stats = fixture.records.stats();
    assert.equal(stats.events, 6);
    assert.deepEqual(stats.types, [
      { value: 'denied', count: 4 },
      { value: 'executed', count: 1 },
      { value: 'requested', count: 1 },
    ]);
    assert.deepInclude(stats.stages, { value: 'validate', count: 1 });
    assert.deepInclude(stats.codes, { value: 'NotFound', count: 1 });
    assert.deepEqual(stats.calls, {
      ended: 6,
      refusedAtResolve: 2,
      refusedAtValidate: 1,
      refusedElsewhere: 2,
      wellFormedShare: 0.5,
    });
    assert.deepEqual(stats.byCapability, [
      {
        capability: DELETE.capability,
        ended: 3,
        refusedAtResolve: 2,
        refusedAtValidate: 0,
        refusedElsewhere: 1,
        wellFormedShare: 1 / 3,
      },
      {
        capability: READ.capability,
        ended: 2,
        refusedAtResolve: 0,
        refusedAtValidate: 1,
        refusedElsewhere: 0,
        wellFormedShare: 0.5,
      },
    ]);
    assert.deepEqual(
      stats.byPrincipal.map(({ principal, ended, wellFormedShare }) => [principal, ended, wellFormedShare]),
      [
        ['assistant', 3, 2 / 3],
        ['other', 3, 1 / 3],
      ],
    );
  });

  it('has statistics of nothing, and no more groups than it may', async () => {
    assert.deepEqual(fixture.records.stats().calls, {
      ended: 0,
      refusedAtResolve: 0,
      refusedAtValidate: 0,
      refusedElsewhere: 0,
      wellFormedShare: 1,
    });
    fixture.reopen({ ...AUDIT_LIMITS, statsGroups: 2 });
    const made = 'abcdef'.split('').map((name) => event('denied', `inv-${name}`, { principal: name }));
    await append(...made);
    assert.lengthOf(fixture.records.stats().byPrincipal, 2);
  });
});
