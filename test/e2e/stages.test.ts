// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Code, Stage } from '../../broker/intent/stage.ts';
import { dispatchCall, explainCall, listCall, options, present, readReply } from '../support/broker-calls.ts';
import { useDesktop } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';
import type { AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';

type Entries = Readonly<Record<string, string | boolean | number>>;

interface Refused {
  readonly what: string;
  readonly capability?: string;
  readonly params?: unknown;
  readonly options?: Entries;
  /** What the caller learns. */
  readonly told: readonly [stage: Stage, code: Code];
  /** What the record holds, where that is more. */
  readonly recorded?: readonly [stage: Stage, code: Code];
}

const HIDDEN = ['authority', 'NotAllowed'] as const;
const UNKNOWN = ['resolve', 'NotFound'] as const;
const INVALID = ['validate', 'InvalidParams'] as const;

const REFUSED: readonly Refused[] = [
  { what: '[R60] a dream', options: { context: 'dream' }, told: ['context', 'ContextForbidden'] },
  { what: '[R60] a replay', options: { context: 'replay' }, told: ['context', 'ContextForbidden'] },
  {
    what: '[R60] a dream of nothing',
    capability: 'no.such.thing',
    options: { context: 'dream' },
    told: ['context', 'ContextForbidden'],
  },
  { what: '[R15] [R61] an unknown capability', capability: 'fix.org.example.fixture.nothing', told: UNKNOWN },
  { what: '[R61] an id in another case', capability: fix('look').toUpperCase(), told: UNKNOWN },
  { what: '[R61] an id with a space', capability: ` ${fix('look')}`, told: UNKNOWN },
  { what: '[R61] a prefix of an id', capability: fix('loo'), told: UNKNOWN },
  { what: '[R61] an id by the app id as written', capability: 'fix.org.example.Fixture.look', told: UNKNOWN },
  { what: '[R61] an empty id', capability: '', told: UNKNOWN },
  {
    what: '[R15] a capability described in words',
    capability: 'please open the file manager',
    told: UNKNOWN,
  },
  { what: '[R29] an older version', options: { version: '0.9' }, told: UNKNOWN },
  { what: '[R29] a newer version', options: { version: '2' }, told: UNKNOWN },
  { what: '[R32] a level above the caller', capability: fix('privileged'), told: UNKNOWN, recorded: HIDDEN },
  {
    what: '[R32] that, with parameters that would be refused',
    capability: fix('privileged'),
    params: '[',
    told: UNKNOWN,
    recorded: HIDDEN,
  },
  {
    what: '[R19] another category',
    options: { category: 'SYSTEM' },
    told: ['authority', 'CategoryMismatch'],
  },
  { what: '[R62] parameters that are no JSON', params: '{', told: INVALID },
  { what: '[R62] no parameters at all', params: '', told: INVALID },
  { what: '[R62] a list', params: [], told: INVALID },
  { what: '[R62] null', params: null, told: INVALID },
  { what: '[R62] a wrong type', params: { text: 5 }, told: INVALID },
  { what: '[R62] a text that is too long', params: { text: 'x'.repeat(65) }, told: INVALID },
  { what: '[R62] a number out of range', params: { count: -1 }, told: INVALID },
  { what: '[R62] a value outside the enumeration', params: { kind: 'three' }, told: INVALID },
  { what: '[R63] an unknown parameter', params: { more: 1 }, told: INVALID },
  { what: '[R63] a parameter named like a prototype', params: '{"__proto__":{"text":"x"}}', told: INVALID },
  { what: '[R67] a parameter that claims approval', params: { approved: true }, told: INVALID },
  {
    what: '[R67] a parameter that claims a confirmation',
    params: { confirmation_token: 'x' },
    told: INVALID,
  },
  { what: '[R62] a repeated key', params: '{"count":1,"count":2}', told: INVALID },
  { what: '[R62] a repeated key behind an escape', params: '{"count":1,"c\\u006funt":2}', told: INVALID },
  { what: '[R62] an integer beyond 2^53', params: '{"count":9007199254740993}', told: INVALID },
  { what: '[R62] a lone surrogate', params: '{"text":"\\ud800"}', told: INVALID },
  {
    what: '[R62] nesting beyond the limit',
    params: `{"text":${'['.repeat(40)}${']'.repeat(40)}}`,
    told: INVALID,
  },
  {
    what: '[R64] a relative path',
    capability: fix('touch'),
    params: { path: 'a/b' },
    told: ['target', 'TargetInvalid'],
  },
  {
    what: '[R64] a path that climbs',
    capability: fix('touch'),
    params: { path: '/a/../b' },
    told: ['target', 'TargetInvalid'],
  },
  {
    what: '[R43] a target that is not the derived one',
    capability: fix('touch'),
    params: { path: '/nowhere/a' },
    options: { target: '/nowhere/b' },
    told: ['target', 'TargetMismatch'],
  },
  {
    what: '[R43] a target where none can be derived',
    options: { target: '/nowhere' },
    told: ['target', 'TargetMismatch'],
  },
  { what: '[R74] a write with nobody to ask', capability: fix('write'), told: ['confirm', 'NoConfirmer'] },
  {
    what: '[R24] a destructive one with nobody to ask',
    capability: fix('delete'),
    told: ['confirm', 'NoConfirmer'],
  },
  {
    what: '[R66] one that reaches outside, with nobody to ask',
    capability: fix('send'),
    told: ['confirm', 'NoConfirmer'],
  },
  {
    what: '[R40] one that does not say what it does',
    capability: fix('unstated'),
    told: ['confirm', 'NoConfirmer'],
  },
  {
    what: '[R25] a read whose author wants it confirmed',
    capability: fix('cautious'),
    told: ['confirm', 'NoConfirmer'],
  },
  {
    what: '[R110] a read whose caller wants it approved',
    options: { require_approval: true },
    told: ['confirm', 'NoConfirmer'],
  },
  {
    what: '[R65] one that the administrator locked',
    capability: fix('sing'),
    told: ['policy', 'PolicyDenied'],
  },
];

describe('each refusal at its stage, over the bus', () => {
  const desktop = useDesktop({ config: { locked: [fix('sing')] } });
  let app: AppPeer;
  let person: PersonPeer;
  let caller: RawPeer;
  let made = 0;

  before(async () => {
    [app, person, caller] = await Promise.all([desktop().fixture(), desktop().person(), desktop().raw()]);
    await caller.call(listCall());
  });

  /** Each on its own connection: one that dreamt once can do nothing else. */
  async function attempt({ capability = fix('look'), params = {}, options: given = {} }: Refused) {
    made += 1;
    const connection = `c${made}`;
    await caller.call(listCall(), connection);
    const call = dispatchCall(capability, params, options({ wait_ms: 10_000, ...given }));
    return { connection, reply: readReply(await caller.call(call, connection)) };
  }

  for (const refused of REFUSED) {
    it(`[R68] [R72] [R118] [R121] ${refused.what}`, async () => {
      const { connection, reply } = await attempt(refused);
      const [stage, code] = refused.told;
      assert.deepInclude(present(reply.outcome), { status: 'denied', stage, code });
      assert.notProperty(present(reply.outcome), 'result');
      const events = desktop().audit({ invocation: String(reply.outcome?.invocation) });
      const [recordedStage, recordedCode] = refused.recorded ?? refused.told;
      const ends = events.filter(({ type }) => type !== 'asked');
      assert.deepEqual(
        ends.map((event) => [event.type, event.stage, event.code]),
        [['denied', recordedStage, recordedCode]],
      );
      assert.equal(ends[0]?.auditId, reply.outcome?.audit_id);
      const explained = JSON.parse(
        String(
          (
            await caller.call(
              explainCall(
                refused.capability ?? fix('look'),
                refused.params === undefined ? {} : refused.params,
                options(refused.options ?? {}),
              ),
              connection,
            )
          )[0],
        ),
      );
      // What only the person could allow is a question, as seen from before.
      if (code === 'NoConfirmer') assert.deepInclude(explained, { effect: 'ask', stage: 'confirm' });
      else assert.deepInclude(explained, { effect: 'deny', stage, code });
    });
  }

  it('[R62] [R68] nothing that was refused reached the app', () => {
    assert.deepEqual(app.invoked, []);
  });

  it('[R32] hidden and unknown are refused in the same words', async () => {
    const hidden = await attempt({ what: '', capability: fix('privileged'), told: UNKNOWN });
    const unknown = await attempt({ what: '', capability: fix('nothing'), told: UNKNOWN });
    const words = ({ reply }: typeof hidden) => ({ ...reply.outcome, invocation: '', audit_id: '' });
    assert.deepEqual(words(hidden), words(unknown));
  });

  it('[R60] a connection that once dreamt stays asleep, whatever it says then', async () => {
    const dream = dispatchCall(fix('look'), {}, options({ context: 'dream' }));
    await caller.call(dream, 'sleeper');
    const { outcome } = readReply(
      await caller.call(dispatchCall(fix('look'), {}, options({ context: 'live' })), 'sleeper'),
    );
    assert.deepInclude(present(outcome), { stage: 'context', code: 'ContextForbidden' });
    const [explained] = await caller.call(explainCall(fix('look'), {}), 'sleeper');
    assert.deepInclude(JSON.parse(String(explained)), { effect: 'deny', stage: 'context' });
  });

  it('[R35] a turn has as many invocations as the capability declares, whatever the turn is called', async () => {
    const spend = async (turn?: string) => {
      const given = options(turn === undefined ? { wait_ms: 10_000 } : { wait_ms: 10_000, turn });
      return readReply(await caller.call(dispatchCall(fix('seldom'), {}, given))).outcome;
    };
    await caller.call(listCall());
    for (const turn of [undefined, 'a', 'b']) assert.equal((await spend(turn))?.status, 'executed');
    for (const turn of [undefined, 'a', 'c'])
      assert.deepInclude(present(await spend(turn)), {
        status: 'denied',
        stage: 'grants',
        code: 'LimitExceeded',
      });
    assert.equal(app.timesInvoked(fix('seldom')), 3);
  });

  it('[R120] the record says how well-formed the calls are: stage and code of each', async () => {
    const denied = desktop().audit({ type: 'denied' });
    const stages = new Set(denied.map(({ stage }) => stage));
    for (const stage of [
      'context',
      'resolve',
      'authority',
      'validate',
      'target',
      'policy',
      'grants',
      'confirm',
    ])
      assert.isTrue(stages.has(stage), stage);
    assert.isTrue((await person.verify()).ok);
  });
});
