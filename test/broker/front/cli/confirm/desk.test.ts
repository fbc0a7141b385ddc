// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Desk } from '../../../../../broker/front/cli/confirm/desk.ts';
import type { Typed } from '../../../../../broker/front/cli/confirm/keyboard.ts';
import { question, row } from './question.ts';

/** A desk with a clock that the test moves and a keyboard that it types on. */
class Bench {
  readonly lines: string[] = [];
  readonly desk: Desk;
  left = 0;
  /** What the person makes of the parameters, or what was wrong with it. */
  changed: string | Error | undefined;
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];
  #reader: ((typed: Typed) => void) | undefined;

  constructor() {
    this.desk = new Desk({
      note: (line) => this.lines.push(typeof line === 'string' ? line : '(styled)'),
      ask: (text) => this.lines.push(text),
      read: (signal) => this.#read(signal),
      columns: () => 100,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      change: (params, signal) => this.#change(params, signal),
      onLeave: () => {
        this.left += 1;
      },
      limits: { line: 100, lines: 10 },
    });
  }

  /** Whether a prompt is open. */
  get asks(): boolean {
    return this.#reader !== undefined;
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    const due = this.#sleepers.filter(({ at }) => at <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
    for (const { wake } of due) wake();
    await new Promise(setImmediate);
  }

  async type(text: string): Promise<void> {
    await this.press({ kind: 'line', text });
  }

  async press(typed: Typed): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) throw new Error('nobody reads');
    reader(typed);
    await new Promise(setImmediate);
  }

  #change(_params: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      if (typeof this.changed === 'string') resolve(this.changed);
      else if (this.changed !== undefined) reject(this.changed);
      else signal.addEventListener('abort', () => reject(signal.reason));
    });
  }

  #read(signal: AbortSignal): Promise<Typed> {
    return new Promise((resolve, reject) => {
      this.#reader = resolve;
      signal.addEventListener('abort', () => {
        this.#reader = undefined;
        reject(signal.reason);
      });
    });
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.#sleepers.push({ at: this.#now + ms, wake: resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }
}

const never = new AbortController().signal;
const armed = async (bench: Bench): Promise<void> => {
  await bench.pass(0);
  await bench.pass(500);
};

