// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { decodeIntent, decodeUndo } from '../../../broker/bus/decode.ts';
import { CallError } from '../../../broker/bus/errors.ts';
import { DBusError } from '../../../dbus/error.ts';
import { variant } from '../../../dbus/values.ts';
import { argumentsOf } from '../../support/bus-values.ts';

const pairs = (entries: Readonly<Record<string, readonly [string, unknown]>>): unknown =>
  Object.entries(entries).map(([key, [type, value]]) => [key, variant(type, value)]);

describe('decodeIntent', () => {
  it('[R76] takes over what the caller said, and defaults to a live wish that waits a moment', () => {
    const { intent, reply } = decodeIntent('a.b', '{}', []);
    assert.deepEqual(reply, { handleToken: undefined, waitMs: 100 });
    assert.deepInclude(intent as object, {
      capability: 'a.b',
      params: '{}',
      context: 'live',
      requireApproval: false,
    });
    const said = decodeIntent(
      'a.b',
      '{}',
      pairs({
        handle_token: ['s', 'tok_1'],
        wait_ms: ['u', 0],
        version: ['s', '2'],
        category: ['s', 'SYSTEM'],
        context: ['s', 'replay'],
        target: ['s', '/a'],
        session: ['s', 's:1'],
        turn: ['s', 't'],
        intention: ['s', 'i'],
        reason: ['s', 'because'],
        evidence: ['as', ['e']],
        origin: ['s', 'plan:1'],
        require_approval: ['b', true],
        timeout_ms: ['u', 100],
      }),
    );
    assert.deepEqual(said.reply, { handleToken: 'tok_1', waitMs: 0 });
    assert.deepEqual(said.intent, {
      capability: 'a.b',
      version: '2.0',
      params: '{}',
      context: 'replay',
      category: 'SYSTEM',
      target: '/a',
      session: 's:1',
      turn: 't',
      reason: 'because',
      evidence: ['e'],
      origin: 'plan:1',
      intention: 'i',
      requireApproval: true,
      timeoutMs: 100,
    });
  });

  it('[R61] reads a whole version number as M.0 and leaves another as it is', () => {
    const version = (text: string) =>
      decodeIntent('a.b', '{}', pairs({ version: ['s', text] })).intent.version;
    assert.deepEqual(['3', '3.1'].map(version), ['3.0', '3.1']);
    for (const text of ['', '1.', '.1', '1.2.3', 'v1', '^1', '1e3'])
      assert.throws(() => version(text), CallError);
  });

  it('[R62] any options give an intent or a refusal of the call, and no claim of identity ever passes', () => {
    fc.assert(
      fc.property(argumentsOf('ssa{sv}'), ([capability, params, options]) => {
        try {
          const { intent, reply } = decodeIntent(String(capability), String(params), options);
          assert.isAtMost(reply.waitMs, 55_000);
          assert.include(['live', 'dream', 'replay'], intent.context);
        } catch (error) {
          assert.isTrue(error instanceof CallError || error instanceof DBusError, String(error));
        }
      }),
      { numRuns: 300 },
    );
    for (const claim of ['approved', 'caller', 'auth_level', 'decider'])
      assert.throws(() => decodeIntent('a.b', '{}', pairs({ [claim]: ['b', true] })), CallError, claim);
  });
});

describe('decodeUndo', () => {
  it('takes a token, a patience and a reason, and nothing that an intent has beside', () => {
    const reply = decodeUndo(pairs({ handle_token: ['s', 'x'], wait_ms: ['u', 5], reason: ['s', 'why'] }));
    assert.deepEqual(reply, { handleToken: 'x', waitMs: 5, reason: 'why' });
    assert.throws(() => decodeUndo(pairs({ context: ['s', 'live'] })), CallError);
  });
});
