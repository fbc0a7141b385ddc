// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { connectBroker } from '../../../../broker/client.ts';
import { type DeskFixture, startDesk } from './desk-fixture.ts';
import { portalctl, portalctlJson } from './run.ts';
import { Terminal } from './terminal.ts';

const LOOK = 'desk.org.example.desk.look';
const DROP = 'desk.org.example.desk.drop';

describe('the person at the command line, on a real broker', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  let desk: DeskFixture;
  let watch: Terminal;
  before(async () => {
    desk = await startDesk();
  });
  after(() => desk.stop());
  beforeEach(async () => {
    watch = new Terminal(['approvals', 'watch'], desk.env);
    await watch.until('Watching');
  });
  afterEach(() => watch.close());

  const run = (...args: string[]) => portalctl(args, { env: desk.env });
  const json = (...args: string[]) => portalctlJson(args, { env: desk.env });
  /** Dispatches, and waits until the question is in the list; its id there. */
  const asked = async (name: string) => {
    const outcome = json('dispatch', DROP, '--param', `name=${name}`, '--wait');
    await watch.until('pending ');
    const rows = Object.values((await json('approvals', 'list')).json) as { id: string; digest: string }[];
    const row = rows.at(-1);
    if (row === undefined) throw new Error('nothing waits');
    return { ...row, outcome };
  };

  it('[R84] [R88] [R92] approves what waits after it was shown, and it runs at once', async () => {
    const { id, outcome } = await asked('shown');
    const terminal = new Terminal(['approvals', 'approve', id], desk.env, 80);
    const shown = await terminal.until('Your answer');
    assert.include(shown, '"name": "shown"');
    terminal.type('allow\r');
    assert.equal(await terminal.ended, 0);
    assert.deepInclude((await outcome).json, { status: 'executed' });
    assert.include(desk.journal(), 'drop shown');
    await watch.until('executed');
    assert.match((await run('approvals', 'list', '--ended')).stdout, /executed/);
    const again = await json('approvals', 'approve', id, '--digest', '00');
    assert.equal(again.code, 1);
  });

  it('[R87] approves what was changed, and never the original', async () => {
    const { id, digest, outcome } = await asked('tpyo');
    const args = ['approvals', 'modify', id, '--digest', digest, '--params'];
    const elsewhere = await json(...args, '{"name":"tpyo","unknown":1}');
    assert.equal(elsewhere.code, 1);
    assert.propertyVal(elsewhere.json.error, 'code', 'InvalidParams');
    assert.equal((await run(...args, '{"name":"tpyo","count":2}')).code, 0);
    assert.deepInclude((await outcome).json, { status: 'executed' });
  });

  it('[R86] denies with a note, and refuses to approve it afterwards', async () => {
    const { id, digest, outcome } = await asked('kept');
    assert.equal((await run('approvals', 'later', id)).code, 0);
    assert.equal((await run('approvals', 'extend', id)).code, 0);
    assert.equal((await run('approvals', 'deny', id, '--note', 'keep it')).code, 0);
    const { json: seen, stderr } = await outcome;
    assert.deepInclude(seen, { status: 'denied', code: 'PersonDenied' });
    assert.include(stderr, 'the person says: "keep it"');
    assert.equal((await run('approvals', 'approve', id, '--digest', digest)).code, 1);
    assert.notInclude(desk.journal(), 'drop kept');
  });

  it('[R151] suspends everybody, and lets them go on', async () => {
    assert.include((await run('suspend', '--all')).stdout, 'suspended  everybody, until resumed');
    const denied = await json('dispatch', LOOK);
    assert.deepInclude(denied.json, { status: 'denied', stage: 'policy' });
    assert.equal((await run('resume', '--all')).code, 0);
    assert.deepInclude((await json('dispatch', LOOK)).json, { status: 'executed' });
  });

  it('[R130] adds a rule, sees who it concerns, and removes it', async () => {
    const made = await json('policy', 'add', '--effect', 'DENY', '--capability', LOOK, '--reason', 'not now');
    assert.equal(made.code, 0);
    assert.deepInclude((await json('dispatch', LOOK)).json, { status: 'denied', code: 'PolicyDenied' });
    assert.include((await run('policy', 'list')).stdout, 'because "not now"');
    const matrix = Object.values((await json('policy', 'matrix', '--capability', LOOK)).json);
    assert.isTrue(matrix.every((row) => (row as { effect: string }).effect === 'deny'));
    const weaker = ['--effect', 'ALLOW', '--capability', LOOK, '--reason', 'or now'];
    const odd = await json('policy', 'add', ...weaker);
    assert.isNotEmpty(odd.json.findings);
    assert.equal((await run('policy', 'lint')).code, 1);
    for (const { json: rule } of [made, odd]) {
      assert.equal((await run('policy', 'remove', String(rule.id))).code, 0);
    }
    assert.deepInclude((await json('dispatch', LOOK)).json, { status: 'executed' });
    assert.equal((await run('policy', 'lint')).code, 0);
  });

  it('[R104] [R107] grants, narrows and revokes, and answers what is asked for', async () => {
    const bounds = ['--minutes', '60', '--operations', '5', '--target', '**', '--access', 'write'];
    const who = ['--principal', 'developer', '--capability', DROP, '--reason', 'tests'];
    const made = await json('grants', 'add', ...who, ...bounds);
    assert.equal(made.code, 0, made.stderr);
    const id = String(made.json.id);
    assert.equal((await run('grants', 'narrow', id, '--operations', '2')).code, 0);
    const wider = await json('grants', 'narrow', id, '--operations', '9');
    assert.propertyVal(wider.json.error, 'code', 'GrantInvalid');
    assert.include((await run('grants', 'list')).stdout, '2 times more');
    assert.equal((await run('grants', 'revoke', id)).code, 0);
    const caller = await connectBroker({ address: String(desk.env.DBUS_SESSION_BUS_ADDRESS) });
    const request = { capability: DROP, access: 'write', minutes: 5, operations: 1, reason: 'tidy' } as const;
    const asking = await caller.requestCapability({ ...request, target: 'x' });
    assert.include((await run('requests', 'list')).stdout, '  it says why: "tidy"');
    assert.equal((await run('requests', 'deny', asking, '--note', 'no')).code, 0);
    const { requests } = await caller.selfModel();
    assert.deepEqual(requests, [{ id: asking, capability: DROP, state: 'denied', note: 'no' }]);
    await caller.close();
  });

  it('[R113] self-model says what may be done', async () => {
    const { stdout } = await run('self-model');
    assert.include(stdout, `runs without asking\n`);
    assert.include(stdout, `  ${LOOK}\n`);
    assert.match(
      stdout,
      new RegExp(`a person confirms each time\n(?: .*\n)*  ${DROP.replaceAll('.', '\\.')}\n`),
    );
  });
});
