// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assert } from 'chai';

describe('the log', () => {
  const source = join(import.meta.dirname, '../../broker/log.ts');
  /** What a process of its own writes to standard error. */
  const run = (script: string): readonly Readonly<Record<string, unknown>>[] => {
    const args = [
      '--input-type=module',
      '-e',
      `import { openLog } from '${source}'; const log = openLog(); ${script}`,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    ids = stdout.trim().split('\n');
    return stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  let ids: readonly unknown[] = [];
  let lines: readonly Readonly<Record<string, unknown>>[] = [];

  before(() => {
    lines = run(`
      class Odd extends TypeError { code = 'ODD'; }
      const secret = 'hunter2\\n    at hunter2 (a:1:1)';
      const named = Object.assign(new Odd(secret), { name: secret });
      const nameless = Object.assign(new Error(''), { name: secret });
      for (const error of [named, nameless, secret, Object.assign(new Error('x'), { stack: undefined, code: 5 })])
        console.log(log.fault(error));
      log.info('ready', { name: 'org.portal.Broker1', tier: 1 });
      log.info('plain');
      log.checkpoint({ head: 'abc', count: 7 });
    `);
  });

  it('[R117] says where and as what something failed, and none of its words', () => {
    const [named, empty, text, bare] = lines;
    assert.deepInclude(named, { level: 50, msg: 'fault', kind: 'Odd', code: 'ODD' });
    assert.include(JSON.stringify(named?.at), '[eval1]');
    assert.deepInclude(empty, { kind: 'Error' });
    assert.deepInclude(text, { msg: 'fault', kind: 'string' });
    assert.deepInclude(bare, { kind: 'Error', at: [] });
    assert.notProperty(bare, 'code');
    assert.notInclude(JSON.stringify(lines), 'hunter2');
  });

  it('gives the caller an id that leads to the line', () => {
    assert.deepEqual(
      ids,
      lines.slice(0, 4).map(({ fault }) => fault),
    );
    assert.lengthOf(new Set(ids), 4);
    for (const id of ids) assert.match(String(id), /^[0-9a-f]{12}$/);
  });

  it('writes facts, and the end of the chain', () => {
    assert.deepInclude(lines[4], { level: 30, msg: 'ready', name: 'org.portal.Broker1', tier: 1 });
    assert.deepInclude(lines[5], { level: 30, msg: 'plain' });
    assert.deepInclude(lines[6], { msg: 'audit checkpoint', head: 'abc', count: 7 });
  });
});
