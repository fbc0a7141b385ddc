// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { useBus } from '../../../support/bus.ts';
import { ruleRow } from '../../client/rows.ts';
import { FakeBroker } from '../../fake-broker.ts';
import { portalctl, portalctlJson } from './run.ts';

const NEVER = { capability: 'a.b.c', effect: 'DENY', reason: 'never' };
const SHADOWED = { capability: 'a.b.c', effect: 'ALLOW', target: '/home/**', reason: 'at home' };
const MINE = { scope: 'x', effect: 'ALLOW', target: '/a/*', reason: 'one' };
const YOURS = { scope: 'x', effect: 'DENY', target: '/a/b*', reason: 'two' };

describe('policy files before they are installed, without a broker', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-drafts-'));
    env = { ...process.env, NO_COLOR: '1', TMPDIR: folder, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const run = (...args: string[]) => portalctl(['policy', ...args], { env });
  const json = (...args: string[]) => portalctlJson(['policy', ...args], { env });

  it('check says which the broker would take, and leaves nothing behind', async () => {
    const good = file('10-office.json', { rules: [NEVER], locked: ['system.power'] });
    const { code, stdout } = await run('check', good, file('20-own.json', { rules: [] }));
    assert.equal(code, 0);
    assert.equal(stdout, `good     ${good}: 1 rule, 1 locked\ngood     ${folder}/20-own.json: 0 rules\n`);
    assert.deepEqual(readdirSync(folder).sort(), ['10-office.json', '20-own.json']);
  });

  for (const [what, content, line, at] of [
    [
      'an hour of 25',
      '{"rules": [\n{"effect":"DENY","reason":"r",\n"hours":{"from":25,"to":3}}]}',
      3,
      '/rules/0/hours/from',
    ],
    ['an unknown field', '{"rules":[\n{"effect":"DENY","reason":"r","efect":1}]}', 2, '/rules/0/efect'],
    [
      'a glob past the cap',
      `{"rules":[{"effect":"DENY","reason":"r",\n"target":"${'{a,b}'.repeat(11)}"}]}`,
      2,
      '/rules/0/target',
    ],
    ['a key twice', '{"rules":[],\n"rules":[]}', 2, '/rules'],
  ] as const) {
    it(`check names line and place of ${what}`, async () => {
      const path = file('10-office.json', content);
      const { code, json: out } = await json('check', path);
      assert.equal(code, 1);
      const [{ refused }] = out.files as [{ refused: { line: number; at: string; reason: string } }];
      assert.deepInclude(refused, { line, at });
      const { stdout } = await run('check', path);
      assert.include(stdout, `refused  ${path}:${line}\n         ${refused.reason} (at ${at})\n`);
    });
  }

  it("check takes no ALLOW in a user's file, and no name that is none", async () => {
    const path = file('10-office.json', { rules: [{ effect: 'ALLOW', reason: 'r' }] });
    assert.equal((await run('check', path)).code, 0);
    assert.equal((await run('check', '--user', path)).code, 1);
    const named = await run('check', file('My Rules.json', { rules: [] }), file('rules.txt', { rules: [] }));
    assert.equal(named.code, 1);
    assert.include(named.stdout, 'its name must be short');
    assert.include(named.stdout, 'whose name ends with `.json`');
    assert.equal((await json('check', join(folder, 'none.json'))).code, 1);
  });

  it('[R127] [R129] lint names the rule in the way and an example, over all files together', async () => {
    const one = file('10-one.json', { rules: [NEVER, MINE] });
    const two = file('20-two.json', { rules: [SHADOWED, YOURS] });
    const { code, json: out } = await json('lint', one, two);
    assert.equal(code, 1);
    const findings = out.findings as readonly { kind: string; rule: string; by: string; example?: string }[];
    assert.equal(out.rules, 4);
    const shadowed = findings.find(({ kind }) => kind === 'shadowed');
    assert.deepInclude(shadowed, { rule: 'root:20-two:1', by: 'root:10-one:1' });
    const conflict = findings.find(({ kind }) => kind === 'conflict');
    assert.sameMembers([conflict?.rule, conflict?.by], ['root:10-one:2', 'root:20-two:2']);
    assert.match(conflict?.example ?? '', /^\/a\/b[^/]*$/);
    const shown = await run('lint', one, two);
    for (const words of ['root:10-one:1', 'root:20-two:1', conflict?.example ?? 'none'])
      assert.include(shown.stdout, words);
    for (const line of shown.stdout.split('\n')) assert.isAtMost(line.length, 80, line);
  });

  it('lint has nothing to say about what is fine, and judges nothing that would be refused', async () => {
    const fine = file('10-office.json', { rules: [NEVER] });
    const { code, stdout } = await run('lint', fine);
    assert.equal(code, 0);
    assert.equal(stdout, 'nothing odd about 1 rule\n');
    const broken = await run('lint', fine, file('20-bad.json', '{'));
    assert.equal(broken.code, 1);
    assert.include(broken.stderr, '20-bad.json');
    assert.include(broken.stderr, 'see `portalctl policy check`');
  });

  describe('with a broker', () => {
    const bus = useBus();

    it('lint judges the rules that hold', async () => {
      const broker = await FakeBroker.start(bus);
      env = { ...env, DBUS_SESSION_BUS_ADDRESS: bus.address };
      const rules = [
        ruleRow({ ...NEVER }),
        ruleRow({ ...SHADOWED, id: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', source: 'person' }),
      ];
      broker.answers.Rules = () => [JSON.stringify({ rules, locked: [], files: [] })];
      const { code, stdout } = await run('lint');
      await broker.stop();
      assert.equal(code, 1);
      assert.match(stdout, /^shadowed/);
      assert.include(stdout, 'root:10-office:1');
    });
  });
});
