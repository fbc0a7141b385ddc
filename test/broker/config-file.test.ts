// SPDX-License-Identifier: Apache-2.0
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { assert } from 'chai';
import { DEFAULTS } from '../../broker/config.ts';
import { parseConfig, readConfig, readConfigOrDefaults } from '../../broker/config-file.ts';
import { ConfigError } from '../../broker/error.ts';
import { type Temporary, temporaryDirectory } from './store/temporary.ts';

const refused = (step: () => unknown): string => {
  try {
    step();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return `${error.code} ${error.message}`;
  }
  return 'taken';
};
const parse = (value: unknown) => parseConfig(value, '/var/lib/portal');

describe('parseConfig', () => {
  it('an empty file is the defaults, under which nobody may decide', () => {
    assert.deepEqual(parse({}), { ...DEFAULTS, storeDirectory: '/var/lib/portal' });
    assert.deepEqual(parse({}).principals, []);
  });

  it('reads every setting', () => {
    const config = parse({
      trusted_directories: ['/a', '/b'],
      revoked_file: '/r',
      owners: [0, 1000],
      store: '/s',
      profile: 'strict',
      principals: [
        {
          id: 'agent-one',
          roles: ['intelligence'],
          level: 'privileged',
          categories: ['TEXT_QUERY'],
          match: { uid: 1, gid: 2, label: 'l', system_unit: 's', sandbox_id: 'x', app_unit: 'a', exe: '/e' },
          min_binding: 'exe',
        },
        { id: 'plain', match: { uid: 7 } },
      ],
      locked: ['a.b'],
      enabled_external: ['web.fetch'],
      development: { accept_unsigned: true, launcher: { pid: 5, start_time: '9' } },
      allowed_while_locked: ['media.pause'],
      policy: { directory: '/p', user_directory: '/u' },
      grants: { per_principal: 7 },
      requests: { open_ms: 9 },
      retention_days: 3,
      confirm: { arming_ms: 0 },
      turns: { turn_ms: 1 },
      quotas: { undos: 0, event_bytes: 5 },
    });
    assert.deepInclude(config, {
      trustedDirectories: ['/a', '/b'],
      revokedFile: '/r',
      owners: [0, 1000],
      storeDirectory: '/s',
      profile: 'strict',
      locked: ['a.b'],
      enabledExternal: ['web.fetch'],
      allowedWhileLocked: ['media.pause'],
      policy: { directory: '/p', userDirectory: '/u' },
      grants: { ...DEFAULTS.grants, perPrincipal: 7 },
      requests: { ...DEFAULTS.requests, openMs: 9 },
      development: { acceptUnsigned: true, launcher: { pid: 5, startTime: '9' } },
      retentionDays: 3,
      confirm: { ...DEFAULTS.confirm, armingMs: 0 },
      turns: { ...DEFAULTS.turns, turnMs: 1 },
      quotas: { ...DEFAULTS.quotas, undos: 0, eventBytes: 5 },
    });
    const [one, plain] = config.principals;
    assert.deepEqual(one, {
      id: 'agent-one',
      roles: ['intelligence'],
      level: 'privileged',
      categories: ['TEXT_QUERY'],
      match: { uid: 1, gid: 2, label: 'l', systemUnit: 's', sandboxId: 'x', appUnit: 'a', exe: '/e' },
      minBinding: 'exe',
    });
    assert.deepEqual(plain, {
      id: 'plain',
      roles: [],
      level: 'user',
      categories: undefined,
      match: { uid: 7 },
      minBinding: undefined,
    });
    assert.deepEqual(parse({ development: {} }).development, {
      acceptUnsigned: false,
      launcher: { pid: 0, startTime: '' },
    });
  });

  it('[R91] people authenticate unless the administrator says otherwise', () => {
    assert.deepEqual(parse({}).decide, { polkit: true, timeoutMs: 120_000 });
    assert.deepEqual(parse({ decide: { polkit: false } }).decide, { polkit: false, timeoutMs: 120_000 });
    assert.deepEqual(parse({ decide: { timeout_ms: 5 } }).decide, { polkit: true, timeoutMs: 5 });
  });

  const bad: readonly [value: unknown, place: string][] = [
    [[], '/'],
    [null, '/'],
    [{ lockd: ['a.b'] }, '/lockd'],
    [{ profile: 'lax' }, '/profile'],
    [{ locked: 'a.b' }, '/locked'],
    [{ locked: [''] }, '/locked/0'],
    [{ locked: ['notes.delete '] }, '/locked/0'],
    [{ enabled_external: ['Web.fetch'] }, '/enabled_external/0'],
    [
      {
        principals: [
          { id: 'a', match: { uid: 1 } },
          { id: 'a', match: { uid: 2 } },
        ],
      },
      '/principals/1/id',
    ],
    [{ store: 'here' }, '/store'],
    [{ store: '/a\0' }, '/store'],
    [{ trusted_directories: ['/a', 'b'] }, '/trusted_directories/1'],
    [{ owners: [-1] }, '/owners/0'],
    [{ owners: ['0'] }, '/owners/0'],
    [{ retention_days: 0 }, '/retention_days'],
    [{ retention_days: 1.5 }, '/retention_days'],
    [{ turns: { turn_ms: 0 } }, '/turns/turn_ms'],
    [{ turns: { turnMs: 5 } }, '/turns/turnMs'],
    [{ quotas: { strikes: null } }, '/quotas/strikes'],
    [{ confirm: [] }, '/confirm'],
    [{ development: { launcher: { pid: 0 } } }, '/development/launcher/pid'],
    [{ development: { launcher: { uid: 0 } } }, '/development/launcher/uid'],
    [{ development: { accept_unsigned: 1 } }, '/development/accept_unsigned'],
    [{ policy: '/p' }, '/policy'],
    [{ policy: { directory: 'p' } }, '/policy/directory'],
    [{ policy: { user_directory: null } }, '/policy/user_directory'],
    [{ policy: { userDirectory: '/u' } }, '/policy/userDirectory'],
    [{ allowed_while_locked: ['*'] }, '/allowed_while_locked/0'],
    [{ grants: { sessions: -1 } }, '/grants/sessions'],
    [{ requests: { perPrincipal: 1 } }, '/requests/perPrincipal'],
    [{ decide: false }, '/decide'],
    [{ decide: { polkit: 'no' } }, '/decide/polkit'],
    [{ decide: { timeout_ms: 0 } }, '/decide/timeout_ms'],
    [{ decide: { timeoutMs: 5 } }, '/decide/timeoutMs'],
    [{ development: { more: 1 } }, '/development/more'],
    [{ principals: [{ match: { uid: 1 } }] }, '/principals/0/id'],
    [{ principals: [{ id: 'a b', match: { uid: 1 } }] }, '/principals/0/id'],
    [{ principals: [{ id: 'a'.repeat(65), match: { uid: 1 } }] }, '/principals/0/id'],
    // Names that the broker gives itself, and the one that means everybody in a rule.
    [{ principals: [{ id: 'unmatched:1000', match: { uid: 1 } }] }, '/principals/0/id'],
    [{ principals: [{ id: 'desk:pid:7:9', match: { uid: 1 } }] }, '/principals/0/id'],
    [{ principals: [{ id: 'global', match: { uid: 1 } }] }, '/principals/0/id'],
    [{ principals: [{ id: 'a' }] }, '/principals/0/match'],
    [{ principals: [{ id: 'a', match: {} }] }, '/principals/0/match'],
    [{ principals: [{ id: 'a', match: { user: 1 } }] }, '/principals/0/match/user'],
    [{ principals: [{ id: 'a', match: { exe: 'bin' } }] }, '/principals/0/match/exe'],
    [{ principals: [{ id: 'a', match: { uid: 1 }, roles: ['root'] }] }, '/principals/0/roles/0'],
    [{ principals: [{ id: 'a', match: { uid: 1 }, level: 'root' }] }, '/principals/0/level'],
    [{ principals: [{ id: 'a', match: { uid: 1 }, categories: ['X'] }] }, '/principals/0/categories/0'],
    [{ principals: [{ id: 'a', match: { uid: 1 }, min_binding: 'none' }] }, '/principals/0/min_binding'],
    [{ principals: [{ id: 'a', match: { uid: 1 }, admin: true }] }, '/principals/0/admin'],
  ];
  for (const [value, place] of bad) {
    it(`refuses ${JSON.stringify(value).slice(0, 70)} at ${place}`, () => {
      assert.match(
        refused(() => parse(value)),
        /^ConfigInvalid the setting/,
      );
      assert.include(
        refused(() => parse(value)),
        `\`${place}\``,
      );
    });
  }
});

