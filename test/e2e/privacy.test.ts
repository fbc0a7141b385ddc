// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import {
  dispatchCall,
  emitEventCall,
  listCall,
  options,
  outcomeCall,
  registerCall,
} from '../support/broker-calls.ts';
import { useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix, fixtureManifest, type Json } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';

const MARKER = 'hunter2-9f3c';
const FORGED_LINE = `x\n{"type":"executed","time":1,"note":"${MARKER}"}`;

describe('what must not be remembered', () => {
  const desktop = useDesktop({ config: { confirm: { deadline_ms: 1500, arming_ms: 0, reoffer_ms: 200 } } });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let raw: RawPeer;
  let attempts = 0;

  before(async () => {
    const told = fixtureManifest();
    const capabilities = (told.capabilities as Json[]).map((one) => ({
      ...one,
      description: `Does ${MARKER}`,
    }));
    [app, agent, person, raw] = await Promise.all([
      desktop().fixture({ capabilities }),
      desktop().agent(),
      desktop().person(),
      desktop().raw(),
    ]);
    await person.confirm([{ decision: 'once' }]);
    await agent.list();
    await raw.call(listCall());
  });

  async function dispatch(action: string, params: unknown, given: Json = {}): Promise<void> {
    attempts += 1;
    const entries = { wait_ms: 10_000, ...given } as Record<string, string | number | boolean>;
    await raw
      .call(
        dispatchCall(
          action.includes('.') || action.includes('\n') ? action : fix(action),
          params,
          options(entries),
        ),
      )
      .catch(() => undefined);
  }

  it('[R117] parameters, their names, targets, reasons, notes, errors, results and descriptions, by every way a call can end', async () => {
    // Refused: a value that is too long, an unknown name, an enumeration, no JSON, a wrong target, a foreign category.
    await dispatch('look', { text: MARKER.repeat(9) });
    await dispatch('look', { [MARKER]: 1 });
    await dispatch('look', { kind: MARKER });
    await dispatch('look', `{"${MARKER}`);
    await dispatch('touch', { path: `/${MARKER}` }, { target: `/${MARKER}/other` });
    await dispatch('touch', { path: MARKER });
    await dispatch('look', {}, { category: MARKER });
    await dispatch(MARKER, {});
    await dispatch(FORGED_LINE, {});
    await dispatch('look', {}, { version: MARKER });
    await dispatch('look', {}, { [MARKER]: MARKER });
    await dispatch('look', {}, { handle_token: `${MARKER}\n` });
    await dispatch('look', {}, { session: 'x'.repeat(200) });
    // Run, with the marker in everything that the caller and the app may say.
    const words = { reason: MARKER, origin: MARKER, intention: MARKER, session: MARKER, turn: MARKER };
    await dispatch('look', { text: MARKER }, words);
    await dispatch('touch', { path: `/tmp/${MARKER}` });
    await app.behave(fix('look'), {
      result: { success: true, data: { echo: { text: MARKER } }, stateAfter: MARKER },
    });
    await dispatch('look', {}, words);
    for (const behaviour of [
      { failure: { code: 'ExecutionFailed', reason: MARKER, recoverable: false } },
      { failure: { code: 'NotFound', message: FORGED_LINE } },
      { crash: MARKER },
      { result: { success: true, data: { echo: MARKER } } },
      { result: { success: true, data: MARKER } },
      { result: { success: true, data: {}, undoToken: MARKER } },
    ] as const) {
      await app.behave(fix('briefly'), behaviour);
      await dispatch('briefly', { text: MARKER });
    }
    await app.behave(fix('briefly'), { hang: true });
    await dispatch('briefly', { text: MARKER });
    // Asked: yes, no with a note, no answer, an answer that is none.
    await dispatch('write', { text: MARKER }, words);
    await person.script({ decision: 'deny', note: MARKER });
    await dispatch('write', { text: MARKER }, words);
    await person.script({});
    await dispatch('write', { text: MARKER }, words);
    await person.script({ error: true });
    await dispatch('write', { text: MARKER }, words);
  });

  it('[R117] a manifest, a name, an event or an option that holds it', async () => {
    const other = await desktop().raw();
    for (const fields of [
      { signature: MARKER },
      { app_id: MARKER },
      { app_id: FORGED_LINE },
      { version: MARKER },
      { [MARKER]: 1 },
      { capabilities: [{ id: MARKER }] },
    ]) {
      await other.call(registerCall(JSON.stringify({ ...fixtureManifest(), ...fields })));
    }
    await other.call(registerCall(`{"${MARKER}`));
    await other.call(emitEventCall(MARKER, { what: MARKER })).catch(() => undefined);
    await app.emit('changed', { what: MARKER }).catch(() => undefined);
    await app.emit(MARKER, {}).catch(() => undefined);
    await raw.call(outcomeCall(MARKER)).catch(() => undefined);
    await raw.call(listCall(options({ text: MARKER })));
    await raw.call(listCall(options({ [MARKER]: MARKER }))).catch(() => undefined);
    await agent.process.ask('subscribe', { appId: MARKER }).catch(() => undefined);
    await agent.process.ask('subscribe', { appId: FIXTURE });
    await app.emit('changed', { what: MARKER });
    await other.process.stop();
  });

  it('[R117] leaves no trace in any file of the store, nor in the log', async () => {
    await desktop().broker.end();
    for (const file of readdirSync(desktop().store)) {
      const bytes = readFileSync(join(desktop().store, file));
      for (const trace of [MARKER, Buffer.from(MARKER, 'utf16le'), Buffer.from(MARKER).toString('base64')])
        assert.equal(bytes.indexOf(trace), -1, `${file} holds ${String(trace)}`);
    }
    assert.notInclude(desktop().broker.log, MARKER);
    assert.notInclude(desktop().broker.output, MARKER);
  });

  it('[R72] [R116] [R131] and every attempt has its one end, in a record that is whole', () => {
    const endings = ['executed', 'failed', 'unknown', 'denied', 'expired'];
    const events = desktop().audit();
    const ends = events.filter(({ type, pid }) => endings.includes(type) && pid === raw.process.pid);
    assert.equal(ends.length, attempts);
    for (const line of desktop().broker.log.trim().split('\n')) assert.isObject(JSON.parse(line));
    assert.isTrue(desktop().verify().ok);
    assert.isFalse(
      events.some(({ time }) => time === 1),
      'no line was forged',
    );
  });

  it('[R117] a marker in the record would be found: the search is no blind one', () => {
    const database = readFileSync(join(desktop().store, 'broker.db'));
    assert.isAbove(database.indexOf(fix('look')), 0);
  });
});
