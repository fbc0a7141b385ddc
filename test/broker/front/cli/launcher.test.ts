// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { PORTALCTL } from './run.ts';

describe('bin/portalctl', () => {
  let root: string;
  const program = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), `#!/bin/sh\n${text}\n`);
    chmodSync(join(root, path), 0o755);
  };
  const node = (version: string): string =>
    `if [ "$1" = --version ]; then echo v${version}; else echo "$0 $*"; fi`;
  const start = (path = join(root, 'bin', 'portalctl')) =>
    spawnSync(path, ['list'], {
      env: { PATH: `${join(root, 'path')}:${join(root, 'tools')}` },
      encoding: 'utf8',
    });

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portal-bin-'));
    for (const folder of ['bin', 'path', 'tools', 'broker/front/cli'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const tool of ['readlink', 'dirname']) symlinkSync(`/usr/bin/${tool}`, join(root, 'tools', tool));
    copyFileSync(PORTALCTL, join(root, 'bin', 'portalctl'));
    chmodSync(join(root, 'bin', 'portalctl'), 0o755);
    writeFileSync(join(root, 'broker/front/cli/main.ts'), '');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('takes the Node of the project before that of the machine', () => {
    program('path/node', node('26.0.0'));
    program('node_modules/.bin/node', node('24.0.0'));
    assert.equal(start().stdout, `${root}/node_modules/.bin/node ${root}/broker/front/cli/main.ts list\n`);
  });

  it('takes the machine’s where the project has none', () => {
    program('path/node', node('24.1.0'));
    assert.equal(start().stdout, `${root}/path/node ${root}/broker/front/cli/main.ts list\n`);
  });

  it('finds its place through a link', () => {
    program('path/node', node('24.1.0'));
    symlinkSync(join(root, 'bin', 'portalctl'), join(root, 'tools', 'p'));
    assert.include(start(join(root, 'tools', 'p')).stdout, `${root}/broker/front/cli/main.ts list`);
  });

  it('runs the build where there is no source', () => {
    program('path/node', node('24.1.0'));
    rmSync(join(root, 'broker/front/cli/main.ts'));
    assert.include(start().stdout, `${root}/dist/broker/front/cli/main.js list`);
  });

  it('says what is missing', () => {
    const none = start();
    assert.equal(none.status, 70);
    assert.include(none.stderr, 'no Node.js');
    program('path/node', node('20.18.1'));
    const old = start();
    assert.equal(old.status, 70);
    assert.include(old.stderr, 'Node 20.18.1, which is too old');
    assert.equal(old.stdout, '');
  });
});