describe('[R81] [R91] the desk where a person decides', () => {
  it('reads nothing before the question is armed', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question(), never);
    await bench.pass(0);
    assert.include(bench.lines, '  risk: high');
    await bench.pass(499);
    assert.isFalse(bench.asks);
    await bench.pass(1);
    assert.isTrue(bench.asks);
    await bench.type('allow');
    assert.deepEqual([...(await verdicts)], [['d1', { decision: 'once' }]]);
    assert.equal(bench.lines.at(-1), 'Allowed, once.');
  });

  it('names nobody as decider: who decides is for bus and broker to say', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question(), never);
    await armed(bench);
    await bench.type('note by the administrator');
    assert.deepEqual([...(await verdicts).values()], [{ decision: 'deny', note: 'by the administrator' }]);
  });

  it('denies at Enter, and goes on', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question(), never);
    await armed(bench);
    await bench.type('');
    assert.deepEqual((await verdicts).get('d1'), { decision: 'deny' });
    assert.equal(bench.left, 0);
  });

  for (const kind of ['interrupt', 'end'] as const) {
    it(`denies at ${kind}, denies all that waits, and leaves`, async () => {
      const bench = new Bench();
      const first = bench.desk.ask(question(), never);
      const second = bench.desk.ask(question({ id: 'q2', rows: [row({ digest: 'd2' })] }), never);
      await armed(bench);
      await bench.press({ kind });
      assert.deepEqual((await first).get('d1'), { decision: 'deny' });
      assert.deepEqual((await second).get('d2'), { decision: 'deny' });
      assert.equal(bench.left, 1);
      bench.desk.leave();
      assert.equal(bench.left, 1);
    });
  }

  it('denies at the deadline, and says so', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question(), never);
    await armed(bench);
    await bench.pass(60_000);
    assert.deepEqual((await verdicts).get('d1'), { decision: 'deny' });
    assert.equal(bench.lines.at(-1), 'Time is up: denied.');
    assert.isFalse(bench.asks);
  });

  it('denies at the deadline before it is armed', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question({ armingMs: 5000, deadlineMs: 1000 }), never);
    await bench.pass(0);
    await bench.pass(1000);
    assert.deepEqual((await verdicts).get('d1'), { decision: 'deny' });
  });

  it('counts the time in the queue', async () => {
    const bench = new Bench();
    const first = bench.desk.ask(question({ deadlineMs: 100_000 }), never);
    const second = bench.desk.ask(question({ id: 'q2', rows: [row({ digest: 'd2' })] }), never);
    await armed(bench);
    await bench.pass(60_000);
    await bench.type('allow');
    assert.deepEqual((await first).get('d1'), { decision: 'once' });
    assert.deepEqual((await second).get('d2'), { decision: 'deny' });
  });

  it('[R90] takes a withdrawn question off, and says so', async () => {
    const bench = new Bench();
    const withdrawal = new AbortController();
    const verdicts = bench.desk.ask(question(), withdrawal.signal);
    await armed(bench);
    withdrawal.abort(new DOMException('withdrawn', 'AbortError'));
    assert.deepEqual((await verdicts).get('d1'), { decision: 'deny' });
    assert.include(bench.lines.at(-1), 'withdrawn');
    assert.isFalse(bench.asks);
  });

  it('[R83] a question that takes the place of a withdrawn one is answered no sooner than after three seconds', async () => {
    const bench = new Bench();
    const withdrawal = new AbortController();
    const first = bench.desk.ask(question(), withdrawal.signal);
    await armed(bench);
    const second = bench.desk.ask(question({ id: 'q2', rows: [row({ digest: 'd2' })] }), never);
    withdrawal.abort(new DOMException('withdrawn', 'AbortError'));
    await first;
    await bench.pass(2999);
    assert.isFalse(bench.asks);
    await bench.pass(1);
    assert.isTrue(bench.asks);
    await bench.type('allow');
    assert.deepEqual((await second).get('d2'), { decision: 'once' });
  });

  it('asks one question at a time, in order', async () => {
    const bench = new Bench();
    const first = bench.desk.ask(question(), never);
    const second = bench.desk.ask(
      question({ id: 'q2', rows: [row({ digest: 'd2', risk: 'critical' })] }),
      never,
    );
    await armed(bench);
    assert.notInclude(bench.lines, '  risk: critical');
    await bench.type('allow');
    assert.deepEqual((await first).get('d1'), { decision: 'once' });
    await armed(bench);
    assert.include(bench.lines, '  risk: critical');
    await bench.type('n');
    assert.deepEqual((await second).get('d2'), { decision: 'deny' });
  });

  it('[R152] decides each row by itself, and arms each', async () => {
    const bench = new Bench();
    const rows = [row(), row({ digest: 'd2' }), row({ digest: 'd3' })];
    const verdicts = bench.desk.ask(question({ rows }), never);
    await armed(bench);
    await bench.type('allow');
    assert.isFalse(bench.asks);
    await armed(bench);
    await bench.type('');
    await armed(bench);
    await bench.type('allow');
    assert.deepEqual(
      [...(await verdicts)].map(([digest, { decision }]) => [digest, decision]),
      [
        ['d1', 'once'],
        ['d2', 'deny'],
        ['d3', 'once'],
      ],
    );
  });

  const EVERY = ['once', 'session', 'modified', 'later', 'deny', 'deny_session'];

  for (const [typed, verdict, said] of [
    ['allow session', { decision: 'session' }, 'Allowed, and the same for a while.'],
    ['allow session 5', { decision: 'session', minutes: 5 }, 'Allowed, and the same for a while.'],
    ['later', { decision: 'later' }, 'Not decided: it waits.'],
    ['deny session', { decision: 'deny_session' }, 'Denied, and the same until the connection ends.'],
  ] as const) {
    it(`[R86] answers \`${typed}\` where that is offered`, async () => {
      const bench = new Bench();
      const verdicts = bench.desk.ask(question({ rows: [row({ choices: EVERY })] }), never);
      await armed(bench);
      await bench.type(typed);
      assert.deepEqual((await verdicts).get('d1'), verdict);
      assert.equal(bench.lines.at(-1), said);
    });
  }

  it('[R87] shows what was changed in full before it can be allowed, as changed', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question({ rows: [row({ choices: EVERY })] }), never);
    await armed(bench);
    bench.changed = JSON.stringify({ name: `x${'y'.repeat(200)}z` });
    await bench.type('change');
    assert.isTrue(bench.asks);
    assert.include(bench.lines, '  parameters, as you changed them:');
    assert.include(bench.lines.join(''), 'yz"');
    await bench.type('allow');
    assert.deepEqual((await verdicts).get('d1'), { decision: 'modified', params: bench.changed });
  });

  it('[R87] says what was wrong with a change, and goes on with what was asked', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question({ rows: [row({ choices: EVERY })] }), never);
    await armed(bench);
    bench.changed = new Error('the parameters are not a JSON object');
    await bench.type('change');
    assert.include(bench.lines, 'Not changed: the parameters are not a JSON object.');
    await bench.type('allow');
    assert.deepEqual((await verdicts).get('d1'), { decision: 'once' });
  });

  it('denies at the deadline while something is being changed', async () => {
    const bench = new Bench();
    const verdicts = bench.desk.ask(question({ rows: [row({ choices: EVERY })] }), never);
    await armed(bench);
    await bench.type('change');
    await bench.pass(60_000);
    assert.deepEqual((await verdicts).get('d1'), { decision: 'deny' });
    assert.equal(bench.lines.at(-1), 'Time is up: denied.');
  });

  it('[R152] does not take the word that allowed one row for the one that destroys', async () => {
    const bench = new Bench();
    const rows = [row(), row({ digest: 'd2', ownTick: true }), row({ digest: 'd3', ownTick: true })];
    const verdicts = bench.desk.ask(question({ rows }), never);
    await armed(bench);
    await bench.type('allow');
    await armed(bench);
    await bench.type('allow');
    assert.isTrue(bench.asks);
    assert.include(
      bench.lines,
      'Not yet: what this does may be lost for good. It takes `allow destructive`.',
    );
    await bench.type('');
    await armed(bench);
    await bench.type('allow destructive');
    assert.deepEqual(
      [...(await verdicts).values()].map(({ decision }) => decision),
      ['once', 'deny', 'once'],
    );
  });

  it('allows what was cut only after it was shown in full', async () => {
    const bench = new Bench();
    const long = 'x'.repeat(300);
    const verdicts = bench.desk.ask(question({ rows: [row({ reason: long })] }), never);
    await armed(bench);
    await bench.type('allow');
    assert.isTrue(bench.asks);
    assert.isFalse(bench.lines.join('').includes(long.slice(0, 80)));
    await bench.type('v');
    assert.isTrue(bench.lines.join('').includes(long.slice(0, 80)));
    await bench.type('allow');
    assert.deepEqual((await verdicts).get('d1'), { decision: 'once' });
  });

  it('holds the lines of others while a question is on the screen', async () => {
    const bench = new Bench();
    bench.desk.say('before');
    const verdicts = bench.desk.ask(question(), never);
    await armed(bench);
    bench.desk.say('meanwhile');
    assert.include(bench.lines, 'before');
    assert.notInclude(bench.lines, 'meanwhile');
    await bench.type('');
    await verdicts;
    await bench.pass(0);
    assert.equal(bench.lines.at(-1), 'meanwhile');
  });

  it('gives no answer when it fails itself: nothing is allowed then', async () => {
    const desk = new Desk({
      note: () => {
        throw new Error('the terminal is gone');
      },
      ask: () => undefined,
      read: () => Promise.resolve({ kind: 'line', text: 'allow' }),
      columns: () => 100,
      sleep: () => Promise.resolve(),
      change: undefined,
      onLeave: () => undefined,
      limits: { line: 100, lines: 10 },
    });
    const end = await desk.ask(question(), never).catch((error: unknown) => error);
    assert.instanceOf(end, Error);
  });
});