describe('readConfig', () => {
  let directory: Temporary;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());
  const owners = [process.getuid?.() ?? 0];
  const write = (text: string, mode = 0o644): string => {
    const path = directory.in('broker.json');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it('reads a file that only its owner can write', () => {
    assert.equal(readConfig(write('{"profile":"strict"}'), owners, '/s').profile, 'strict');
    assert.equal(readConfigOrDefaults(write('{"profile":"strict"}'), owners, '/s').profile, 'strict');
  });

  it('refuses a file that others can write, a link, and none', () => {
    assert.match(
      refused(() => readConfig(write('{}', 0o666), owners, '/s')),
      /^ConfigUnsafe/,
    );
    symlinkSync('broker.json', directory.in('link'));
    assert.match(
      refused(() => readConfig(directory.in('link'), owners, '/s')),
      /^ConfigUnsafe/,
    );
    assert.match(
      refused(() => readConfig(directory.in('absent'), owners, '/s')),
      /^ConfigUnsafe/,
    );
  });

  it('refuses a file in a folder that others can write', () => {
    const path = write('{}');
    chmodSync(directory.path, 0o777);
    assert.match(
      refused(() => readConfig(path, owners, '/s')),
      /^ConfigUnsafe/,
    );
  });

  it('refuses what is no strict JSON, whole', () => {
    for (const text of ['', '{', '{"locked":["a.b"],"locked":[]}']) {
      assert.match(
        refused(() => readConfig(write(text), owners, '/s')),
        /^ConfigInvalid/,
        text,
      );
    }
  });
});
