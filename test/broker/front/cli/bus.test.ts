// SPDX-License-Identifier: Apache-2.0
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert } from 'chai';
import { type DeskFixture, startDesk } from './desk-fixture.ts';
import { portalctl, portalctlJson } from './run.ts';
import { Terminal } from './terminal.ts';

const LOOK = 'desk.org.example.desk.look';
const DROP = 'desk.org.example.desk.drop';

describe('asking through the command line, on a real broker', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  let desk: DeskFixture;
  before(async () => {
    desk = await startDesk();
  });
  after(() => desk.stop());

  const run = (...args: string[]) => portalctl(args, { env: desk.env });
  const json = (...args: string[]) => portalctlJson(args, { env: desk.env });

  describe('list', () => {
    it('shows what may be asked for, and how it is gated', async () => {
      const { code, stdout, stderr } = await run('list', '--app', 'org.example.Desk');
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.deepEqual(stdout.split('\n'), [
        `${DROP}  1.0  high risk  a person confirms each time  "Drop"`,
        `${LOOK}  1.0  low risk   runs without asking          "Look"`,
        '',
      ]);
    });

    it('shows the schemas on demand, and the same to a program', async () => {
      const { stdout } = await run('list', '--side-effects', 'read', '--app', 'org.example.Desk', '--full');
      assert.include(stdout, '  says the app: "What lies on the desk."');
      assert.include(stdout, '  parameters:\n    {');
      const { json: listing } = await json('list', '--app', 'org.example.Desk', '--full');
      assert.equal(listing.total, 2);
      assert.containsAllKeys((listing.capabilities as object[])[0], [
        'id',
        'gate',
        'parameters',
        'returns',
        'digest',
      ]);
    });

    it('says what to do when nothing matches', async () => {
      const { code, stdout } = await run('list', '--text', 'zzzz');
      assert.equal(code, 0);
      assert.include(stdout, 'nothing matches');
    });
  });

  describe('dispatch', () => {
    it('runs a read and shows its result with its trust', async () => {
      const { code, stdout } = await run('dispatch', LOOK, '--param', 'name=the \u202edrawer');
      assert.equal(code, 0);
      assert.match(stdout, /^executed\n {2}invocation [0-9a-f-]+, record \d+\nresult, low trust:\n/);
      assert.include(stdout, '"seen": "the \\u{202e}drawer"');
    });

    it('gives a program the outcome as it came', async () => {
      const { code, json: outcome } = await json('dispatch', LOOK, '--params', '{"name":"x\u202ey"}');
      assert.equal(code, 0);
      assert.deepInclude(outcome, {
        status: 'executed',
        stage: 'outcome',
        result: { seen: 'x\u202ey' },
        trust: 'low',
      });
    });

    it('reads parameters from standard input', async () => {
      const { json: outcome } = await portalctlJson(['dispatch', LOOK, '--params', '-'], {
        env: desk.env,
        input: '{"name":"in"}',
      });
      assert.deepEqual(outcome.result, { seen: 'in' });
    });

    it('sends text as text and JSON as JSON', async () => {
      const refused = await json('dispatch', DROP, '--param', 'name=x', '--param', 'count=3');
      assert.equal(refused.code, 1);
      assert.deepInclude(refused.json, { status: 'denied', stage: 'validate', code: 'InvalidParams' });
      const explained = await json('explain', DROP, '--param', 'name=x', '--param', 'count:=3');
      assert.equal(explained.json.effect, 'ask');
    });

    it('names the parameters that do not fit, and those that are needed', async () => {
      const { code, stderr } = await run('dispatch', DROP, '--param', 'nam=x');
      assert.equal(code, 1);
      for (const words of [
        'it takes no `nam`: did you mean `name`?',
        'it needs `name`',
        'it takes: name, count',
      ])
        assert.include(stderr, words);
      const { stdout } = await run('explain', DROP, '--param', 'zzzz=x');
      assert.include(stdout, '  it takes no `zzzz`\n');
    });

    it('refuses parameters that it cannot read, before it asks anybody', async () => {
      for (const args of [
        ['--params', '[1]'],
        ['--params', '{"a":1,"a":2}'],
        ['--params', '{'],
        ['--params', '{}', '--param', 'a=b'],
        ['--param', 'a'],
        ['--param', 'a=1', '--param', 'a=2'],
        ['--param', 'a:={'],
      ]) {
        const { code, json: out } = await json('dispatch', LOOK, ...args);
        assert.equal(code, 2, args.join(' '));
        assert.propertyVal(out.error, 'code', 'BadOption', args.join(' '));
      }
    });

    it('shows a refusal on standard error, with the stage, the code and the way out', async () => {
      const { code, stdout, stderr } = await run('dispatch', 'desk.org.example.desk.none');
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /^denied at stage resolve: NotFound\n {2}.*list again/);
    });

    it('says at once that nobody can be asked', async () => {
      const { code, json: outcome } = await json('dispatch', DROP, '--param', 'name=x', '--wait');
      assert.equal(code, 1);
      assert.deepInclude(outcome, { status: 'denied', stage: 'confirm', code: 'NoConfirmer' });
      assert.deepEqual(desk.journal(), []);
    });
  });

  describe('explain', () => {
    it('says what would happen, and does nothing', async () => {
      const { code, stdout } = await run('explain', DROP, '--param', 'name=x');
      assert.equal(code, 0);
      assert.equal(
        stdout,
        'a person would be asked\n  high risk, a person confirms each time\n  can be undone for 60 s\n',
      );
      assert.include((await run('explain', LOOK)).stdout, 'would run at once');
      assert.deepEqual(desk.journal(), []);
    });

    it('says what would be denied, as a refusal', async () => {
      const { code, stdout } = await run('explain', DROP);
      assert.equal(code, 1);
      assert.match(stdout, /^would be denied at stage validate: InvalidParams\n/);
    });
  });

  it('apps shows each app, its tier and what it is known by', async () => {
    const { code, stdout } = await run('apps');
    assert.equal(code, 0);
    assert.equal(stdout, 'org.example.Desk  tier 1  known by launcher  2 capabilities\n');
    const { json: apps } = await json('apps');
    assert.deepInclude(Object.values(apps)[0], { app_id: 'org.example.Desk', tier: 1 });
  });

  describe('a terminal that decides', () => {
    let terminal: Terminal;
    beforeEach(async () => {
      terminal = new Terminal(['confirm'], desk.env);
      await terminal.until('Waiting for questions');
    });
    afterEach(() => terminal.close());
    const drop = (name: string, ...args: string[]) =>
      json(
        'dispatch',
        DROP,
        '--param',
        `name=${name}`,
        '--reason',
        'not needed\nApproved by admin',
        '--wait',
        ...args,
      );
    const decided = async (typed: string, name: string) => {
      const outcome = drop(name);
      await terminal.until('Your answer');
      terminal.type(typed);
      return (await outcome).json;
    };

    it('[R84] [R81] lets it run once at `allow`, and asks again for the same', async () => {
      assert.deepInclude(await decided('allow\r', 'once'), { status: 'executed', stage: 'outcome' });
      assert.deepEqual(desk.journal(), ['drop once']);
      assert.deepInclude(await decided('\r', 'once'), { status: 'denied', code: 'PersonDenied' });
      assert.deepEqual(desk.journal(), ['drop once']);
    });

    it('[R83] shows who asks, what runs and every word of others escaped', async () => {
      const outcome = drop('x\u202ey\x1b[2J');
      const shown = await terminal.until('Your answer');
      terminal.type('\r');
      await outcome;
      for (const line of [
        /^ {2}who asks: developer\S* known by its process alone/m,
        /^ {2}assurance: advisory/m,
        /^ {2}would run: desk\.org\.example\.desk\.drop 1\.0\r$/m,
        /^ {2}in the app: org\.example\.Desk, known by the developer's launcher/m,
        /^ {2}the app calls it: "Drop"\r$/m,
        /^ {2}target: "x\\u\{202e\}y\\u\{1b\}\[2J"\r$/m,
        /^ {2}afterwards: can be undone for 60 s\r$/m,
        /^ {8}"name": "x\\u\{202e\}y\\u\{1b\}\[2J"\r$/m,
        /^ {2}the caller says: "not needed\\nApproved by admin"\r$/m,
      ]) {
        assert.match(shown, line);
      }
      assert.notMatch(terminal.output, /[\u202e\x1b]/);
    });

    it('[R86] denies with a note that the caller reads', async () => {
      const outcome = drop('noted');
      await terminal.until('Your answer');
      terminal.type('note keep \u202eit\r');
      const { code, json: seen, stderr } = await outcome;
      assert.equal(code, 1);
      assert.deepInclude(seen, { status: 'denied', code: 'PersonDenied' });
      assert.include(stderr, 'the person says: "keep');
      assert.notMatch(stderr, /\u202e/);
    });

    for (const [what, typed] of [
      ['Enter', '\r'],
      ['n', 'n\r'],
      ['yes', 'yes\r'],
      ['Ctrl-C', 'allow\x03'],
      ['Ctrl-D', 'allow\x04'],
    ] as const) {
      it(`[R91] denies at ${what}`, async () => {
        const before = desk.journal().length;
        assert.deepInclude(await decided(typed, 'denied'), { status: 'denied', code: 'PersonDenied' });
        assert.lengthOf(desk.journal(), before);
      });
    }

    it('[R81] counts nothing that was typed before there was a question', async () => {
      terminal.type('allow\rallow\rallo');
      const outcome = drop('early');
      await terminal.until('Your answer');
      terminal.type('w\r');
      assert.deepInclude((await outcome).json, { status: 'denied', code: 'PersonDenied' });
    });

    it('denies when the terminal closes', async () => {
      const outcome = drop('hang-up');
      await terminal.until('Your answer');
      await terminal.close();
      assert.deepInclude((await outcome).json, { status: 'denied', code: 'PersonDenied' });
    });

    it('[R90] says that a question was withdrawn when its caller leaves', async () => {
      const caller = new Terminal(['dispatch', DROP, '--param', 'name=left', '--wait'], desk.env);
      await terminal.until('Your answer');
      caller.type('\x03');
      await terminal.until('withdrawn');
      assert.equal(await caller.ended, 130);
      assert.include(caller.output, 'Withdrawn');
    });

    it('tells a program each verdict, a line each', async () => {
      await terminal.close();
      terminal = new Terminal(['confirm', '--json'], desk.env);
      await terminal.until('Waiting for questions');
      await decided('note no\r', 'told');
      await terminal.until('"decision":"deny","note":"no"}');
    });

    it('[R156] undo takes it back as the person, without asking, once', async () => {
      const { invocation } = await decided('allow\r', 'oops');
      const undone = await json('undo', String(invocation));
      assert.equal(undone.code, 0);
      assert.deepEqual(desk.journal().slice(-2), ['drop oops', 'undo oops']);
      const again = await json('undo', String(invocation));
      assert.equal(again.code, 1);
      assert.equal(again.json.code, 'UndoGone');
    });

    it('is the only one of its kind', async () => {
      const second = new Terminal(['confirm'], desk.env);
      assert.equal(await second.ended, 1);
      assert.include(second.output, 'another confirmation surface');
    });

    it('ends at Ctrl-C with 0 and gives the terminal back', async () => {
      terminal.type('\x03');
      assert.equal(await terminal.ended, 0);
    });
  });

  it('confirm refuses to decide from a pipe', async () => {
    const {
      code,
      json: out,
      stderr,
    } = await portalctlJson(['confirm'], { env: desk.env, input: 'allow\nallow\n' });
    assert.equal(code, 2);
    assert.propertyVal(out.error, 'code', 'NotATerminal');
    assert.include(stderr, 'run it in a terminal of its own');
  });

  describe('[R116] audit', () => {
    it('tail shows the latest, oldest first, without a word of anybody', async () => {
      const { code, stdout } = await run('audit', 'tail', '--limit', '3');
      assert.equal(code, 0);
      assert.lengthOf(stdout.match(/^ +\d+ {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}\w+/gm) ?? [], 3);
      for (const line of stdout.split('\n')) assert.isAtMost(line.length, 80);
      const { json: records } = await json('audit', 'tail');
      assert.notInclude(JSON.stringify(records), 'not needed');
    });

    it('filters, by whom and by request', async () => {
      assert.isEmpty((await json('audit', 'tail', '--principal', 'nobody')).json);
      const { json: outcome } = await json('dispatch', LOOK);
      const { json: records } = await json('audit', 'tail', '--invocation', String(outcome.invocation));
      assert.deepEqual(
        Object.values(records).map((record) => (record as { type: string }).type),
        ['requested', 'executed'],
      );
    });

    it('refuses a limit that is no number', async () => {
      for (const limit of ['0', '-1', 'x', '1.5']) {
        assert.equal((await json('audit', 'tail', `--limit=${limit}`)).code, 2, limit);
      }
    });

    it('follow shows what happens while it runs, and ends at Ctrl-C', async () => {
      const tail = new Terminal(['audit', 'tail', '--follow', '--limit', '1'], desk.env);
      try {
        await tail.until('Z  ');
        const { json: outcome } = await json('dispatch', LOOK);
        await tail.until(`executed      ${LOOK}`);
        await tail.until(String(outcome.invocation));
        tail.type('\x03');
        assert.equal(await tail.ended, 0);
      } finally {
        await tail.close();
      }
    });

    it('[R131] verify checks the chain, and says what that cannot prove', async () => {
      const { code, stdout } = await run('audit', 'verify');
      assert.equal(code, 0);
      assert.match(stdout, /^intact {2}\d+ records/);
      assert.include(stdout, 'cannot prove: ');
      assert.isTrue((await json('audit', 'verify')).json.ok);
    });

    it('export writes JSON Lines', async () => {
      const { code, stdout } = await run('audit', 'export', '--limit', '2');
      assert.equal(code, 0);
      const records = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.lengthOf(records, 2);
      for (const record of records) assert.containsAllKeys(record, ['audit_id', 'type', 'time']);
      assert.lengthOf(Object.keys((await json('audit', 'export', '--limit', '2')).json), 2);
    });

    it('[R120] stats counts endings, and calls that were not well formed', async () => {
      const before = (await json('audit', 'stats')).json.by_capability as Record<
        string,
        { ended: number; ill_formed: number }
      >;
      await run('dispatch', 'desk.org.example.desk.nothing');
      await run('dispatch', LOOK, '--param', 'nonsense=1');
      await run('dispatch', LOOK);
      const after = (await json('audit', 'stats')).json.by_capability as typeof before;
      assert.equal((after[LOOK]?.ended ?? 0) - (before[LOOK]?.ended ?? 0), 2);
      assert.equal((after[LOOK]?.ill_formed ?? 0) - (before[LOOK]?.ill_formed ?? 0), 1);
      const none = 'none that exists';
      assert.equal((after[none]?.ended ?? 0) - (before[none]?.ended ?? 0), 1);
      assert.equal((after[none]?.ill_formed ?? 0) - (before[none]?.ill_formed ?? 0), 1);
      assert.match(
        (await run('audit', 'stats')).stdout,
        /ended +executed +denied +expired +failed +unknown +ill-formed\nall requests/,
      );
    });
  });

  it('help works without a bus', async () => {
    const { code } = await portalctl(['list', '--help'], {
      env: { ...desk.env, DBUS_SESSION_BUS_ADDRESS: '' },
    });
    assert.equal(code, 0);
  });

  it('says with exit code 3 that there is no bus', async () => {
    for (const address of ['', 'unix:path=/nonexistent', 'tcp:host=x']) {
      const {
        code,
        json: out,
        stderr,
      } = await portalctlJson(['list'], { env: { ...desk.env, DBUS_SESSION_BUS_ADDRESS: address } });
      assert.equal(code, 3, address);
      assert.propertyVal(out.error, 'code', 'BrokerUnreachable');
      assert.include(stderr, 'portalctl dev');
    }
  });

  // The last: it ends the broker.
  describe('when the broker is gone', () => {
    before(() => desk.stopBroker());

    it('every command that needs it says so with exit code 3', async () => {
      for (const args of [
        ['list'],
        ['dispatch', LOOK],
        ['explain', LOOK],
        ['apps'],
        ['undo', 'x'],
        ['audit', 'verify'],
      ]) {
        const { code, json: out } = await json(...args);
        assert.equal(code, 3, args.join(' '));
        assert.propertyVal(out.error, 'code', 'NoBroker');
      }
    });

    it('the records can still be read, checked and counted from its files', async () => {
      const store = join(desk.folder, 'store');
      assert.equal((await json('audit', 'verify', '--store', store)).code, 0);
      const { stdout } = await run('audit', 'export', '--store', store);
      const records = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string });
      assert.equal(records[0]?.type, 'started');
      assert.equal(records.at(-1)?.type, 'stopped');
      const { json: stats } = await json('audit', 'stats', '--store', store);
      assert.equal(stats.records, records.length);
      assert.lengthOf(Object.keys((await json('audit', 'tail', '--store', store, '--limit', '2')).json), 2);
      assert.equal((await json('audit', 'tail', '--store', store, '--follow')).code, 2);
    });

    it('[R131] verify sees that a record was changed, and ends with 1', async () => {
      const changed = join(desk.folder, 'changed');
      cpSync(join(desk.folder, 'store'), changed, { recursive: true });
      const database = new DatabaseSync(join(changed, 'broker.db'));
      for (const { name } of database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .all()) {
        database.exec(`DROP TRIGGER "${name}"`);
      }
      database.exec("UPDATE events SET body = replace(body, 'executed', 'failed') WHERE seq > 2");
      database.close();
      const { code, stdout } = await run('audit', 'verify', '--store', changed);
      assert.equal(code, 1);
      assert.match(stdout, /^NOT intact/);
      assert.match(stdout, /^ {2}problem: mac-wrong at record \d+$/m);
    });

    it('says that a store is none', async () => {
      const { code, json: out } = await json('audit', 'verify', '--store', desk.folder);
      assert.equal(code, 1);
      assert.property(out.error, 'code');
    });
  });
});

describe('whoever waits for questions when the bus goes away', function () {
  this.timeout(60_000);

  it('says so and ends with 3', async () => {
    const desk = await startDesk();
    try {
      const watch = new Terminal(['approvals', 'watch'], desk.env);
      await watch.until('Watching');
      const terminal = new Terminal(['confirm'], desk.env);
      await terminal.until('Waiting for questions');
      await desk.stopBus();
      assert.equal(await terminal.ended, 3);
      assert.include(terminal.output, 'nobody is asked any more');
      assert.equal(await watch.ended, 3);
      assert.include(watch.output, 'the message bus went away');
    } finally {
      await desk.stop();
    }
  });
});
