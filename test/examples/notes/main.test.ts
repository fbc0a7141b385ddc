// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { PROVIDER } from '../../../broker/bus/names.ts';
import { type PrivateBus, startPrivateBus } from '../../../dbus/daemon.ts';
import { variant } from '../../../dbus/values.ts';
import { FakeBroker } from '../../broker/fake-broker.ts';
import { Inbox } from '../../broker/inbox.ts';
import { useBus } from '../../support/bus.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'examples', 'notes', 'main.ts');
const CONTEXT = {
  source: variant('s', 'SystemIntelligence'),
  timestamp: variant('s', '2026-11-30T12:00:00.000Z'),
  app_id: variant('s', 'org.example.Notes'),
  principal: variant('s', 'agent'),
};

interface App {
  readonly process: ChildProcess;
  /** Lines of standard output, then of standard error. */
  readonly out: Inbox<string>;
  readonly err: Inbox<string>;
  readonly ended: Promise<number | null>;
}

describe('examples/notes: main', () => {
  const bus = useBus();
  let home: string;
  let broker: FakeBroker | undefined;
  const apps: App[] = [];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'portal-notes-'));
  });

  afterEach(async () => {
    for (const app of apps.splice(0)) {
      app.process.kill();
      await app.ended;
    }
    await broker?.stop();
    broker = undefined;
    rmSync(home, { recursive: true, force: true });
  });

  function run(args: readonly string[], address = bus.address): App {
    const env = { PATH: process.env.PATH, HOME: home, DBUS_SESSION_BUS_ADDRESS: address };
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const out = new Inbox<string>();
    const err = new Inbox<string>();
    createInterface({ input: child.stdout }).on('line', out.put);
    createInterface({ input: child.stderr }).on('line', err.put);
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    const app = { process: child, out, err, ended };
    apps.push(app);
    return app;
  }

  it('[R58] serves the notes in its folder, without a window', async () => {
    broker = await FakeBroker.start(bus);
    broker.acceptApps();
    const events = new Inbox<readonly unknown[]>();
    broker.answers.EmitEvent = (args) => {
      events.put(args);
      return [];
    };
    const app = run([]);
    const folder = join(home, '.local', 'share', 'notes');
    assert.equal(await app.out.next(), `tier 1: 1 capabilities for the notes in ${folder}`);
    const [registered] = broker.called('Register');
    assert.equal(JSON.parse(String(registered?.args[0])).app_id, 'org.example.Notes');
    const body = ['i1', 'notes.org.example.notes.create', '{"name":"a","text":"milk"}', CONTEXT];
    await broker.call(registered?.sender ?? '', '/org/portal/provider', PROVIDER, 'Invoke', 'sssa{sv}', body);
    assert.equal(readFileSync(join(folder, 'a.md'), 'utf8'), 'milk');
    assert.deepEqual(await events.next(), ['note-changed', '{"name":"a","change":"created"}']);
    app.process.kill('SIGTERM');
    assert.equal(await app.ended, 0);
    assert.lengthOf(broker.called('Unregister'), 1);
    assert.isEmpty(app.err.rest);
  });

  it('uses the folder it is given', async () => {
    broker = await FakeBroker.start(bus);
    broker.acceptApps();
    const app = run(['--folder', join(home, 'mine')]);
    assert.include(await app.out.next(), join(home, 'mine'));
  });

  it('says what is wrong with its manifest and what to do', async () => {
    broker = await FakeBroker.start(bus);
    const reason = {
      code: 'SignatureMissing',
      pointer: '/signature',
      message: 'the manifest is not signed: sign it',
    };
    broker.answers.Register = () => [2, JSON.stringify({ app_id: 'org.example.Notes', reason })];
    broker.answers.Unregister = () => [];
    const app = run([]);
    assert.include(await app.out.next(), 'tier 2');
    assert.equal(await app.err.next(), 'notes: the manifest is not signed: sign it (at /signature)');
  });

  it('passes on warnings, and says where every call will ask', async () => {
    broker = await FakeBroker.start(bus);
    const details = {
      app_id: 'org.example.Notes',
      capabilities: [],
      binding: 'unbound',
      warnings: ['no revision'],
    };
    broker.answers.Register = () => [1, JSON.stringify(details)];
    broker.answers.Unregister = () => [];
    const app = run([]);
    assert.include(await app.out.next(), 'every call asks');
    assert.equal(await app.err.next(), 'notes: no revision');
  });

  it('waits for a broker', async () => {
    const app = run([]);
    assert.equal(await app.out.next(), 'not registered');
    assert.include(await app.err.next(), 'no broker is running');
    broker = await FakeBroker.start(bus);
    broker.acceptApps();
    assert.include(await app.out.next(), 'tier 1');
  });

  it('ends with an error when the bus goes away', async () => {
    const own: PrivateBus = await startPrivateBus();
    const app = run([], own.address);
    await app.out.next();
    await own.stop();
    assert.equal(await app.ended, 1);
  });

  for (const [what, args, code, text] of [
    ['an unknown option', ['--wrong'], 2, '--help'],
    ['an argument it has no use for', ['here'], 2, '--help'],
    ['a folder that cannot be', ['--folder', '/dev/null/notes'], 1, '--folder'],
    ['a manifest that is not there', ['--manifest', '/nonexistent'], 1, '/nonexistent'],
  ] as const) {
    it(`ends with ${code} for ${what}, and says what to do`, async () => {
      const app = run(args);
      assert.equal(await app.ended, code);
      const line = await app.err.next();
      assert.match(line, /^notes: /);
      assert.include(line, text);
      assert.isEmpty(app.err.rest, 'one line');
    });
  }

  it('ends with 1 without a bus', async () => {
    const app = run([], 'unix:path=/nonexistent');
    assert.equal(await app.ended, 1);
    assert.match(await app.err.next(), /^notes: /);
  });

  it('explains itself', async () => {
    const app = run(['--help']);
    assert.equal(await app.ended, 0);
    assert.match(await app.out.next(), /^Notes: /);
  });
});
