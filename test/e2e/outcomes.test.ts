// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Outcome } from '../../broker/client.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, type Json, signed } from '../support/fixture-app.ts';
import type { Behaviour } from '../support/peers/app.ts';
import type { AgentPeer, AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';

interface Ending {
  readonly what: string;
  readonly behaviour: Behaviour;
  /** Of a write; a read is `failed` wherever a write is `unknown`. */
  readonly status: 'executed' | 'failed' | 'unknown';
  readonly stage: string;
  readonly code?: string;
  readonly message?: RegExp;
  readonly recoverable?: boolean;
}

const ENDINGS: readonly Ending[] = [
  {
    what: '[R49] success with data',
    behaviour: { result: { success: true, data: { echo: {} } } },
    status: 'executed',
    stage: 'outcome',
  },
  {
    what: '[R49] success: false',
    behaviour: { result: { success: false } },
    status: 'failed',
    stage: 'dispatch',
    code: 'ExecutionFailed',
  },
  {
    what: '[R50] NotFound',
    behaviour: { failure: { code: 'NotFound', message: 'no such row' } },
    status: 'failed',
    stage: 'dispatch',
    code: 'NotFound',
    message: /^the app says: no such row$/,
  },
  {
    what: '[R50] InvalidParams',
    behaviour: { failure: { code: 'InvalidParams', message: 'both are set' } },
    status: 'failed',
    stage: 'dispatch',
    code: 'InvalidParams',
    message: /both are set/,
  },
  {
    what: '[R50] ExecutionFailed, recoverable',
    behaviour: { failure: { code: 'ExecutionFailed', reason: 'busy', recoverable: true } },
    status: 'failed',
    stage: 'dispatch',
    code: 'ExecutionFailed',
    message: /busy/,
    recoverable: true,
  },
  {
    what: '[R50] ExecutionFailed, not recoverable',
    behaviour: { failure: { code: 'ExecutionFailed', reason: 'broken', recoverable: false } },
    status: 'failed',
    stage: 'dispatch',
    code: 'ExecutionFailed',
    recoverable: false,
  },
  {
    what: '[R50] PermissionDenied',
    behaviour: { failure: { code: 'PermissionDenied', reason: 'read-only' } },
    status: 'failed',
    stage: 'dispatch',
    code: 'PermissionDenied',
    message: /read-only/,
  },
  {
    what: '[R50] Timeout',
    behaviour: { failure: { code: 'Timeout', capabilityId: 'x', elapsedMs: 7 } },
    status: 'unknown',
    stage: 'dispatch',
    code: 'Timeout',
    message: /7 ms/,
  },
  {
    what: '[R50] AppUnresponsive',
    behaviour: { failure: { code: 'AppUnresponsive', appId: 'x.y' } },
    status: 'unknown',
    stage: 'dispatch',
    code: 'AppUnresponsive',
  },
  {
    what: '[R71] an error that says nothing',
    behaviour: { crash: 'secret words' },
    status: 'unknown',
    stage: 'dispatch',
    code: 'ExecutionFailed',
    message: /^the app failed and did not say how$/,
  },
  {
    what: '[R70] no answer in time',
    behaviour: { hang: true },
    status: 'unknown',
    stage: 'dispatch',
    code: 'Timeout',
    message: /600 ms/,
  },
  {
    what: '[R35] a result over its bound',
    behaviour: { result: { success: true, data: { echo: { text: 'x'.repeat(300) } } } },
    status: 'unknown',
    stage: 'result',
    code: 'ResultTooLarge',
  },
  {
    what: '[R35] a result far over its bound',
    behaviour: { result: { success: true, data: { echo: { text: 'x'.repeat(100_000) } } } },
    status: 'unknown',
    stage: 'dispatch',
    code: 'ResultTooLarge',
  },
  {
    what: '[R35] a state over its bound',
    behaviour: { result: { success: true, data: {}, stateAfter: 'x'.repeat(300) } },
    status: 'unknown',
    stage: 'result',
    code: 'ResultTooLarge',
  },
  {
    what: '[R21] a result of another form',
    behaviour: { result: { success: true, data: { echo: 'text' } } },
    status: 'unknown',
    stage: 'result',
    code: 'ResultInvalid',
  },
  {
    what: '[R21] a result that is no object',
    behaviour: { result: { success: true, data: 'text' } },
    status: 'unknown',
    stage: 'result',
    code: 'ResultInvalid',
  },
];

/** Answers that the handler library would never give. */
const MALFORMED: readonly [what: string, answer: string][] = [
  ['text that is no JSON', '{'],
  ['an empty text', ''],
  ['a list', '[]'],
  ['no success', '{"data":{}}'],
  ['success in words', '{"success":"true","data":{}}'],
  ['an unknown field', '{"success":true,"data":{},"approved":true}'],
  ['a repeated key', '{"success":false,"success":true,"data":{}}'],
  ['an undo token that is no text', '{"success":true,"data":{},"undo_token":7}'],
  ['nesting beyond the limit', `{"success":true,"data":{"echo":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}}`],
  ['a lone surrogate', '{"success":true,"data":{"echo":{"a":"\\ud800"}}}'],
];

const RAW = 'org.example.Raw';

describe('how an invocation ends, over the bus', () => {
  // Breaking bounds again and again is what these tests do; being put out of service for it is another test.
  const desktop = useDesktop({ config: { quotas: { strikes: 10_000 } } });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let raw: RawPeer;

  before(async () => {
    [app, agent, person, raw] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().person(),
      desktop().raw(),
    ]);
    await person.confirm([{ decision: 'once' }]);
    desktop().trust(RAW);
    await raw.process.ask('provide', { manifest: signed(fixtureManifest({}, RAW), KEY) });
    await agent.list();
  });

  /** How a write ends where the app answers exactly this. */
  async function answered(reply: Json): Promise<Outcome> {
    await raw.process.ask('answer', reply);
    return await agent.dispatch(fix('write', RAW));
  }

  for (const { what, behaviour, status, stage, code, message, recoverable } of ENDINGS) {
    it(`[R72] [R78] ${what}`, async () => {
      for (const action of ['brief', 'briefly']) {
        await app.behave(fix(action), behaviour);
        const outcome = await agent.dispatch(fix(action));
        const expected = status === 'unknown' && action === 'briefly' ? 'failed' : status;
        assert.equal(outcome.status, expected, action);
        assert.equal(outcome.stage, stage);
        assert.equal(outcome.code, code);
        if (message !== undefined) assert.match(outcome.error?.message ?? '', message);
        if (recoverable !== undefined) assert.equal(outcome.error?.recoverable, recoverable);
        if (status !== 'executed') assert.notProperty(outcome, 'result');
        const ends = desktop()
          .audit({ invocation: outcome.invocation })
          .filter(({ type }) => ['executed', 'failed', 'unknown', 'denied', 'expired'].includes(type));
        assert.deepEqual(
          ends.map(({ type }) => type),
          [status === 'executed' ? 'executed' : expected],
        );
      }
    });
  }

  for (const [what, answer] of MALFORMED) {
    it(`[R77] an answer of ${what} is refused, and the write's end unknown`, async () => {
      const outcome = await answered({ answer });
      assert.deepInclude(outcome, { status: 'unknown', code: 'ResultInvalid' });
      assert.notInclude(JSON.stringify(outcome), 'approved');
    });
  }

  it('[R77] an answer of 8 MiB costs the app its result and nobody else anything', async () => {
    const answer = `{"success":true,"data":{"echo":{"a":"${'x'.repeat(2 ** 23)}"}}}`;
    const outcome = await answered({ answer });
    assert.deepInclude(outcome, { status: 'unknown', code: 'ResultTooLarge' });
    await desktop().ping();
  });

  it('[R50] an error name of the contract with a text that is none of its own is still the app failing', async () => {
    const error = 'org.portal.Broker1.Error.ExecutionFailed';
    const outcome = await answered({ error, text: 'x'.repeat(5000) });
    assert.deepInclude(outcome, { status: 'failed', code: 'ExecutionFailed' });
    assert.isAtMost(outcome.error?.message.length ?? 0, 600);
  });

  it('[R46] what the app itself refuses is not invoked', async () => {
    const before = app.timesInvoked(fix('look'));
    await app.process.ask('refuse', { capability: fix('look'), message: 'from must come before to' });
    const outcome = await agent.dispatch(fix('look'));
    assert.deepInclude(outcome, { status: 'failed', code: 'InvalidParams' });
    assert.match(outcome.error?.message ?? '', /from must come before to/);
    assert.equal(app.timesInvoked(fix('look')), before);
  });

  it('[R41] [R49] [R77] state and trust come with the result; trust is what the manifest says', async () => {
    await app.behave(fix('anybody'), { result: { success: true, data: {}, stateAfter: { rows: 3 } } });
    const outcome = await agent.dispatch(fix('anybody'));
    assert.deepInclude(outcome, { status: 'executed', trust: 'low', state_after: { rows: 3 } });
  });
});
