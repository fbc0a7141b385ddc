// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { resolvePath } from '../../broker/resolve-path.ts';

describe('resolvePath', () => {
  let room: string;
  const at = (...parts: readonly string[]): string => join(room, ...parts);
  before(() => {
    room = realpathSync(mkdtempSync(join(tmpdir(), 'portal-paths-')));
    mkdirSync(at('real/deep'), { recursive: true });
    writeFileSync(at('real/file'), '');
    symlinkSync(at('real'), at('absolute'));
    symlinkSync('real/deep', at('relative'));
    symlinkSync('../file', at('real/deep/up'));
    symlinkSync('real/new/file', at('dangling'));
    symlinkSync('../../../../../../../../etc/new', at('real/climbing'));
    symlinkSync('turn', at('round'));
    symlinkSync('round', at('turn'));
    symlinkSync('/dev/fd/1', at('mine'));
    symlinkSync(`/proc/${process.pid}/root`, at('roots'));
    symlinkSync('real/', at('slash'));
    symlinkSync('/absent/../etc', at('lost'));
  });
  after(() => rmSync(room, { recursive: true }));

  const rows: readonly [given: string, leadsTo: string][] = [
    ['real/file', 'real/file'],
    ['real/new/er', 'real/new/er'],
    ['absolute/file', 'real/file'],
    ['absolute/new', 'real/new'],
    ['relative', 'real/deep'],
    ['relative/up', 'real/file'],
    ['slash/file', 'real/file'],
    ['real/file/below', 'real/file/below'],
  ];
  for (const [given, leadsTo] of rows) {
    it(`[R43] ${given} leads to ${leadsTo}`, () => assert.equal(resolvePath(at(given)), at(leadsTo)));
  }

  it('[R43] a link to what does not exist yet leads there: what is written through it appears there', () => {
    assert.equal(resolvePath(at('dangling')), at('real/new/file'));
    assert.equal(resolvePath(at('real/climbing')), '/etc/new');
    assert.equal(resolvePath(at('lost/file')), '/etc/file');
  });

  it('[R43] agrees with the kernel about all that exists', () => {
    for (const name of ['real/file', 'absolute/file', 'relative/up', 'slash', 'relative']) {
      assert.equal(resolvePath(at(name)), realpathSync(at(name)));
    }
    assert.equal(resolvePath('/'), '/');
  });

  it('[R43] a circle leads nowhere', () => {
    assert.isUndefined(resolvePath(at('round')));
    assert.isUndefined(resolvePath(at('round', 'below')));
  });

  for (const path of [
    '/proc/self',
    '/proc/self/cwd/a',
    '/proc/thread-self/root/etc',
    '/dev/fd/0',
    '/dev/stdin',
  ]) {
    it(`[R43] ${path} is another file for each process`, () => assert.isUndefined(resolvePath(path)));
  }

  const own = `/proc/${process.pid}`;
  for (const path of [
    `${own}/root/etc/hostname`,
    `${own}/cwd`,
    `${own}/exe`,
    `${own}/fd/0`,
    `${own}/map_files/a`,
    `${own}/ns/mnt`,
    `${own}/task/${process.pid}/root/etc`,
    '/proc/1/root/etc',
  ]) {
    const title = path.replace(/\d{2,}/g, 'pid');
    it(`[R43] ${title} leads through another process`, () => assert.isUndefined(resolvePath(path)));
  }

  it('[R43] what a process merely tells of itself is a file like others', () => {
    assert.equal(resolvePath(`${own}/status`), `${own}/status`);
    assert.equal(resolvePath('/tmp/proc/1/root'), '/tmp/proc/1/root');
  });

  it('[R43] neither is what links to such a place', () => {
    assert.isUndefined(resolvePath(at('mine')));
    assert.isUndefined(resolvePath(at('roots', 'etc')));
  });

  it('takes the longest path without trouble', () => {
    const path = `/${'a/'.repeat(2046)}b`;
    assert.equal(resolvePath(path), path);
  });
});
