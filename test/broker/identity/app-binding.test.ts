// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { type AppBindingOptions, bindApp } from '../../../broker/identity/app-binding.ts';
import type { Peer } from '../../../broker/identity/peer.ts';

const ID = 'org.example.Notes';

describe('broker/identity/app-binding', () => {
  let root = '';
  let options: AppBindingOptions;
  let program = '';
  let desktop = '';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portal-test-'));
    for (const folder of ['applications', 'services', 'bin']) mkdirSync(join(root, folder));
    options = {
      applicationFolders: [join(root, 'applications')],
      serviceFolders: [join(root, 'services')],
      programFolders: [join(root, 'empty'), join(root, 'bin')],
      launchers: [],
      owner: process.getuid?.() ?? 0,
    };
    program = join(root, 'bin/notes');
    desktop = join(root, `applications/${ID}.desktop`);
    writeFileSync(program, '', { mode: 0o755 });
    writeFileSync(desktop, '[Desktop Entry]\nExec=notes %U\n', { mode: 0o644 });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function peer(more: Partial<Peer> = {}): Peer {
    return {
      name: ':1.1',
      uid: 1000,
      gid: 1000,
      pid: 7,
      startTime: '70',
      exe: program,
      exeIsInterpreter: false,
      securityLabel: undefined,
      systemUnit: undefined,
      appUnit: undefined,
      sandboxId: undefined,
      parents: [],
      ...more,
    };
  }
  const bind = (more: Partial<Peer> = {}, changed: Partial<AppBindingOptions> = {}) =>
    bindApp(peer(more), ID, { ...options, ...changed });

  it("[R8] takes the sandbox's word for its own application and refuses it for another", () => {
    assert.deepEqual(bind({ sandboxId: ID }), { binding: 'sandbox' });
    assert.deepEqual(bind({ sandboxId: 'org.example.Other' }), { binding: 'unbound', contrary: 'sandbox' });
    assert.deepEqual(bind({ sandboxId: 'org.example.Other', appUnit: ID }), {
      binding: 'unbound',
      contrary: 'sandbox',
    });
  });

  it('[R8] makes nothing of a snap, whose name is that of its package', () => {
    assert.deepEqual(bind({ sandboxId: 'snap.notes', exe: '/snap/notes/1/notes' }), { binding: 'unbound' });
  });

  it("[R8] takes the unit's name for its application and refuses it for another", () => {
    assert.deepEqual(bind({ appUnit: ID }), { binding: 'unit' });
    assert.deepEqual(bind({ appUnit: 'org.example.Other' }), { binding: 'unbound', contrary: 'unit' });
    assert.deepEqual(bind({ appUnit: ID.toLowerCase() }), { binding: 'unbound', contrary: 'unit' });
  });

  it("[R148] takes what a developer's launcher started, from whatever terminal", () => {
    const launchers = [{ pid: 3, startTime: '30' }];
    const parents = [
      { pid: 5, startTime: '50' },
      { pid: 3, startTime: '30' },
    ];
    assert.deepEqual(bind({ parents, appUnit: 'org.kde.konsole' }, { launchers }), { binding: 'launcher' });
    assert.deepEqual(bind({ parents, sandboxId: 'org.example.Other' }, { launchers }), {
      binding: 'unbound',
      contrary: 'sandbox',
    });
    const other = [{ pid: 3, startTime: '31' }];
    assert.deepEqual(bind({ parents: other, exe: undefined }, { launchers }), { binding: 'unbound' });
  });

  describe("[R8] the program that root's desktop entry names", () => {
    it('is the application, found in the program folders or by its full path', () => {
      assert.deepEqual(bind(), { binding: 'desktop-exe' });
      writeFileSync(desktop, `[Desktop Entry]\nExec="${program}" %U\n`);
      assert.deepEqual(bind(), { binding: 'desktop-exe' });
    });

    it('is the application through a link to it', () => {
      const real = join(root, 'real');
      renameSync(program, real);
      symlinkSync(real, program);
      assert.deepEqual(bind({ exe: real }), { binding: 'desktop-exe' });
    });

    it('is the application where its activation file names it', () => {
      rmSync(desktop);
      assert.deepEqual(bind(), { binding: 'unbound' });
      writeFileSync(
        join(root, `services/${ID}.service`),
        `[D-BUS Service]\nName=${ID}\nExec=${program} --service\n`,
        { mode: 0o644 },
      );
      assert.deepEqual(bind(), { binding: 'desktop-exe' });
    });

    const unproven: readonly [what: string, change: () => void, shown?: Partial<Peer>][] = [
      ['another program', () => undefined, { exe: '/usr/bin/other' }],
      ['an unreadable program', () => undefined, { exe: undefined }],
      ['an interpreter', () => undefined, { exeIsInterpreter: true }],
      ['no entry', () => rmSync(desktop)],
      ['an entry that others can write', () => chmodSync(desktop, 0o666)],
      ['an entry that the group can write', () => chmodSync(desktop, 0o664)],
      [
        'an entry that is a link',
        () => {
          renameSync(desktop, join(root, 'x'));
          symlinkSync(join(root, 'x'), desktop);
        },
      ],
      [
        'an entry that is a folder',
        () => {
          rmSync(desktop);
          mkdirSync(desktop);
        },
      ],
      [
        'an entry over any honest size',
        () => writeFileSync(desktop, `[Desktop Entry]\nExec=notes\n${'#\n'.repeat(40_000)}`),
      ],
      ['an entry without a command', () => writeFileSync(desktop, '[Desktop Entry]\nName=Notes\n')],
      [
        'an entry with two commands',
        () => writeFileSync(desktop, '[Desktop Entry]\nExec=notes\nExec=other\n'),
      ],
      [
        'an entry that starts an interpreter',
        () => writeFileSync(desktop, '[Desktop Entry]\nExec=env notes\n'),
      ],
      ['an entry with a relative path', () => writeFileSync(desktop, '[Desktop Entry]\nExec=bin/notes\n')],
      ['an entry with variables', () => writeFileSync(desktop, '[Desktop Entry]\nExec=$HOME/notes\n')],
      ['a program that others can write', () => chmodSync(program, 0o777)],
      ['a program that is not there', () => rmSync(program)],
    ];
    for (const [what, change, shown] of unproven) {
      it(`proves nothing with ${what}`, () => {
        change();
        assert.deepEqual(bind(shown), { binding: 'unbound' });
      });
    }

    it('proves nothing with an entry of another owner (as root)', () => {
      chownSync(desktop, 4242, 0);
      assert.deepEqual(bind(), { binding: 'unbound' });
      chownSync(desktop, 0, 0);
      chownSync(program, 4242, 0);
      assert.deepEqual(bind(), { binding: 'unbound' });
    });

    it('proves nothing with files of another owner', () => {
      assert.deepEqual(bind({}, { owner: 4242 }), { binding: 'unbound' });
    });
  });
});
