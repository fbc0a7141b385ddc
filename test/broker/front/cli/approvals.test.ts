// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { OPERATOR, ROOT_PATH } from '../../../../broker/bus/names.ts';
import type { PendingRow } from '../../../../broker/client.ts';
import { DBusError } from '../../../../dbus/error.ts';
import { asDictionary } from '../../../../dbus/values.ts';
import { useBus } from '../../../support/bus.ts';
import { pendingRow } from '../../client/rows.ts';
import { FakeBroker } from '../../fake-broker.ts';
import { portalctl, portalctlJson } from './run.ts';
import { Terminal } from './terminal.ts';

describe('[R92] what waits, at the command line', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  const bus = useBus();
  let broker: FakeBroker;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const row = pendingRow();

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    folder = mkdtempSync(join(tmpdir(), 'portal-approvals-'));
    const { VISUAL: _v, EDITOR: _e, ...inherited } = process.env;
    const ours = { DBUS_SESSION_BUS_ADDRESS: bus.address, NO_COLOR: '1', XDG_RUNTIME_DIR: folder };
    env = { ...inherited, ...ours };
    for (const member of ['Approve', 'Deny', 'Later', 'Extend']) broker.answers[member] = () => [];
    pending(row);
  });
  afterEach(async () => {
    await broker.stop();
    rmSync(folder, { recursive: true });
  });

  const pending = (...rows: readonly PendingRow[]): void => {
    broker.answers.Pending = () => [JSON.stringify(rows)];
  };
  const run = (...args: string[]) => portalctl(['approvals', ...args], { env });
  const json = (...args: string[]) => portalctlJson(['approvals', ...args], { env });
  const inTerminal = (...args: string[]) => new Terminal(['approvals', ...args], env, 80);
  /** The arguments of the only call of `member`. */
  const sent = (member: string): readonly unknown[] => {
    const calls = broker.called(member);
    assert.lengthOf(calls, 1, member);
    return (calls[0]?.args ?? []).map((arg) =>
      typeof arg === 'string' ? arg : Object.fromEntries(asDictionary(arg)),
    );
  };
  /** An editor that puts `text` in place of what it is given. */
  const editor = (text: string, exit = 0): string => {
    const path = join(folder, 'editor');
    const keep = `cp "$1" '${folder}/seen'; stat -c %a "$1" > '${folder}/mode'`;
    writeFileSync(path, `#!/bin/sh\n${keep}\ncat > "$1" <<'END'\n${text}\nEND\nexit ${exit}\n`);
    chmodSync(path, 0o700);
    return path;
  };

  describe('list', () => {
    it('shows what waits and what ended, within 80 columns, and no parameter', async () => {
      const long = `/home/user/${'folder/'.repeat(12)}x`;
      const ended = pendingRow({ id: '77777777-1', state: 'executed', decided_by: 'user:1000', earlier: [] });
      pending(row, pendingRow({ id: '55555555-1', kind: 'undo', targets: [] }), ended);
      const { code, stdout, stderr } = await run('list', '--ended');
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(stdout, /^3f2a9c1e {2}pending {4}high risk, for 4 min, ends in \d+ min$/m);
      assert.include(stdout, 'notes.org.example.notes.delete 1.0, for assistant,');
      assert.match(stdout, /on "shopping list",\s+decided once before/);
      assert.include(stdout, 'to take back notes.org.example.notes.delete 1.0');
      assert.include(stdout, 'on a target that is not determined');
      assert.match(stdout, /^77777777 {2}executed {3}high risk, asked 4 min ago$/m);
      assert.include(stdout, 'decided by user:1000');
      assert.notInclude(stdout, 'count');
      for (const line of stdout.split('\n')) assert.isAtMost(line.length, 80, line);
      pending(pendingRow({ targets: [long, 'y'] }));
      assert.include((await run('list')).stdout, `on "${long}" and 1 more`);
    });

    it('gives a program the rows as they came', async () => {
      const { json: rows } = await json('list');
      assert.deepEqual(Object.values(rows), [row] as unknown[]);
    });

    it('says that nothing waits', async () => {
      pending();
      assert.equal((await run('list')).stdout, 'nothing waits for you\n');
    });
  });

  it('[R83] show prints all of a question, escaped, and its digest', async () => {
    pending(
      pendingRow({ reason: 'a\\u{202e}b "c"\u202e', params: '{"name":"\\u202e","n":12345678901234567890}' }),
    );
    const { code, stdout, stderr } = await run('show', '3f2a');
    assert.equal(code, 0);
    assert.equal(stdout, `digest  ${row.digest}\n`);
    assert.include(stderr, '"name": "\\u{202e}"');
    assert.include(stderr, '"n": 12345678901234567890');
    assert.include(stderr, '  the caller says: "a\\u{202e}b \\"c\\"\\u{202e}"');
    assert.match(stderr, /you decided before: deny, 2 h ago/);
    assert.notMatch(stderr + stdout, /\u202e/);
  });

  describe('approve', () => {
    it('[R84] shows every parameter, asks, and approves exactly what was shown', async () => {
      const long = 'x'.repeat(5000);
      pending(pendingRow({ params: JSON.stringify({ name: long, last: 'the end' }) }));
      const terminal = inTerminal('approve', row.id);
      const shown = await terminal.until('Your answer');
      assert.equal(shown.replaceAll(/[^x]/g, '').length >= 5000, true, 'nothing is cut');
      assert.include(shown, '"last": "the end"');
      assert.isEmpty(broker.called('Approve'));
      terminal.type('allow\r');
      assert.equal(await terminal.ended, 0);
      assert.deepEqual(sent('Approve'), [row.id, row.digest, {}]);
      assert.include(terminal.output, 'approved');
    });

    for (const [what, typed] of [
      ['Enter', '\r'],
      ['yes', 'yes\r'],
      ['y', 'y\r'],
      ['Allow', 'Allow\r'],
      ['Ctrl-C', 'allow\x03'],
      ['Ctrl-D', 'allow\x04'],
    ] as const) {
      it(`approves nothing at ${what}`, async () => {
        const terminal = inTerminal('approve', row.id);
        await terminal.until('Your answer');
        terminal.type(typed);
        assert.equal(await terminal.ended, 5);
        assert.include(terminal.output, 'Not approved: it still waits.');
        assert.isEmpty(broker.called('Approve'));
        assert.isEmpty(broker.called('Deny'));
      });
    }

    it('counts nothing that was typed before the question stood', async () => {
      const answer = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      broker.answers.Pending = async () => {
        asked.resolve();
        await answer.promise;
        return [JSON.stringify([row])];
      };
      const terminal = inTerminal('approve', row.id);
      terminal.type('allow\r');
      await asked.promise;
      terminal.type('allow\rallo');
      answer.resolve();
      await terminal.until('Your answer');
      terminal.type('w\r');
      assert.equal(await terminal.ended, 5);
      assert.isEmpty(broker.called('Approve'));
    });

    it('ends at Ctrl-C while the broker thinks', async () => {
      const asked = Promise.withResolvers<void>();
      broker.answers.Pending = () => {
        asked.resolve();
        return new Promise(() => undefined);
      };
      const terminal = inTerminal('approve', row.id);
      await asked.promise;
      terminal.type('\x03');
      assert.equal(await terminal.ended, 130);
    });

    it('decides nothing from a pipe, unless the digest says what was read', async () => {
      const piped = await portalctlJson(['approvals', 'approve', row.id], { env, input: 'allow\nallow\n' });
      assert.equal(piped.code, 2);
      assert.propertyVal(piped.json.error, 'code', 'NotATerminal');
      const other = await json('approve', row.id, '--digest', 'cd'.repeat(32));
      assert.equal(other.code, 1);
      assert.propertyVal(other.json.error, 'code', 'Refused');
      assert.isEmpty(broker.called('Approve'));
      const read = await json('approve', row.id, '--digest', row.digest, '--note', 'go on');
      assert.equal(read.code, 0);
      assert.include(read.stderr, '"name": "shopping list"');
      assert.deepEqual(sent('Approve'), [row.id, row.digest, { note: 'go on' }]);
    });

    it('[R85] approves for a session, where that has an effect', async () => {
      const terminal = inTerminal('approve', row.id, '--session', '--minutes', '20');
      await terminal.until('the same on this target for 20 minutes');
      await terminal.until('Your answer');
      terminal.type('allow\r');
      assert.equal(await terminal.ended, 0);
      assert.deepEqual(sent('Approve'), [row.id, row.digest, { choice: 'session', minutes: 20 }]);
      pending(pendingRow({ choices: ['once', 'deny'] }));
      const refused = await json('approve', row.id, '--session', '--digest', row.digest);
      assert.propertyVal(refused.json.error, 'code', 'Refused');
      assert.include(refused.stderr, '`session` has no effect here');
    });

    it('understands no length without a session, and none that is out of bounds', async () => {
      const lone = await json('approve', row.id, '--digest', row.digest, '--minutes', '5');
      const long = await json('approve', row.id, '--digest', row.digest, '--session', '--minutes', '481');
      for (const { code, json: out } of [lone, long]) {
        assert.equal(code, 2);
        assert.propertyVal(out.error, 'code', 'BadOption');
      }
      assert.isEmpty(broker.calls);
    });

    it('says what the broker says: decided meanwhile, nobody authenticated', async () => {
      for (const code of ['Stale', 'NotAllowed']) {
        broker.answers.Approve = () => {
          throw new DBusError('remote', `org.portal.Broker1.Error.${code}`, 'no: list again');
        };
        const refused = await json('approve', row.id, '--digest', row.digest);
        assert.equal(refused.code, 1);
        assert.deepInclude(refused.json.error as object, { code, message: 'no: list again' });
      }
    });

    it('finds a row by the beginning of its id, if that is one row and still waits', async () => {
      pending(row, pendingRow({ id: '3f2a0000-1', state: 'denied' }));
      const refused = async (id: string, code: string): Promise<void> => {
        const { json: out } = await json('approve', id, '--digest', row.digest);
        assert.propertyVal(out.error, 'code', code, id);
      };
      await refused('3f2a', 'BadOperand');
      await refused('3f2', 'NotFound');
      await refused('nobody', 'NotFound');
      await refused('3f2a0', 'Refused');
      assert.isEmpty(broker.called('Approve'));
      assert.equal((await json('approve', '3f2a9', '--digest', row.digest)).code, 0);
    });
  });

  describe('[R87] modify', () => {
    it('opens the parameters in the editor, shows what became of them, and approves that', async () => {
      pending(pendingRow({ params: '{"name":"a\\u202eb","count":3}' }));
      env = { ...env, EDITOR: editor('{"name":"milk\\u202e","count":4}') };
      const terminal = inTerminal('modify', row.id);
      const shown = await terminal.until('Your answer');
      assert.include(shown, 'parameters, as you changed them:');
      assert.include(shown, '"name": "milk\\u{202e}"');
      terminal.type('allow\r');
      assert.equal(await terminal.ended, 0);
      const changed = JSON.stringify({ name: 'milk\u202e', count: 4 });
      assert.deepEqual(sent('Approve'), [row.id, row.digest, { params: changed }]);
      assert.include(readFileSync(join(folder, 'seen'), 'utf8'), '"name": "a\\u202eb"');
      assert.equal(readFileSync(join(folder, 'mode'), 'utf8'), '600\n');
      assert.deepEqual(readdirSync(folder).sort(), ['editor', 'mode', 'seen']);
    });

    for (const [what, text, exit, words] of [
      ['no JSON', '{"name":', 0, 'the parameters'],
      ['no object', '[1]', 0, 'not a JSON object'],
      ['a key twice', '{"name":"a","name":"b"}', 0, 'the parameters'],
      ['what it was', '{"name":"shopping list","count":3}', 0, 'the same as before'],
      ['an editor that failed', '{"name":"b"}', 1, 'did not end well'],
    ] as const) {
      it(`approves nothing at ${what}`, async () => {
        env = { ...env, EDITOR: editor(text, exit) };
        const terminal = inTerminal('modify', row.id);
        assert.include([1, 2], await terminal.ended);
        assert.include(terminal.output, words);
        assert.isEmpty(broker.called('Approve'));
      });
    }

    it('takes parameters from the command line, and asks all the same', async () => {
      const terminal = inTerminal('modify', row.id, '--params', '{"name":"other"}');
      await terminal.until('"name": "other"');
      await terminal.until('Your answer');
      terminal.type('no\r');
      assert.equal(await terminal.ended, 5);
      assert.isEmpty(broker.called('Approve'));
    });

    it('needs an editor, a terminal and something to change', async () => {
      const terminal = inTerminal('modify', row.id);
      assert.equal(await terminal.ended, 1);
      assert.include(terminal.output, 'export EDITOR');
      assert.propertyVal((await json('modify', row.id)).json.error, 'code', 'NotATerminal');
      pending(pendingRow({ choices: ['once', 'deny'] }));
      const args = ['modify', row.id, '--params', '{"a":1}', '--digest', row.digest];
      assert.include((await json(...args)).stderr, '`modified` has no effect here');
      assert.isEmpty(broker.called('Approve'));
    });
  });

  it('[R86] deny takes a note and can last for the session', async () => {
    const { code, stdout } = await run('deny', '3f2a9c1e', '--note', 'not before Friday', '--session');
    assert.equal(code, 0);
    assert.match(stdout, /^denied {2}notes\.org\.example\.notes\.delete\n/);
    assert.deepEqual(sent('Deny'), [row.id, { note: 'not before Friday', session: true }]);
  });

  it('later and extend leave it undecided', async () => {
    assert.equal((await run('later', row.id)).code, 0);
    assert.match((await run('extend', row.id)).stdout, /ends in \d+ min\n$/);
    assert.deepEqual([sent('Later'), sent('Extend')], [[row.id], [row.id]]);
  });

  describe('watch', () => {
    const emit = (member: string, signature: string, body: readonly unknown[]): void =>
      broker.connection.emit({ path: ROOT_PATH, interface: OPERATOR, member, signature, body });

    it('shows what waits, what changes, who acts and what can be undone, until Ctrl-C', async () => {
      const terminal = inTerminal('watch');
      await terminal.until('3f2a9c1e  pending');
      await terminal.until('Watching');
      pending(pendingRow({ state: 'executed' }), pendingRow({ id: '11111111-1' }));
      emit('PendingChanged', 'as', [[row.id]]);
      await terminal.until('3f2a9c1e  executed');
      emit('Acting', 'sb', ['assistant', true]);
      await terminal.until('assistant acts');
      emit('Acted', 'sst', ['i1', 'delete of Notes\x1b[2J', BigInt(Date.now() + 30_000)]);
      await terminal.until('done: delete of Notes\\u{1b}[2J');
      await terminal.until('portalctl undo i1');
      terminal.type('\x03');
      assert.equal(await terminal.ended, 0);
      assert.notInclude(terminal.output, '11111111');
    });

    it('goes on with another broker, and tells a program in JSON Lines', async () => {
      const terminal = inTerminal('watch', '--json');
      await terminal.until(`{"row":{"id":"${row.id}"`);
      emit('Acting', 'sb', ['assistant', false]);
      await terminal.until('{"acting":{"principal":"assistant","active":false}}');
      emit('Acted', 'sst', ['i1', 's', 0n]);
      await terminal.until('{"acted":{"invocation":"i1","summary":"s","undo_until":null}}');
      await broker.stop();
      broker = await FakeBroker.start(bus, {
        Pending: () => [JSON.stringify([pendingRow({ id: 'another-1' })])],
      });
      emit('PendingChanged', 'as', [['another-1']]);
      await terminal.until('"id":"another-1"');
      await terminal.close();
    });
  });

  it('names the place where parameters are no JSON', async () => {
    const { stderr } = await run('modify', row.id, '--digest', row.digest, '--params', '{"a":{"b":1,"b":2}}');
    assert.include(stderr, 'at `/a');
  });
});
