// SPDX-License-Identifier: Apache-2.0
import { setTimeout as wait } from 'node:timers/promises';
import { assert } from 'chai';
import { Desktop, type RecordedEvent } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { tried } from '../support/refusals.ts';

/** What one round asks for: as much as the grant answers, and as much again that the person approves. */
const GRANTED = 3;
const ASKED = 6;
const ENDINGS = ['executed', 'failed', 'unknown', 'denied', 'expired'];
const mark = fix('mark');

/** What was left of a round once the broker was there again and everything had ended. */
export interface Round {
  /** Milliseconds after its first dispatch; undefined where nothing was killed. */
  readonly killedAfter: number | undefined;
  /** How often the app was called. */
  readonly ran: number;
  /** Intent records, and how many of them name the grant. */
  readonly requested: number;
  readonly underGrant: number;
  /** What the grant says is left of it. */
  readonly left: number;
  readonly took: number;
}

/** A desktop whose broker is killed while a grant is used and approvals are given, over and over. */
export class CrashDesk {
  readonly #desktop: Desktop;
  readonly #app: AppPeer;
  readonly #agent: AgentPeer;
  readonly #person: PersonPeer;
  #count = 0;
  #seen = '0';

  static async open(): Promise<CrashDesk> {
    // Used-up grants count until they are swept, each minute, and no broker here lives that long.
    const desktop = await Desktop.start({ config: { grants: { per_principal: 1000 } } });
    // What a broker compiled is kept when it ends in peace, and no other here does.
    await desktop.broker.end();
    await desktop.restart();
    const [app, agent, person] = await Promise.all([desktop.fixture(), desktop.agent(), desktop.person()]);
    await standing(app);
    return new CrashDesk(desktop, app, agent, person);
  }

  private constructor(desktop: Desktop, app: AppPeer, agent: AgentPeer, person: PersonPeer) {
    this.#desktop = desktop;
    this.#app = app;
    this.#agent = agent;
    this.#person = person;
  }

  /** Ends everything. Throws where the record does not verify. */
  async close(): Promise<void> {
    const { ok, problems, unfinished } = this.#desktop.verify();
    await this.#desktop.stop();
    assert.deepEqual({ ok, problems, unfinished }, { ok: true, problems: [], unfinished: [] });
  }

  /**
   * One round: a grant, more intents than it answers, a person who approves whatever waits, and after so many milliseconds
   * no broker. Throws where the app, the record and the grant do not agree afterwards.
   */
  async round(killAfter?: number): Promise<Round> {
    this.#count += 1;
    const folder = `/tmp/crash/${this.#count}`;
    const grant = await this.#grant(`${folder}/*`);
    await this.#person.pending();
    const started = Date.now();
    const told = Promise.allSettled(
      Array.from({ length: ASKED }, (_, index) => this.#agent.dispatch(mark, { path: `${folder}/${index}` })),
    );
    let over = false;
    const approving = this.#approve(() => over);
    if (killAfter === undefined) {
      await told;
    } else {
      await wait(killAfter);
      await this.#desktop.broker.end('SIGKILL');
    }
    const took = Date.now() - started;
    over = true;
    await approving;
    const outcomes = await told;
    if (killAfter !== undefined) await this.#startAgain();
    const events = await this.#settled();
    const left = await this.#leftOf(grant);
    const round = this.#agree(folder, grant, left, events, {
      executed: outcomes.flatMap((one) =>
        one.status === 'fulfilled' && one.value.status === 'executed' ? [one.value.invocation] : [],
      ),
    });
    if (left > 0) await this.#person.operate('grants.revoke', grant);
    return { killedAfter: killAfter, took, left, ...round };
  }

  async #grant(target: string): Promise<string> {
    const { id } = await this.#person.operate<{ id: string }>('grants.add', {
      principal: 'desk',
      capability: mark,
      access: 'write',
      target,
      minutes: 60,
      operations: GRANTED,
      reason: 'a test',
    });
    return id;
  }

  /** Approves whatever waits, until it is told to stop or nobody answers any more. */
  async #approve(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const rows = await this.#person.pending().catch(() => []);
      await Promise.all(
        rows.map(({ id, digest }) => tried(this.#person.operate('approvals.approve', id, digest))),
      );
    }
  }

  async #startAgain(): Promise<void> {
    await this.#desktop.restart();
    await standing(this.#app);
  }

  /** What waited on is approved now; resolves with the records of the round once everything in it has ended. */
  async #settled(): Promise<readonly RecordedEvent[]> {
    for (;;) {
      const rows = await this.#person.pending();
      await Promise.all(
        rows.map(({ id, digest }) => tried(this.#person.operate('approvals.approve', id, digest))),
      );
      const events = this.#desktop.audit({ after: this.#seen });
      const ended = invocationsOf(events, ENDINGS);
      const begun = invocationsOf(events, ['asked', 'requested']);
      if (rows.length === 0 && [...begun].every((invocation) => ended.has(invocation))) {
        this.#seen = events.at(-1)?.auditId ?? this.#seen;
        return events;
      }
    }
  }

  async #leftOf(grant: string): Promise<number> {
    const live =
      await this.#person.operate<readonly { id: string; operations_left?: number }[]>('grants.list');
    return live.find(({ id }) => id === grant)?.operations_left ?? 0;
  }

  #agree(
    folder: string,
    grant: string,
    left: number,
    events: readonly RecordedEvent[],
    { executed }: { executed: readonly string[] },
  ): Pick<Round, 'ran' | 'requested' | 'underGrant'> {
    const ran = this.#app.invoked.filter(({ params }) => String(params.path).startsWith(`${folder}/`));
    const invocations = ran.map(({ context }) => String(context.invocation));
    const paths = ran.map(({ params }) => params.path);
    assert.equal(new Set(invocations).size, ran.length, 'an invocation ran twice');
    assert.equal(new Set(paths).size, ran.length, 'what was asked for once ran twice');
    const intents = events.filter(({ type }) => type === 'requested');
    const requested = invocationsOf(intents, ['requested']);
    assert.equal(requested.size, intents.length, 'an intent was recorded twice');
    assert.isTrue(
      invocations.every((invocation) => requested.has(invocation)),
      'something ran that is not on record',
    );
    const done = invocationsOf(events, ['executed']);
    assert.isTrue(
      [...executed, ...done].every((invocation) => done.has(invocation) && invocations.includes(invocation)),
      'something is called executed that did not run, or is not on record as such',
    );
    for (const invocation of requested) {
      const endings = events.filter((one) => one.invocation === invocation && ENDINGS.includes(one.type));
      assert.lengthOf(endings, 1, 'what began has one end');
    }
    const underGrant = intents.filter((one) => one.grant === grant).length;
    assert.equal(underGrant, GRANTED - left, 'the count of the grant is the number of its uses');
    const approved = intents
      .filter((one) => one.grant === undefined)
      .map(({ invocation }) => String(invocation));
    const decided = invocationsOf(events, ['decided']);
    assert.isTrue(
      approved.every((invocation) => decided.has(invocation)),
      'something ran that nobody approved',
    );
    return { ran: ran.length, requested: intents.length, underGrant };
  }
}

function invocationsOf(events: readonly RecordedEvent[], types: readonly string[]): ReadonlySet<string> {
  return new Set(
    events.filter(({ type }) => types.includes(type)).map(({ invocation }) => String(invocation)),
  );
}

/** Resolves when the app stands in the registry once more. */
async function standing(app: AppPeer): Promise<void> {
  await app.process.tellings.next<{ tier?: number }>('standing', ({ tier }) => tier === 1);
}
