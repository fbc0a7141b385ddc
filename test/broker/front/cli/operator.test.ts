// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { OPERATOR } from '../../../../broker/bus/names.ts';
import { DBusError } from '../../../../dbus/error.ts';
import { asDictionary } from '../../../../dbus/values.ts';
import { useBus } from '../../../support/bus.ts';
import { grantRow, matrixRow, requestRow, ruleRow } from '../../client/rows.ts';
import { FakeBroker } from '../../fake-broker.ts';
import { portalctl, portalctlJson, type Ran } from './run.ts';
import { Terminal } from './terminal.ts';

const WRITE = 'notes.org.example.notes.write';
const GRANT = ['--principal', 'assistant', '--capability', WRITE, '--access', 'write', '--reason', 'drafts'];
const MADE = {
  id: 'g1',
  findings: [{ kind: 'shadowed', rule: 'g1', text: 'no effect', by: 'r9', example: '/x' }],
};

describe('what the person decides ahead, at the command line', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  const bus = useBus();
  let broker: FakeBroker;
  let folder: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    folder = mkdtempSync(join(tmpdir(), 'portal-operator-'));
    env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: bus.address, NO_COLOR: '1' };
  });
  afterEach(async () => {
    await broker.stop();
    rmSync(folder, { recursive: true });
  });

  const answers = (member: string, value?: unknown): void => {
    broker.answers[member] = () => (value === undefined ? [] : [JSON.stringify(value)]);
  };
  const run = (...args: string[]) => portalctl(args, { env });
  const json = (...args: string[]) => portalctlJson(args, { env });
  const sent = (member: string): readonly unknown[] =>
    (broker.called(member).at(-1)?.args ?? []).map((arg) =>
      typeof arg === 'object' ? Object.fromEntries(asDictionary(arg)) : arg,
    );
  const file = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const fits = ({ stdout }: Ran): void => {
    for (const line of stdout.split('\n')) assert.isAtMost(line.length, 80, line);
  };
  const refused = async (exit: number, code: string, ...args: string[]): Promise<void> => {
    const { code: found, json: out } = await json(...args);
    assert.equal(found, exit, args.join(' '));
    assert.propertyVal(out.error, 'code', code, args.join(' '));
  };

  describe('[R107] [R108] grants', () => {
    it('are listed with all that bounds them', async () => {
      answers('Grants', [grantRow(), grantRow({ kind: 'session', reason: '' })]);
      const shown = await run('grants', 'list');
      fits(shown);
      assert.include(shown.stdout, `6ec0bd7f  ${WRITE}`);
      for (const words of ['on "draft-*"', 'where /folder is "drafts"', '7 times more', 'ends in 1 h'])
        assert.include(shown.stdout, words);
      assert.include(shown.stdout, 'for this session');
      answers('Grants', []);
      assert.equal((await run('grants', 'list')).stdout, 'nothing is granted\n');
    });

    it('are made from options, and what is odd about one is told', async () => {
      answers('AddGrant', MADE);
      const bounds = ['--minutes', '60', '--operations', '20', '--target', 'draft-*', '--param', '/a=b=c'];
      const { code, stdout } = await run('grants', 'add', ...GRANT, ...bounds);
      assert.equal(code, 0);
      assert.equal(
        stdout,
        'granted  g1\nshadowed   of g1: no effect; the rule in its way is r9; for example on "/x"\n',
      );
      assert.deepEqual(JSON.parse(String(sent('AddGrant')[0])), {
        principal: 'assistant',
        capability: WRITE,
        access: 'write',
        reason: 'drafts',
        minutes: 60,
        operations: 20,
        target: 'draft-*',
        params: { '/a': 'b=c' },
      });
    });

    it('are not made of half of what they need, or of what cannot be', async () => {
      const whole = [...GRANT, '--minutes', '60', '--operations', '1'];
      await refused(2, 'BadOption', 'grants', 'add', ...GRANT, '--minutes', '60');
      await refused(2, 'BadOption', 'grants', 'add', ...whole.slice(2));
      await refused(2, 'BadOption', 'grants', 'add', ...GRANT, '--minutes', '10081', '--operations', '1');
      await refused(2, 'BadOption', 'grants', 'add', ...whole, '--param', 'a=b');
      await refused(2, 'BadOption', 'grants', 'add', ...whole, '--param', '/a=b', '--param', '/a=c');
      assert.isEmpty(broker.calls);
      broker.answers.AddGrant = () => {
        throw new DBusError('remote', 'org.portal.Broker1.Error.GrantInvalid', 'at `/target`: no glob');
      };
      await refused(1, 'GrantInvalid', 'grants', 'add', ...whole);
    });

    it('are narrowed and revoked', async () => {
      answers('Grants', [grantRow()]);
      answers('NarrowGrant');
      answers('RevokeGrant');
      assert.equal((await run('grants', 'narrow', '6ec0bd7f', '--operations', '1')).code, 0);
      assert.deepEqual(sent('NarrowGrant'), [grantRow().id, '{"operations":1}']);
      assert.equal((await run('grants', 'revoke', '6ec0bd7f')).code, 0);
      assert.deepEqual(sent('RevokeGrant'), [grantRow().id]);
      await refused(2, 'BadOption', 'grants', 'narrow', '6ec0bd7f');
      await refused(1, 'NotFound', 'grants', 'revoke', 'ffffffff');
    });
  });

  describe('[R104] [R105] [R106] requests', () => {
    const request = requestRow({ reason: 'for \u202eyou\n  you decided before: once' });

    it('are listed whole, in the words of whoever asks', async () => {
      answers('CapabilityRequests', [request]);
      const shown = await run('requests', 'list');
      fits(shown);
      for (const words of [
        '  who asks: assistant',
        `  for: ${WRITE}`,
        'on "draft-*", 20 times, for 2 h',
        '  it says why: "for \\u{202e}you\\n  you decided before: once"',
        '  it points to: "you asked for it"',
        '  without it: "I ask each time"',
        '  all for: "drafting"',
        '  you decided before: once, 1 h ago',
      ])
        assert.include(shown.stdout, words);
      answers('CapabilityRequests', []);
      assert.equal((await run('requests', 'list')).stdout, 'nobody asks for anything\n');
    });

    it('are granted at the terminal after all of it was shown, and narrower', async () => {
      answers('CapabilityRequests', [request]);
      answers('DecideRequest', MADE);
      const terminal = new Terminal(['requests', 'grant', '9a7c1e02', '--operations', '5'], env, 80);
      const shown = await terminal.until('Your answer');
      assert.include(shown, 'it says why: "for \\u{202e}you');
      assert.match(shown, /grant it to read and write, on "draft-\*", 5 times, for 2 h/);
      terminal.type('allow\r');
      assert.equal(await terminal.ended, 0);
      assert.deepEqual(sent('DecideRequest'), [request.id, '{"decision":"grant","grant":{"operations":5}}']);
    });

    it('are not granted at anything else, or from a pipe', async () => {
      answers('CapabilityRequests', [request]);
      const terminal = new Terminal(['requests', 'grant', '9a7c1e02'], env, 80);
      await terminal.until('Your answer');
      terminal.type('yes\r');
      assert.equal(await terminal.ended, 5);
      await refused(2, 'NotATerminal', 'requests', 'grant', request.id);
      await refused(2, 'BadOperand', 'requests', 'grant', '9a7c1e02', '--yes');
      assert.isEmpty(broker.called('DecideRequest'));
      answers('DecideRequest', MADE);
      assert.equal((await run('requests', 'grant', request.id, '--yes')).code, 0);
    });

    it('are denied, with a note', async () => {
      answers('CapabilityRequests', [request]);
      answers('DecideRequest', {});
      assert.equal((await run('requests', 'deny', '9a7c1e02', '--note', 'ask me')).code, 0);
      assert.deepEqual(sent('DecideRequest'), [request.id, '{"decision":"deny","note":"ask me"}']);
    });
  });

  describe('[R151] stopping', () => {
    it('suspends one or all, shows who is, and resumes', async () => {
      answers('Suspend');
      answers('Resume');
      answers('Suspensions', [{ principal: '*' }, { principal: 'a', until: Date.now() + 1_850_000 }]);
      const { stdout } = await run('suspend', 'a', '--minutes', '30');
      assert.equal(stdout, 'suspended  everybody, until resumed\nsuspended  a, for 30 min\n');
      assert.deepEqual(sent('Suspend'), ['a', 30]);
      await run('suspend', '--all');
      assert.deepEqual(sent('Suspend'), ['*', 0]);
      assert.equal((await run('resume', '--all')).stdout, 'resumed  everybody\n');
      assert.deepEqual(sent('Resume'), ['*']);
      answers('Suspensions', []);
      assert.equal((await run('suspend')).stdout, 'nobody is suspended\n');
      assert.lengthOf(broker.called('Suspend'), 2);
    });

    it('never guesses whom', async () => {
      await refused(2, 'BadOption', 'suspend', 'a', '--all');
      await refused(2, 'BadOption', 'suspend', '--minutes', '5');
      await refused(2, 'BadOption', 'suspend', 'a', '--minutes', '0');
      await refused(2, 'BadOperand', 'resume');
      assert.isEmpty(broker.calls);
    });
  });

  describe('the policy in force', () => {
    const person = ruleRow({
      id: '1b9d6bcd-bbfd',
      source: 'person',
      effect: 'ALLOW',
      hours: { from: 22, to: 6 },
    });

    it('is listed with its files, and where one was refused', async () => {
      const refusal = { line: 12, at: '/rules/0/hours', reason: 'must be from 0 to 23' };
      answers('Rules', {
        rules: [ruleRow({ action: 'write', app: 'org.example.Notes', scope: 'a' }), person],
        locked: ['system.power'],
        files: [
          { path: '/p/10-office.json', source: 'root', rules: 1 },
          { path: '/u/20.json', source: 'user', rules: 0, refused: refusal },
        ],
      });
      const shown = await run('policy', 'list');
      fits(shown);
      for (const words of [
        'DENY   root:10-office:1',
        'anything of org.example.Notes that is a write for a',
        'ALLOW  1b9d6bcd',
        "from 22 to 6 o'clock",
        '  system.power',
        '/p/10-office.json: 1 rule\n',
        '  refused: /u/20.json\n    line 12 (/rules/0/hours): must be from 0 to 23\n',
      ])
        assert.include(shown.stdout, words);
      answers('Rules', { rules: [], locked: [], files: [] });
      assert.include((await run('policy', 'list')).stdout, 'there are no rules');
    });

    it('[R101] is shown as who may do what', async () => {
      const rows = [
        matrixRow(),
        matrixRow({ capability: 'x.y', effect: 'deny', rule: 'root:10-office:1' }),
        matrixRow({ capability: 'x.z', effect: 'ask', gate: 'confirm' }),
        matrixRow({ principal: 'b', effect: 'ask', depends_on_target: true, possible: ['ask', 'deny'] }),
      ];
      answers('Matrix', rows);
      const shown = await run('policy', 'matrix', '--app', 'org.example.Notes');
      fits(shown);
      assert.deepEqual(sent('Matrix'), [{ app_id: 'org.example.Notes' }]);
      assert.match(shown.stdout, /^assistant\n {2}notes\.org\.example\.notes\.read {2}runs\n/);
      assert.match(shown.stdout, /^ {2}x\.y +denied +by root:10-office:1$/m);
      assert.match(shown.stdout, /^ {2}x\.z +confirms each time$/m);
      assert.match(shown.stdout, /^b\n.*asks or denied, by the target$/m);
      answers('Matrix', []);
      assert.include((await run('policy', 'matrix')).stdout, 'nobody is known');
    });

    it('[R130] is explained for somebody, with the rule and what would change it', async () => {
      answers(`${OPERATOR}.Explain`, {
        effect: 'deny',
        stage: 'policy',
        code: 'PolicyDenied',
        message: 'do not retry',
        decider: 'rule',
        rule: 'root:10-office:1',
        specificity: 12,
        considered: ['root:10-office:1', 'r2'],
        stages: [{ stage: 'resolve', result: 'passed' }],
        would_change: ['root-rule', 'another-word'],
      });
      const shown = await run('policy', 'explain', 'a.b', '--as', 'assistant', '--param', 'n:=1');
      assert.equal(shown.code, 1);
      fits(shown);
      assert.deepEqual(sent('Explain'), ['assistant', 'a.b', '{"n":1}', {}]);
      for (const words of [
        'would be denied at stage policy: PolicyDenied',
        '  rule: root:10-office:1 (specificity 12)',
        '  also matched: r2',
        "  would change it: change the administrator's rule, another-word",
        '    resolve  passed',
      ])
        assert.include(shown.stdout, words);
      await refused(2, 'BadOption', 'policy', 'explain', 'a.b');
    });

    it('[R129] is tried out against what was recorded', async () => {
      const example = { audit_id: '17', principal: 'a', capability: 'x.y', before: 'allow', after: 'deny' };
      answers('Simulate', {
        decisions: 9,
        same: 5,
        flips: 3,
        depends: 1,
        examples: [{ ...example, verdict: 'flip' }],
      });
      const rules = [{ effect: 'DENY', reason: 'no' }];
      const shown = await run(
        'policy',
        'simulate',
        file('r.json', { rules }),
        '--since',
        '2026-12-01',
        '--limit',
        '9',
      );
      assert.equal(shown.code, 0);
      assert.deepEqual(sent('Simulate'), [
        JSON.stringify(rules),
        { since: BigInt(Date.parse('2026-12-01')), limit: 9 },
      ]);
      assert.include(shown.stdout, '    17  flip  allow -> deny  x.y for a');
      assert.equal((await run('policy', 'simulate', file('list.json', rules))).code, 0);
      await refused(2, 'BadOperand', 'policy', 'simulate', file('none.json', { a: 1 }));
      await refused(2, 'BadOperand', 'policy', 'simulate', file('twice.json', '{"a":1,"a":2}'));
      await refused(2, 'BadOption', 'policy', 'simulate', file('r.json', rules), '--until', 'soon');
    });

    it('gets a rule from options or from a file, and loses one', async () => {
      answers('AddRule', { id: 'r', findings: [] });
      const options = ['--effect', 'deny', '--capability', 'x.y', '--hours', '22-6', '--reason', 'at night'];
      assert.equal((await run('policy', 'add', ...options)).stdout, 'added  r\n');
      const rule = { capability: 'x.y', effect: 'DENY', hours: { from: 22, to: 6 }, reason: 'at night' };
      assert.deepEqual(JSON.parse(String(sent('AddRule')[0])), rule);
      assert.equal((await run('policy', 'add', file('rule.json', rule))).code, 0);
      assert.deepEqual(JSON.parse(String(sent('AddRule')[0])), rule);
      answers('Rules', { rules: [person, ruleRow()], locked: [], files: [] });
      answers('RemoveRule');
      assert.equal((await run('policy', 'remove', '1b9d6bcd')).code, 0);
      assert.deepEqual(sent('RemoveRule'), [person.id]);
      await refused(1, 'Refused', 'policy', 'remove', 'root:10-office:1');
    });

    it('gets no rule that is half or cannot be', async () => {
      for (const args of [
        ['--effect', 'deny'],
        ['--reason', 'r'],
        ['--effect', 'maybe', '--reason', 'r'],
        ['--effect', 'deny', '--reason', 'r', '--hours', '25-3'],
        ['--effect', 'deny', '--reason', 'r', '--hours', '5'],
        ['--effect', 'deny', '--reason', 'r', '--action', 'all'],
        [file('r.json', {}), '--effect', 'deny'],
      ])
        await refused(2, 'BadOption', 'policy', 'add', ...args);
      await refused(2, 'BadOperand', 'policy', 'add', file('list.json', []));
      assert.isEmpty(broker.calls);
      broker.answers.AddRule = () => {
        throw new DBusError('remote', 'org.portal.Broker1.Error.RuleInvalid', '`/target`: no glob');
      };
      await refused(1, 'RuleInvalid', 'policy', 'add', '--effect', 'deny', '--reason', 'r');
    });
  });

  it('[R113] [R114] self-model shows what one may do, and what became of it', async () => {
    const model = {
      principal: 'assistant',
      may: ['a.read'],
      asks: ['a.write'],
      confirms: ['a.delete'],
      forbidden: [],
      depends: [{ capability: 'a.move', possible: ['allow', 'deny'] }],
      grants: [grantRow()],
      requests: [{ id: '9a7c1e02-1', capability: 'a.write', state: 'open' }],
      actions: [{ invocation: 'c0ffee00-1', capability: 'a.read', status: 'executed' }],
    };
    broker.answers.SelfModel = () => [7n, JSON.stringify(model)];
    const shown = await run('self-model');
    fits(shown);
    for (const words of [
      'you are assistant\nruns without asking\n  a.read\n',
      'a person confirms each time\n  a.delete\n',
      'a.move: allow or deny',
      '9a7c1e02  open  a.write',
      'c0ffee00  executed  a.read',
    ])
      assert.include(shown.stdout, words);
    assert.notInclude(shown.stdout, 'forbidden');
    assert.deepEqual((await json('self-model')).json, { epoch: 7, ...model });
  });
});
