// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { parseGrantRequest } from '../../../policy/grant.ts';
import { rejection } from '../audit/fixture.ts';
import { codeOf } from '../store/temporary.ts';
import { CAPABILITY, DIGEST, HOUR_MS, LedgerFixture, settled, wish } from './fixture.ts';

describe('broker/grant/ledger', () => {
  let fixture: LedgerFixture;

  beforeEach(() => {
    fixture = new LedgerFixture();
  });
  afterEach(() => fixture.remove());

  describe('counting', () => {
    it('[R107] B30: of 50 intents at once a grant of one answers for exactly one', async () => {
      const id = await fixture.give({ operations: 1 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => fixture.use(fixture.facts(`/tmp/${index}`))),
      );
      assert.lengthOf(answers.filter(Boolean), 1);
      assert.isUndefined(fixture.left(id));
      const [row] = fixture.store.database.prepare('SELECT operations, used FROM grants').all();
      assert.deepEqual({ ...row }, { operations: 1, used: 1 });
      assert.lengthOf(fixture.records.query({ type: 'requested' }), 1);
    });

    it('[R107] counts a hold before anything is awaited, and again once it is given back', async () => {
      const id = await fixture.give({ operations: 2 });
      const first = fixture.ledger.hold(fixture.facts());
      const second = fixture.ledger.hold(fixture.facts());
      assert.isDefined(first);
      assert.isDefined(second);
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.equal(fixture.left(id), 0);
      first?.release();
      first?.release();
      assert.equal(fixture.left(id), 1);
      assert.isDefined(fixture.ledger.hold(fixture.facts()));
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
    });

    it('[R107] a use that is settled is spent, whatever is called afterwards', async () => {
      const id = await fixture.give();
      const hold = fixture.ledger.hold(fixture.facts());
      await fixture.records.append({ type: 'policy', time: 1 }, 'full', () => hold?.commit());
      hold?.settled();
      hold?.settled();
      hold?.release();
      assert.equal(fixture.left(id), 2);
      fixture.reopen();
      assert.equal(fixture.left(id), 2);
    });

    it('[R107] a use whose record failed is given back, in memory and in the store', async () => {
      const id = await fixture.give();
      const hold = fixture.ledger.hold(fixture.facts());
      const failing = fixture.records.append({ type: 'policy', time: 1 }, 'full', () => {
        hold?.commit();
        throw new RangeError('something else in the transaction');
      });
      assert.instanceOf(await failing.catch((error: unknown) => error), RangeError);
      hold?.release();
      assert.equal(fixture.left(id), 3);
      fixture.reopen();
      assert.equal(fixture.left(id), 3);
    });

    it('[R107] what was held when the process died is not spent', async () => {
      const id = await fixture.give();
      assert.isTrue(await fixture.use());
      fixture.ledger.hold(fixture.facts());
      fixture.reopen();
      assert.equal(fixture.left(id), 2);
    });

    it('[R107] takes a session before a counted grant, and of those the one that ends first', async () => {
      const late = await fixture.give({ minutes: 90 });
      const early = await fixture.give({ minutes: 30 });
      const middle = await fixture.give({ minutes: 60 });
      assert.equal(fixture.ledger.hold(fixture.facts())?.grant, early);
      fixture.openSession();
      for (let use = 0; use < 5; use += 1) {
        assert.equal(fixture.ledger.hold(fixture.facts())?.grant, 'session');
      }
      assert.isTrue(await fixture.use());
      assert.deepEqual(
        [late, early, middle].map((id) => fixture.left(id)),
        [3, 2, 3],
      );
    });

    it('[R107] [R109] answers only for what it covers', async () => {
      await fixture.give();
      const others = {
        capability: fixture.facts('/tmp/a', { capability: 'files.org.example.files.copy' }),
        definition: fixture.facts('/tmp/a', { definitionDigest: 'd2' }),
        principal: fixture.facts('/tmp/a', { principal: { id: 'other', name: 'other' } }),
        target: fixture.facts('/etc/passwd'),
        undetermined: fixture.facts('/tmp/a', { targets: 'undetermined' }),
        late: fixture.facts('/tmp/a', { now: fixture.clock + HOUR_MS }),
      };
      for (const [what, facts] of Object.entries(others)) {
        assert.isUndefined(fixture.ledger.hold(facts), what);
      }
      assert.isDefined(fixture.ledger.hold(fixture.facts()));
    });
  });

  it('[R130] says which grant would answer without taking a use', async () => {
    assert.isUndefined(fixture.ledger.answering(fixture.facts()));
    const id = await fixture.give();
    assert.equal(fixture.ledger.answering(fixture.facts()), id);
    assert.equal(fixture.left(id), 3);
    fixture.openSession();
    assert.equal(fixture.ledger.answering(fixture.facts()), 'session');
  });

  describe('giving', () => {
    it('[R107] B30: refuses counts that are none', () => {
      for (const operations of [0, -1, 1.5, 1e20, Number.NaN, '3', null, undefined]) {
        const { operations: _, ...rest } = wish();
        const value = operations === undefined ? rest : { ...rest, operations };
        const read = codeOf(() => parseGrantRequest(value, DEFAULTS.policyLimits, fixture.clock));
        assert.equal(read, 'GrantInvalid', String(operations));
      }
    });

    it('[R107] [R112] lists what was given, as the tools are told, also after a restart', async () => {
      const id = await fixture.give({ params: { '/mode': 'keep*' } });
      const expected = {
        id,
        kind: 'scoped',
        principal: 'agent',
        capability: CAPABILITY,
        target: '/tmp/*',
        params: { '/mode': 'keep*' },
        access: 'write',
        expires_at: fixture.clock + HOUR_MS,
        operations_left: 3,
        reason: 'sorting the downloads',
        granted_by: 'user:1000',
        state: 'live',
      };
      assert.deepEqual([...fixture.ledger.list()], [expected] as never);
      fixture.reopen();
      assert.deepEqual([...fixture.ledger.list()], [expected] as never);
      assert.isUndefined(fixture.ledger.hold(fixture.facts()), 'the parameter is absent');
      assert.isDefined(fixture.ledger.hold(fixture.facts('/tmp/a', { params: { mode: 'keep both' } })));
    });

    it('[R107] a grant without a target is for a capability without one, also after a restart', async () => {
      const { target: _, ...more } = wish();
      const wanted = parseGrantRequest(more, DEFAULTS.policyLimits, fixture.clock);
      await fixture.ledger.add(wanted, DIGEST, 'user:1000');
      fixture.reopen();
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.isDefined(fixture.ledger.hold(fixture.facts('', { targets: 'undetermined' })));
    });

    it('[R107] answers only once it is on record, and not at all where it cannot be recorded', async () => {
      const given = fixture.give();
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.deepEqual(fixture.ledger.list(), []);
      await given;
      fixture.records.close();
      fixture.told = 0;
      assert.equal(await rejection(fixture.give({ capability: 'a.b' })), 'StoreFailed');
      assert.lengthOf(fixture.ledger.list(), 1);
      assert.equal(fixture.told, 0);
    });

    it('[R107] bounds how many one principal has', async () => {
      fixture.openLedger({ perPrincipal: 2, sessions: 5 });
      await Promise.all([fixture.give(), fixture.give()]);
      assert.equal(await rejection(fixture.give()), 'TooMany');
      await fixture.give({ principal: 'other' });
      fixture.openSession();
      assert.lengthOf(fixture.ledger.list(), 4);
    });

    it('records who gave what to whom, and none of the words', async () => {
      const id = await fixture.give();
      const [row] = fixture.records.query({ type: 'policy' });
      assert.deepInclude(row?.event, {
        code: 'GrantAdded',
        grant: id,
        principal: 'agent',
        capability: CAPABILITY,
        decider: 'user:1000',
      });
      const bodies = fixture.store.database.prepare('SELECT body FROM events').all();
      assert.notMatch(JSON.stringify(bodies), /tmp|sorting/);
    });
  });

  describe('narrowing and revoking', () => {
    it('[R108] narrows each axis, at once and over a restart', async () => {
      const id = await fixture.give();
      assert.isTrue(await fixture.use());
      const more = {
        target: '/tmp/a*',
        access: 'read',
        minutes: 30,
        operations: 1,
        params: { '/mode': 'x' },
      };
      const narrowing = fixture.ledger.narrow(id, more, 'user:1000');
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      const view = await narrowing;
      fixture.reopen();
      assert.deepEqual(fixture.ledger.list(), [view]);
      assert.deepInclude(view, {
        target: '/tmp/a*',
        access: 'read',
        expires_at: fixture.clock + HOUR_MS / 2,
        operations_left: 1,
      });
      assert.deepEqual(fixture.codes(), ['GrantAdded', 'GrantNarrowed']);
    });

    it('[R108] leaves what is not given exactly as it is', async () => {
      const id = await fixture.give({ minutes: 7 * 24 * 60 });
      const [before] = fixture.ledger.list();
      fixture.clock += 1;
      await fixture.ledger.narrow(id, {}, 'user:1000');
      assert.deepEqual(fixture.ledger.list(), [before] as never);
      assert.isTrue(await fixture.use());
      assert.equal((await fixture.ledger.narrow(id, { target: '/tmp/a' }, 'user:1000')).operations_left, 2);
    });

    it('[R108] refuses what would widen, with the place', async () => {
      const id = await fixture.give({ access: 'read' });
      assert.isTrue(await fixture.use(fixture.facts('/tmp/a', { access: 'read' })));
      const wider: [unknown, string][] = [
        [{ target: '/**' }, '/target'],
        [{ access: 'write' }, '/access'],
        [{ minutes: 61 }, '/minutes'],
        [{ operations: 3 }, '/operations'],
        [{ operations: 0 }, '/operations'],
        [{ principal: 'other' }, '/principal'],
        [{ reason: 'another' }, '/reason'],
        ['narrower', ''],
        [[], ''],
        [null, ''],
      ];
      for (const [value, at] of wider) {
        const error = await fixture.ledger.narrow(id, value, 'user:1000').catch((each: unknown) => each);
        assert.deepInclude(error, { code: 'GrantInvalid', at }, JSON.stringify(value));
      }
      assert.equal(fixture.left(id), 2);
      assert.deepEqual(fixture.codes(), ['GrantAdded']);
    });

    it('[R108] counts what is held besides what is left', async () => {
      const id = await fixture.give();
      const held = fixture.ledger.hold(fixture.facts());
      assert.equal((await fixture.ledger.narrow(id, { operations: 1 }, 'user:1000')).operations_left, 1);
      await fixture.records.append({ type: 'policy', time: 1 }, 'full', () => held?.commit());
      held?.settled();
      assert.isTrue(await fixture.use());
      assert.isFalse(await fixture.use());
    });

    it('[R108] revokes at once, and nothing that was held runs any more', async () => {
      const id = await fixture.give();
      const held = fixture.ledger.hold(fixture.facts());
      const revoking = fixture.ledger.revoke(id, 'user:1000');
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.deepEqual(fixture.ledger.list(), []);
      const running = fixture.records.append({ type: 'policy', time: 1 }, 'full', () => held?.commit());
      assert.equal(await rejection(running), 'NotFound');
      await revoking;
      assert.equal(fixture.rows(), 0);
      assert.deepEqual(fixture.codes(), ['GrantAdded', 'GrantRevoked']);
      assert.equal(await rejection(fixture.ledger.revoke(id, 'user:1000')), 'NotFound');
      assert.equal(await rejection(fixture.ledger.narrow(id, {}, 'user:1000')), 'NotFound');
    });

    it('[R108] a revocation that cannot be stored holds all the same, and can be tried again', async () => {
      const id = await fixture.give();
      fixture.records.close();
      assert.equal(await rejection(fixture.ledger.revoke(id, 'user:1000')), 'StoreFailed');
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.equal(await rejection(fixture.ledger.revoke(id, 'user:1000')), 'StoreFailed');
    });

    it('[R108] an answer for a session is revoked and not narrowed', async () => {
      const id = fixture.openSession();
      assert.equal(await rejection(fixture.ledger.narrow(id, { minutes: 1 }, 'user:1000')), 'GrantInvalid');
      await fixture.ledger.revoke(id, 'user:1000');
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
    });
  });

  describe('answers for a session', () => {
    it('B29: answer only for that connection, principal, session and literal target', () => {
      fixture.openSession(':1.5', '/tmp/[a]*');
      assert.isDefined(fixture.ledger.hold(fixture.facts('/tmp/[a]*')));
      const others = [
        fixture.facts('/tmp/[a]b'),
        fixture.facts('/tmp/[a]*', { connection: ':1.6' }),
        fixture.facts('/tmp/[a]*', { session: 'another' }),
        fixture.facts('/tmp/[a]*', { principal: { id: 'agent:pid:8:1', name: 'agent' } }),
        fixture.facts('/tmp/[a]*', { capability: 'files.org.example.files.copy' }),
      ];
      for (const facts of others) assert.isUndefined(fixture.ledger.hold(facts));
    });

    it('B29: end with the connection, with their time, and with the process', () => {
      fixture.openSession(':1.5');
      fixture.openSession(':1.6');
      fixture.ledger.endSession(':1.7');
      fixture.ledger.endSession(':1.5');
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.isDefined(fixture.ledger.hold(fixture.facts('/tmp/a', { connection: ':1.6' })));
      const late = fixture.clock + HOUR_MS;
      assert.isUndefined(fixture.ledger.hold(fixture.facts('/tmp/a', { connection: ':1.6', now: late })));
      fixture.reopen();
      assert.deepEqual(fixture.ledger.list(), []);
    });

    it('B29: are bounded, the oldest ending first', () => {
      for (let count = 1; count <= 7; count += 1) fixture.openSession(`:1.${count}`);
      const alive = [1, 2, 3, 4, 5, 6, 7].filter((count) =>
        fixture.ledger.hold(fixture.facts('/tmp/a', { connection: `:1.${count}` })),
      );
      assert.deepEqual(alive, [3, 4, 5, 6, 7]);
    });

    it('[R113] are told to exactly their principal, scoped ones to whoever bears the name', async () => {
      fixture.openSession();
      const id = await fixture.give();
      const kinds = (principal: { id: string; name: string }) =>
        fixture.ledger.of(principal).map(({ kind }) => kind);
      assert.deepEqual(kinds({ id: 'agent:pid:7:99', name: 'agent' }), ['session', 'scoped']);
      assert.deepEqual(kinds({ id: 'agent:pid:8:1', name: 'agent' }), ['scoped']);
      assert.deepEqual(kinds({ id: 'other', name: 'other' }), []);
      assert.isUndefined(fixture.ledger.list()[0]?.operations_left);
      assert.equal(fixture.ledger.list()[1]?.id, id);
    });
  });

  describe('the sweep', () => {
    it('[R111] ends what expired and what is used up, and says which', async () => {
      await fixture.give({ operations: 1, minutes: 60 });
      assert.isTrue(await fixture.use());
      await fixture.give({ minutes: 5 });
      await fixture.give({ minutes: 50 });
      fixture.openSession(':1.5', '/tmp/a', 5);
      fixture.clock += HOUR_MS / 10;
      fixture.told = 0;
      assert.isTrue(fixture.ledger.sweep(fixture.clock));
      assert.lengthOf(fixture.ledger.list(), 1);
      await settled();
      assert.equal(fixture.rows(), 1);
      assert.deepEqual(fixture.codes().slice(3), ['GrantUsedUp', 'GrantExpired']);
      assert.isAbove(fixture.told, 0);
      assert.isFalse(fixture.ledger.sweep(fixture.clock));
    });

    it('[R111] does not take a use that is merely held for spent', async () => {
      await fixture.give({ operations: 1 });
      const held = fixture.ledger.hold(fixture.facts());
      assert.isFalse(fixture.ledger.sweep(fixture.clock));
      held?.release();
      assert.isTrue(await fixture.use());
      assert.isTrue(fixture.ledger.sweep(fixture.clock));
    });

    it('[R111] ends what expired while the process was away', async () => {
      await fixture.give();
      fixture.clock += HOUR_MS;
      fixture.reopen();
      assert.deepEqual(fixture.ledger.list(), []);
      assert.isTrue(fixture.ledger.sweep(fixture.clock));
      await settled();
      assert.equal(fixture.rows(), 0);
    });

    it('[R111] tries again what could not be recorded', async () => {
      await fixture.give();
      fixture.records.close();
      fixture.clock += HOUR_MS;
      assert.isTrue(fixture.ledger.sweep(fixture.clock));
      await settled();
      assert.lengthOf(fixture.faults, 1);
      assert.isUndefined(fixture.ledger.hold(fixture.facts()));
      assert.isTrue(fixture.ledger.sweep(fixture.clock));
      await settled();
      assert.lengthOf(fixture.faults, 2);
    });
  });

  it('refuses a store with a grant that cannot be read', async () => {
    await fixture.give();
    for (const body of ['{', '{"params":{"/a":"{"}}', '{}', 'null']) {
      fixture.store.database.prepare('UPDATE grants SET body = ?').run(body);
      assert.equal(
        codeOf(() => fixture.openLedger()),
        'StoreCorrupt',
        body,
      );
    }
  });
});
