// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream';
import { assert } from 'chai';
import { BrokerError, type Outcome, type RequestOptions } from '../../../../broker/client.ts';
import type { Invocation } from '../../../../broker/front/cli/command.ts';
import { failureOf } from '../../../../broker/front/cli/failure.ts';
import { Screen } from '../../../../broker/front/cli/screen.ts';
import { waitForOutcome } from '../../../../broker/front/cli/wait.ts';
import { Terminal } from './terminal.ts';

function screenOf(json = false, patience = { first: 60_000, between: 60_000 }) {
  const out = new PassThrough();
  const err = new PassThrough();
  const screen = new Screen(json, out, err, patience);
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  return { screen, out: () => read(out), err: () => read(err) };
}

describe('what a command writes', () => {
  it('goes out escaped, whichever way', () => {
    const { screen, out, err } = screenOf();
    screen.line(['a\x1b', { text: 'b\u202e', style: 'red' }]);
    screen.result(undefined, () => ['c\r']);
    screen.note('d\0');
    screen.ask('e\x9b');
    screen.jsonLine({ f: '\u2066' });
    assert.equal(out(), 'a\\u{1b}b\\u{202e}\nc\\u{d}\n{"f":"\\u2066"}\n');
    assert.equal(err(), 'd\\u{0}\ne\\u{9b}');
  });

  it('is one document for a program, and lines for a person', () => {
    const program = screenOf(true);
    program.screen.result({ a: 1 }, () => ['a']);
    assert.equal(program.out(), '{"a":1}\n');
    const person = screenOf();
    person.screen.result({ a: 1 }, () => ['a']);
    assert.equal(person.out(), 'a\n');
  });

  it('says that it goes on when work takes its time, again and again, and stops', async () => {
    const { screen, err } = screenOf(false, { first: 1, between: 1 });
    const work = Promise.withResolvers<number>();
    const done = screen.while('still at it', work.promise);
    let said = '';
    while (said.split('still at it').length < 3) {
      said += err();
      await new Promise(setImmediate);
    }
    work.resolve(7);
    assert.equal(await done, 7);
    assert.match(said, /^still at it \(\d+ s\)\n/);
  });

  it('has colour on a terminal, and none with NO_COLOR', async () => {
    // A build machine says CI, and Node takes that for a terminal without colours.
    const { NO_COLOR: _no, CI: _ci, FORCE_COLOR: _force, ...inherited } = process.env;
    const plain = { ...inherited, TERM: 'xterm-256color' };
    const coloured = new Terminal(['--help'], plain);
    await coloured.ended;
    assert.include(coloured.output, '\x1b[1mexit codes');
    const bare = new Terminal(['--help'], { ...plain, NO_COLOR: '1' });
    await bare.ended;
    assert.notInclude(bare.output, '\x1b');
    assert.include(bare.output, 'exit codes');
  });
});

describe('waiting for an outcome', () => {
  const outcome = (changes: Partial<Outcome>): Outcome => ({
    invocation: 'i',
    status: 'executed',
    stage: 'outcome',
    ...changes,
  });
  const invocation = (screen: Screen, wait = true): Invocation => ({
    operand: '',
    operands: [],
    rest: [],
    options: { on: (name) => name === 'wait' && wait, text: () => undefined, texts: () => [] },
    screen,
    env: {},
  });

  for (const [status, exit] of [
    ['executed', 0],
    ['denied', 1],
    ['expired', 1],
    ['failed', 1],
    ['unknown', 4],
  ] as const) {
    it(`ends with ${exit} for ${status}`, async () => {
      const { screen, out, err } = screenOf(true);
      assert.equal(
        await waitForOutcome(invocation(screen), () => Promise.resolve(outcome({ status }))),
        exit,
      );
      assert.equal(JSON.parse(out()).status, status);
      if (status === 'unknown') assert.include(err(), 'look before you try again');
    });
  }

  for (const code of ['Disconnected', 'Timeout', 'Protocol'] as const) {
    it(`[R137] ends with 4 when the end was not heard: ${code}`, async () => {
      const { screen, err, out } = screenOf(true);
      const ask = () => Promise.reject(new BrokerError(code, 'gone'));
      assert.equal(await waitForOutcome(invocation(screen), ask), 4);
      assert.include(err(), 'look before you try again');
      assert.deepEqual(JSON.parse(out()), { error: { code, message: 'gone' } });
    });
  }

  it('passes on what the broker refuses', async () => {
    const { screen } = screenOf();
    const refusal = new BrokerError('LimitsExceeded', 'too many');
    const end = await waitForOutcome(invocation(screen), () => Promise.reject(refusal)).catch(
      (error: unknown) => error,
    );
    assert.equal(end, refusal);
  });

  it('withdraws when the person takes too long, unless told to wait', async () => {
    const { screen, err } = screenOf();
    const ask = ({ signal }: RequestOptions): Promise<Outcome> =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () =>
          resolve(outcome({ status: 'denied', stage: 'confirm', code: 'Withdrawn' })),
        );
      });
    assert.equal(await waitForOutcome(invocation(screen, false), ask, 1), 5);
    assert.include(err(), 'add `--wait`');
  });

  it('shows how far it is, in the words of the app', async () => {
    const { screen, err } = screenOf();
    const ask = ({ onProgress }: RequestOptions): Promise<Outcome> => {
      onProgress?.(505, 'half\u202e way');
      return Promise.resolve(outcome({}));
    };
    await waitForOutcome(invocation(screen), ask);
    assert.equal(err(), '51 %, says the app: "half\\u{202e} way"\n');
  });
});

describe('what a failure becomes', () => {
  it('is a fault of portalctl where nothing else is known, and says so', () => {
    assert.deepInclude(failureOf(new RangeError('x')), { exit: 70, code: 'Fault', message: 'x' });
    assert.deepInclude(failureOf('x'), { exit: 70, message: 'x' });
  });

  it('keeps the code of a refusal', () => {
    assert.deepInclude(failureOf(new BrokerError('AccessDenied', 'no')), {
      exit: 1,
      code: 'AccessDenied',
      message: 'no',
    });
  });
});
