// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { assert } from 'chai';
import { Decisions } from '../../../broker/approval/decisions.ts';
import { DEFAULTS } from '../../../broker/config.ts';
import { CapabilityRequests, type RequestLimits } from '../../../broker/grant/capability-requests.ts';
import { rejection } from '../audit/fixture.ts';
import { codeOf } from '../store/temporary.ts';
import { CAPABILITY, DIGEST, HOUR_MS, LedgerFixture, settled, wish } from './fixture.ts';

const AGENT = { id: 'agent:pid:7:99', name: 'agent' };
const OTHER = { id: 'other', name: 'other' };
const DAY_MS = 24 * HOUR_MS;
const DECIDERS = { denying: 'user:1000', granting: async () => 'user:1001' };
const DEFINITION = { digest: DIGEST, targets: [{ parameter: '/path', kind: 'path' as const }] };
const definitionOf = () => DEFINITION;

const asking = (more: Readonly<Record<string, unknown>> = {}) => {
  const { principal: _, ...rest } = wish(more);
  return rest;
};

describe('broker/grant/capability-requests', () => {
  let fixture: LedgerFixture;
  let requests: CapabilityRequests;
  let told: number;

  const open = (limits: RequestLimits = DEFAULTS.requests): void => {
    requests = new CapabilityRequests({
      store: fixture.store,
      records: fixture.records,
      ledger: fixture.ledger,
      decisions: new Decisions(fixture.store),
      now: () => fixture.clock,
      newId: randomUUID,
      limits,
      policyLimits: DEFAULTS.policyLimits,
      fault: (error) => fixture.faults.push(error),
    });
    requests.onChange(() => {
      told += 1;
    });
  };
  const restart = (): void => {
    fixture.reopen();
    open();
  };
  const states = () => requests.of(AGENT).map(({ state }) => state);

  beforeEach(() => {
    fixture = new LedgerFixture();
    told = 0;
    open();
  });
  afterEach(() => fixture.remove());

  describe('asking again and again', () => {
    it('[R106] is remembered twenty times at most, and so often on the disk too', async () => {
      for (let n = 0; n < 25; n += 1) {
        const id = await requests.open(AGENT, asking({ reason: `number ${n}` }));
        await requests.withdraw(AGENT, id);
      }
      assert.lengthOf(requests.of(AGENT), 20);
      restart();
      assert.lengthOf(requests.of(AGENT), 20);
      assert.deepEqual(fixture.faults, []);
    });

    it('[R106] is enough after thirty in an hour, for that one alone', async () => {
      const ask = async (who: typeof AGENT, reason: string) => {
        const id = await requests.open(who, asking({ reason }));
        await requests.withdraw(who, id);
      };
      for (let n = 0; n < 30; n += 1) await ask(AGENT, `number ${n}`);
      assert.equal(await rejection(ask(AGENT, 'one more')), 'TooMany');
      await ask(OTHER, 'mine');
      fixture.clock += HOUR_MS;
      await ask(AGENT, 'an hour later');
    });

    it('[R104] is refused where it is longer than anybody reads', async () => {
      const evidence = Array.from({ length: 20 }, () => '\u20ac'.repeat(2000));
      assert.equal(await rejection(requests.open(AGENT, asking({ evidence }))), 'RequestInvalid');
    });
  });

  describe('asking', () => {
    it('[R104] [R112] is listed with all of its words, also after a restart', async () => {
      const words = asking({
        evidence: ['the folder has 200 files'],
        risk: 'a file could be lost',
        mitigation: 'nothing is overwritten',
        fallback: 'sorting by hand',
        alternatives: ['asking for each'],
        intention: 'tidy',
        params: { '/mode': 'keep*' },
      });
      const id = await requests.open(AGENT, words);
      const expected = {
        ...words,
        id,
        principal: 'agent',
        since: fixture.clock,
        expires_at: fixture.clock + 7 * DAY_MS,
        state: 'open',
        earlier: [],
      };
      assert.deepEqual([...requests.list()], [expected] as never);
      restart();
      assert.deepEqual([...requests.list()], [expected] as never);
      assert.deepEqual([...requests.of(AGENT)], [{ id, capability: CAPABILITY, state: 'open' }] as never);
    });

    it('[R104] whatever the words are, they do not say who asks or what became of it', async () => {
      for (const field of ['principal', 'state', 'id', 'since', 'earlier', 'decider']) {
        assert.equal(await rejection(requests.open(AGENT, { ...asking(), [field]: 'x' })), 'RequestInvalid');
      }
    });

    it('[R106] five of one principal are open, whichever of its processes asks', async () => {
      const targets = ['/a', '/b', '/c', '/d', '/e', '/f'];
      const results = await Promise.all(
        targets.map((target, index) =>
          requests
            .open({ id: `agent:pid:${index}:1`, name: 'agent' }, asking({ target }))
            .catch((error: unknown) => error),
        ),
      );
      assert.deepInclude(results[5], { code: 'TooMany' });
      assert.lengthOf(requests.list(), 5);
      await requests.open(OTHER, asking());
      await requests.withdraw(AGENT, String(results[0]));
      await requests.open(AGENT, asking({ target: '/f' }));
      assert.lengthOf(requests.list(), 6);
    });

    it('[R106] the same words are the same request, also at once and however they are spelt', async () => {
      const words = asking();
      const [first, second] = await Promise.all([requests.open(AGENT, words), requests.open(AGENT, words)]);
      const turned = Object.fromEntries(Object.entries(words).toReversed());
      assert.equal(first, second);
      assert.equal(await requests.open(AGENT, turned), first);
      assert.notEqual(await requests.open(OTHER, words), first);
      assert.lengthOf(fixture.codes(), 2);
      await requests.withdraw(AGENT, first);
      assert.notEqual(await requests.open(AGENT, words), first);
    });

    it('[R106] those of one intention stand together, oldest first', async () => {
      const ask = async (who: typeof AGENT, target: string, intention?: string) => {
        fixture.clock += 1;
        await requests.open(who, asking({ target, ...(intention === undefined ? {} : { intention }) }));
      };
      await ask(AGENT, '/1', 'tidy');
      await ask(AGENT, '/2');
      await ask(OTHER, '/3', 'tidy');
      await ask(AGENT, '/4', 'tidy');
      await ask(AGENT, '/5');
      assert.deepEqual(
        requests.list().map(({ target }) => target),
        ['/1', '/4', '/2', '/3', '/5'],
      );
    });

    it('[R104] nobody in particular cannot be granted anything, and so does not ask', async () => {
      const nobody = { id: 'unmatched:1000', name: 'unmatched:1000' };
      assert.equal(await rejection(requests.open(nobody, asking())), 'GrantInvalid');
    });

    it('[R104] is not there where it could not be recorded', async () => {
      fixture.records.close();
      const both = [requests.open(AGENT, asking()), requests.open(AGENT, asking())];
      assert.deepEqual(await Promise.all(both.map(rejection)), ['StoreFailed', 'StoreFailed']);
      assert.deepEqual([requests.list(), requests.of(AGENT), told], [[], [], 0] as never);
    });

    it('is withdrawn by its own asker alone, once', async () => {
      const id = await requests.open(AGENT, asking());
      assert.equal(await rejection(requests.withdraw(OTHER, id)), 'NotFound');
      assert.equal(await rejection(requests.withdraw(AGENT, 'another')), 'NotFound');
      await requests.withdraw({ id: 'agent:pid:8:1', name: 'agent' }, id);
      assert.deepEqual(states(), ['withdrawn']);
      assert.equal(await rejection(requests.withdraw(AGENT, id)), 'NotFound');
      assert.equal(told, 2);
    });

    it('records that and by whom, and none of the words', async () => {
      const id = await requests.open(AGENT, asking());
      const [row] = fixture.records.query({ type: 'policy' });
      assert.deepInclude(row?.event, {
        code: 'RequestOpened',
        invocation: id,
        principal: AGENT.id,
        capability: CAPABILITY,
      });
      const bodies = fixture.store.database.prepare('SELECT body FROM events').all();
      assert.notMatch(JSON.stringify(bodies), /tmp|sorting/);
    });
  });

  describe('deciding', () => {
    it('[R104] [R108] grants all of it: the grant answers, and both outlive a restart', async () => {
      const id = await requests.open(AGENT, asking());
      const grant = await requests.decide(id, { decision: 'grant' }, DECIDERS, definitionOf);
      assert.deepInclude(grant, {
        principal: 'agent',
        target: '/tmp/*',
        operations_left: 3,
        expires_at: fixture.clock + HOUR_MS,
        granted_by: 'user:1001',
      });
      assert.deepEqual([requests.list(), states()], [[], ['granted']] as never);
      restart();
      assert.deepEqual(states(), ['granted']);
      assert.deepEqual(fixture.ledger.list(), [grant] as never);
      assert.isTrue(await fixture.use());
    });

    it('[R108] the time of a grant counts from when it is given', async () => {
      const id = await requests.open(AGENT, asking());
      fixture.clock += DAY_MS;
      const grant = await requests.decide(id, { decision: 'grant' }, DECIDERS, definitionOf);
      assert.equal(grant?.expires_at, fixture.clock + HOUR_MS);
    });

    it('[R108] grants less than was asked for, and never more', async () => {
      const id = await requests.open(AGENT, asking());
      const refused: [unknown, string, string][] = [
        [{ decision: 'grant', grant: { operations: 4 } }, 'GrantInvalid', '/grant/operations'],
        [{ decision: 'grant', grant: { target: '/**' } }, 'GrantInvalid', '/grant/target'],
        [{ decision: 'grant', grant: { reason: 'mine' } }, 'GrantInvalid', '/grant/reason'],
        [{ decision: 'grant', grant: [] }, 'GrantInvalid', '/grant'],
        [{ decision: 'grant', note: 'x' }, 'RequestInvalid', '/note'],
        [{ decision: 'deny', grant: {} }, 'RequestInvalid', '/grant'],
        [{ decision: 'deny', note: 5 }, 'RequestInvalid', '/note'],
        [{ decision: 'deny', note: 'x'.repeat(501) }, 'RequestInvalid', '/note'],
        [{ decision: 'later' }, 'RequestInvalid', '/decision'],
        [null, 'RequestInvalid', ''],
        [[], 'RequestInvalid', ''],
      ];
      for (const [value, code, at] of refused) {
        const error = await requests.decide(id, value, DECIDERS, definitionOf).catch((each: unknown) => each);
        assert.deepInclude(error, { code, at }, JSON.stringify(value));
      }
      assert.deepEqual(states(), ['open']);
      const less = { decision: 'grant', grant: { operations: 1, target: '/tmp/a' } };
      const grant = await requests.decide(id, less, DECIDERS, definitionOf);
      assert.deepInclude(grant, { operations_left: 1, target: '/tmp/a' });
    });

    it('[R105] denies with a note for the asker; earlier decisions are shown with the next request', async () => {
      const first = await requests.open(AGENT, asking());
      const denial = { decision: 'deny', note: 'not that folder' };
      assert.isUndefined(await requests.decide(first, denial, DECIDERS, definitionOf));
      restart();
      assert.deepEqual([...requests.of(AGENT)], [
        { id: first, capability: CAPABILITY, state: 'denied', note: 'not that folder' },
      ] as never);
      const second = await requests.open(AGENT, asking());
      const time = fixture.clock;
      assert.deepEqual(requests.list()[0]?.earlier, [{ decision: 'deny', time }]);
      await requests.decide(second, { decision: 'grant' }, DECIDERS, definitionOf);
      await requests.open(AGENT, asking());
      assert.deepEqual(
        requests.list()[0]?.earlier.map(({ decision }) => decision),
        ['grant', 'deny'],
      );
    });

    it('[R108] the first decision wins, exactly once', async () => {
      const id = await requests.open(AGENT, asking());
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          rejection(
            requests.decide(id, { decision: index % 2 === 0 ? 'grant' : 'deny' }, DECIDERS, definitionOf),
          ),
        ),
      );
      assert.lengthOf(
        results.filter((result) => result === 'resolved'),
        1,
      );
      assert.lengthOf(
        results.filter((result) => result === 'Stale'),
        19,
      );
      assert.isAtMost(fixture.ledger.list().length, 1);
      assert.lengthOf(fixture.codes(), 2);
      assert.equal(await rejection(requests.withdraw(AGENT, id)), 'NotFound');
    });

    it('[R108] is stale once the asker withdrew it while the person authenticated', async () => {
      const id = await requests.open(AGENT, asking());
      const deciders = {
        denying: 'user:1000',
        granting: async () => {
          await requests.withdraw(AGENT, id);
          return 'user:1001';
        },
      };
      const deciding = requests.decide(id, { decision: 'grant' }, deciders, definitionOf);
      assert.equal(await rejection(deciding), 'Stale');
      assert.deepEqual(fixture.ledger.list(), []);
      assert.equal(fixture.rows(), 0);
    });

    it('[R108] nobody is asked to authenticate for what cannot be granted', async () => {
      const id = await requests.open(AGENT, asking());
      const deciders = { denying: 'user:1000', granting: () => Promise.reject(new RangeError('asked')) };
      const wider = { decision: 'grant', grant: { operations: 9 } };
      assert.equal(await rejection(requests.decide(id, wider, deciders, definitionOf)), 'GrantInvalid');
      const without = () => ({ digest: DIGEST, targets: [] });
      const grant = { decision: 'grant' };
      assert.equal(await rejection(requests.decide(id, grant, deciders, without)), 'GrantInvalid');
      assert.equal(await rejection(requests.decide('another', grant, deciders, without)), 'NotFound');
      const gone = () => {
        throw new TypeError('there is no such capability now');
      };
      assert.instanceOf(
        await requests.decide(id, grant, deciders, gone).catch((error: unknown) => error),
        TypeError,
      );
    });

    it('[R104] neither is decided nor grants where that cannot be recorded', async () => {
      const id = await requests.open(AGENT, asking());
      fixture.records.close();
      for (const decision of ['grant', 'deny']) {
        assert.equal(
          await rejection(requests.decide(id, { decision }, DECIDERS, definitionOf)),
          'StoreFailed',
        );
      }
      assert.deepEqual(states(), ['open']);
      assert.deepEqual(fixture.ledger.list(), []);
      assert.deepEqual(new Decisions(fixture.store).earlier('agent', CAPABILITY, 5), []);
    });

    it('[R108] one that could not be recorded takes no room from the next', async () => {
      fixture.openLedger({ perPrincipal: 1, sessions: 5 });
      open();
      const id = await requests.open(AGENT, asking());
      fixture.records.close();
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const deciding = requests.decide(id, { decision: 'grant' }, DECIDERS, definitionOf);
        assert.equal(await rejection(deciding), 'StoreFailed');
      }
    });

    it('[R108] a grant for which there is no room leaves the request open', async () => {
      fixture.openLedger({ perPrincipal: 1, sessions: 5 });
      open();
      await fixture.give();
      const id = await requests.open(AGENT, asking());
      const deciding = requests.decide(id, { decision: 'grant' }, DECIDERS, definitionOf);
      assert.equal(await rejection(deciding), 'TooMany');
      assert.deepEqual(states(), ['open']);
    });

    it('records the request, the grant and who decided as one', async () => {
      const id = await requests.open(AGENT, asking());
      const grant = await requests.decide(id, { decision: 'grant' }, DECIDERS, definitionOf);
      const other = await requests.open(AGENT, asking());
      await requests.decide(other, { decision: 'deny' }, DECIDERS, definitionOf);
      const events = fixture.records.query({ type: 'policy' }).map(({ event }) => event);
      assert.deepInclude(events[1], {
        code: 'RequestGranted',
        invocation: id,
        grant: String(grant?.id),
        decider: 'user:1001',
      });
      assert.deepInclude(events[3], { code: 'RequestDenied', invocation: other, decider: 'user:1000' });
    });
  });

  describe('the sweep', () => {
    it('[R111] ends what was open for seven days, and forgets an end after a day', async () => {
      const id = await requests.open(AGENT, asking());
      fixture.clock += 7 * DAY_MS - 1;
      assert.isFalse(requests.sweep(fixture.clock));
      fixture.clock += 1;
      assert.deepEqual(requests.list(), []);
      const late = requests.decide(id, { decision: 'grant' }, DECIDERS, definitionOf);
      assert.equal(await rejection(late), 'Stale');
      assert.isTrue(requests.sweep(fixture.clock));
      await settled();
      assert.deepEqual(states(), ['expired']);
      assert.deepEqual(fixture.codes(), ['RequestOpened', 'RequestExpired']);
      fixture.clock += DAY_MS;
      restart();
      assert.isTrue(requests.sweep(fixture.clock));
      assert.isFalse(requests.sweep(fixture.clock));
      assert.deepEqual(requests.of(AGENT), []);
      restart();
      assert.deepEqual(requests.of(AGENT), []);
    });

    it('[R111] tries again what could not be recorded', async () => {
      await requests.open(AGENT, asking());
      fixture.records.close();
      fixture.clock += 7 * DAY_MS;
      assert.isTrue(requests.sweep(fixture.clock));
      assert.isFalse(requests.sweep(fixture.clock), 'while that is under way');
      await settled();
      assert.isTrue(requests.sweep(fixture.clock));
      await settled();
      assert.lengthOf(fixture.faults, 2);
    });
  });

  it('refuses a store with a request that cannot be read', async () => {
    await requests.open(AGENT, asking());
    for (const change of ["body = '{'", "body = '{}'", "state = 'half'"]) {
      fixture.store.transaction('normal', () => {
        fixture.store.database.exec(`UPDATE capability_requests SET ${change}`);
      });
      assert.equal(codeOf(open), 'StoreCorrupt', change);
    }
  });
});
