// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { CONFIRMER } from '../../../../broker/bus/names.ts';
import { asDictionary, variant } from '../../../../dbus/values.ts';
import { useBus } from '../../../support/bus.ts';
import { FakeBroker } from '../../fake-broker.ts';
import { Terminal } from './terminal.ts';

const TEXTS = {
  invocation: 'i1',
  kind: 'invoke',
  capability: 'notes.org.example.notes.write',
  version: '1.0',
  title: 'Write a note',
  app_id: 'org.example.Notes',
  binding: 'launcher',
  principal: 'assistant',
  principal_binding: 'exe',
  risk: 'medium',
  side_effects: 'write',
  target: 'draft',
  params: '{"name":"draft","count":3}',
  reason: 'you asked for it',
  intention: 'tidy up',
  problem: '',
  undo: 'cannot be undone',
};
const CHOICES = ['once', 'session', 'modified', 'later', 'deny', 'deny_session'];

describe('a question of several rows in a terminal', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  const bus = useBus();
  let broker: FakeBroker;
  let folder: string;
  let terminal: Terminal;

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    broker.answers.RegisterConfirmer = () => [];
    broker.answers.UnregisterConfirmer = () => [];
    folder = mkdtempSync(join(tmpdir(), 'portal-rows-'));
  });
  afterEach(async () => {
    await terminal.close();
    await broker.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async (editor?: string): Promise<void> => {
    const { VISUAL: _v, EDITOR: _e, ...inherited } = process.env;
    const ours = { DBUS_SESSION_BUS_ADDRESS: bus.address, NO_COLOR: '1', XDG_RUNTIME_DIR: folder };
    const env = { ...inherited, ...ours, ...(editor !== undefined && { EDITOR: editor }) };
    terminal = new Terminal(['confirm'], env, 80);
    await terminal.until('Waiting for questions');
  };
  const row = (digest: string, changes: Partial<typeof TEXTS> = {}, ownTick = false) => ({
    ...Object.fromEntries(
      Object.entries({ ...TEXTS, digest, ...changes }).map(([key, value]) => [key, variant('s', value)]),
    ),
    evidence: variant('as', []),
    choices: variant('as', CHOICES),
    own_tick: variant('b', ownTick),
  });
  /** Puts the question; resolves with the decision on each row. */
  const ask = async (...rows: readonly object[]): Promise<Record<string, unknown>> => {
    const { sender, args } = broker.called('RegisterConfirmer')[0] ?? { sender: '', args: [] };
    const context = {
      locale: variant('s', 'en'),
      deadline_ms: variant('u', 60_000),
      arming_ms: variant('u', 50),
      assurance: variant('s', 'advisory'),
    };
    const body = ['q1', rows, context];
    const [reply] = await broker.call(sender, String(args[0]), CONFIRMER, 'Confirm', 'saa{sv}a{sv}', body);
    return Object.fromEntries(
      [...asDictionary(reply)].map(([digest, one]) => [digest, Object.fromEntries(asDictionary(one))]),
    );
  };
  const answer = async (typed: string): Promise<string> => {
    const shown = await terminal.until('Your answer');
    terminal.type(`${typed}\r`);
    return shown;
  };

  it('[R85] [R86] [R152] decides each by itself, and what destroys by a word of its own', async () => {
    await start();
    const decided = ask(row('d1'), row('d2', { side_effects: 'destructive' }, true), row('d3'), row('d4'));
    const first = await answer('allow session 20');
    assert.include(first, 'Question 1 of 4');
    assert.include(first, '  all of it for: "tidy up"');
    assert.notInclude(first, '  change ', 'without an editor nothing can be changed');
    assert.include(await answer('allow'), '  allow destructive  ');
    await terminal.until('It takes `allow destructive`');
    await answer('allow destructive');
    await answer('later');
    await answer('deny session');
    assert.deepEqual(await decided, {
      d1: { decision: 'session', minutes: 20 },
      d2: { decision: 'once' },
      d3: { decision: 'later' },
      d4: { decision: 'deny_session' },
    });
    for (const line of terminal.output.split('\r\n'))
      assert.isAtMost(line.length, 80 + 'allow session 20'.length, line);
  });

  it('[R87] lets the person change parameters in an editor, and shows them before they are allowed', async () => {
    const editor = join(folder, 'editor');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/3/4/" "$1"\n');
    chmodSync(editor, 0o700);
    await start(editor);
    assert.deepEqual(Object.fromEntries(asDictionary(broker.called('RegisterConfirmer')[0]?.args[1])), {
      fallback: true,
      can_modify: true,
    });
    const decided = ask(row('d1', { problem: 'the target changed' }));
    assert.include(await answer('change'), '  your last answer did not count: the target changed');
    const changed = await answer('allow');
    assert.include(changed, '  parameters, as you changed them:');
    assert.include(changed, '"count": 4');
    assert.deepEqual(await decided, { d1: { decision: 'modified', params: '{"name":"draft","count":4}' } });
  });

  it('goes on with what was asked where the editor fails', async () => {
    await start('false');
    const decided = ask(row('d1'));
    await answer('change');
    await terminal.until('Not changed: the editor `false` did not end well.');
    await answer('');
    assert.deepEqual(await decided, { d1: { decision: 'deny' } });
  });
});
