// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { PolicyFileError } from '../../../broker/rules/error.ts';
import { type PolicyPlace, readPolicyFiles } from '../../../broker/rules/policy-files.ts';
import { Witness } from '../../../keys/witness.ts';
import {
  makeDirectory,
  NOBODY,
  removeScratch,
  runsAsRoot,
  scratch,
  thisUser,
  write,
} from '../../keys/fixture.ts';
import { ALLOW, ASK, DENY, fileOf } from './fixture.ts';

describe('broker/rules/policy-files', () => {
  let root: string;
  let user: string;
  let places: readonly PolicyPlace[];

  beforeEach(() => {
    root = makeDirectory(join(scratch(), 'etc'));
    user = makeDirectory(join(scratch(), 'home'));
    places = [
      { directory: root, source: 'root', owners: [thisUser] },
      { directory: user, source: 'user', owners: [thisUser] },
    ];
  });
  afterEach(removeScratch);

  const read = (limits = DEFAULTS.policyLimits) => {
    const all = places.map((place) => readPolicyFiles(place, new Witness(0), limits));
    return { files: all.flatMap(({ files }) => files), digest: all.map(({ digest }) => digest).join(' ') };
  };
  const refusal = (limits = DEFAULTS.policyLimits): PolicyFileError => {
    try {
      read(limits);
    } catch (error) {
      if (error instanceof PolicyFileError) return error;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  it('[R95] reads all files by name, with ids that say where a rule stands', () => {
    write(join(root, '20-b.json'), fileOf([ASK]));
    write(join(root, '10-a.json'), fileOf([DENY, ALLOW], ['files.org.example.files.delete', 'media.pause']));
    write(join(user, '10-a.json'), fileOf([DENY]));
    const { files } = read();
    assert.deepEqual(
      files.flatMap(({ rules }) => rules.map(({ id, source, effect }) => [id, source, effect])),
      [
        ['root:10-a:1', 'root', 'DENY'],
        ['root:10-a:2', 'root', 'ALLOW'],
        ['root:20-b:1', 'root', 'ASK'],
        ['user:10-a:1', 'user', 'DENY'],
      ],
    );
    assert.deepEqual(files[0]?.locked, ['files.org.example.files.delete', 'media.pause']);
  });

  it('[R95] no directory and nothing in it are no rules', () => {
    assert.deepEqual(read().files, []);
    places = [{ directory: join(root, 'none'), source: 'root', owners: [thisUser] }];
    assert.deepEqual(read().files, []);
    write(join(root, 'empty.json'), '{}');
    places = [{ directory: root, source: 'root', owners: [thisUser] }];
    assert.deepEqual(read().files[0]?.rules, []);
  });

  it("[R95] folders that others can write are no matter to a user without files, and in the way of root's", () => {
    const open = makeDirectory(join(scratch(), 'open'), 0o775);
    places = [{ directory: join(open, 'policy.d'), source: 'user', owners: [thisUser] }];
    assert.deepEqual(read().files, []);
    places = [{ directory: join(open, 'policy.d'), source: 'root', owners: [thisUser] }];
    assert.equal(refusal().path, open);
    makeDirectory(join(open, 'policy.d'));
    places = [{ directory: join(open, 'policy.d'), source: 'user', owners: [thisUser] }];
    assert.equal(refusal().path, open);
  });

  it('[R95] passes over what editors and package managers leave', () => {
    write(join(root, '10-a.json~'), '{');
    write(join(root, '.10-a.json'), '{');
    write(join(root, 'README'), '{');
    symlinkSync('nowhere', join(root, '.#10-a.json'));
    mkdirSync(join(root, 'more'));
    assert.deepEqual(read().files, []);
  });

  it('[R95] tells other bytes and other names apart, and nothing else', () => {
    const path = write(join(root, '10-a.json'), fileOf([DENY]));
    const { digest } = read();
    chmodSync(path, 0o600);
    assert.equal(read().digest, digest);
    write(path, fileOf([ASK]));
    assert.notEqual(read().digest, digest);
    write(path, fileOf([DENY]));
    assert.equal(read().digest, digest);
    write(join(root, '20-a.json'), '{}');
    assert.notEqual(read().digest, digest);
  });

  const pretty = (rule: Readonly<Record<string, unknown>>): string =>
    JSON.stringify({ rules: [DENY, rule] }, undefined, 2);
  const CONTENT: Record<string, [text: string, line: number, at: string]> = {
    'no JSON': ['{\n  "rules": [\n    nothing\n  ]\n}', 3, ''],
    'half of a file': ['{\n  "rules": [\n    {"effect": "DE\n', 3, ''],
    'half of a file that ends between two values': ['{\n  "rules": [\n    {}\n', 3, ''],
    nothing: ['', 1, ''],
    'a byte order mark': ['\ufeff{}', 1, ''],
    'another value': ['[]', 1, ''],
    'a repeated key': ['{\n"rules": [],\n"locked": [],\n"rules": []\n}', 4, '/rules'],
    'a repeated key in a rule': [
      '{"rules": [{\n"effect": "DENY",\n"reason": "x",\n"effect": "DENY"}]}',
      4,
      '/rules/0/effect',
    ],
    'too deep': [`{\n"rules":\n${'['.repeat(20)}${']'.repeat(20)}}`, 3, '/rules/0/0/0/0/0/0/0'],
    'an unknown field': ['{\n"rules": [],\n"lock": []}', 3, '/lock'],
    'rules that are no list': ['{\n"rules": {}}', 2, '/rules'],
    'locks that are no list': ['{\n"locked": "a.b"}', 2, '/locked'],
    'a lock that is no id': ['{"locked": [\n"a.b",\n"*"]}', 3, '/locked/1'],
    'a lock that is no text': ['{"locked": [\n7]}', 2, '/locked/0'],
    'an unknown field of a rule': [pretty({ ...DENY, capabilty: 'a.b' }), 10, '/rules/1/capabilty'],
    'an hour of 25': [pretty({ ...DENY, hours: { from: 22, to: 25 } }), 12, '/rules/1/hours/to'],
    'half an hour': [pretty({ ...DENY, hours: { from: 0.5, to: 5 } }), 11, '/rules/1/hours/from'],
    'a glob past the cap': [
      pretty({ ...DENY, target: '{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}' }),
      10,
      '/rules/1/target',
    ],
    'a glob that matches nothing': [pretty({ ...DENY, target: '/a/../b' }), 10, '/rules/1/target'],
    'no effect': [pretty({ reason: 'x' }), 7, '/rules/1/effect'],
  };
  for (const [what, [text, line, at]] of Object.entries(CONTENT)) {
    it(`[R95] [R128] refuses ${what}, naming line ${line} and \`${at}\``, () => {
      write(join(root, '05-good.json'), fileOf([DENY]));
      const path = write(join(root, '10-bad.json'), text);
      const error = refusal();
      assert.equal(error.path, path);
      assert.deepInclude(error.refusal, { line, at });
      assert.equal(error.source, 'root');
      assert.match(error.message, new RegExp(`^the policy .*10-bad\\.json\` line ${line}`));
      assert.notMatch(error.message, /\n|\.$/);
    });
  }

  it('[R95] refuses an ALLOW in a file of the user, who may only tighten', () => {
    const path = write(join(user, '10-a.json'), JSON.stringify({ rules: [DENY, ALLOW] }, undefined, 2));
    assert.deepInclude(refusal(), { path, source: 'user' });
    assert.equal(refusal().refusal.at, '/rules/1/effect');
    assert.equal(refusal().refusal.line, 8);
  });

  const FILES: Record<string, (path: string) => void> = {
    'a link': (path) => symlinkSync(write(join(scratch(), 'f'), fileOf([DENY])), path),
    'a dangling link': (path) => symlinkSync('nowhere', path),
    'a pipe': (path) => void execFileSync('mkfifo', [path]),
    'a directory': (path) => mkdirSync(path),
    'a file that others can write': (path) => void write(path, fileOf([DENY]), 0o666),
    'a file that is too long': (path) => void write(path, ' '.repeat(16 * 1024 * 1024 + 1)),
    'a file of somebody else': (path) => {
      write(path, fileOf([DENY]));
      if (runsAsRoot) chownSync(path, NOBODY, NOBODY);
      else places = places.map((place) => ({ ...place, owners: [] }));
    },
  };
  for (const [what, make] of Object.entries(FILES)) {
    it(`[R95] refuses ${what}`, () => {
      const path = join(root, '10-a.json');
      make(path);
      const error = refusal();
      if (runsAsRoot) assert.equal(error.path, path);
      assert.isUndefined(error.refusal.line);
      assert.equal(error.refusal.at, '');
    });
  }

  it('[R95] takes a file that has a second name, as systems that share files have', () => {
    linkSync(write(join(scratch(), 'f'), fileOf([DENY])), join(root, '10-a.json'));
    assert.lengthOf(read().files, 1);
  });

  it('[R95] refuses a directory that others can write, or that is a link', () => {
    chmodSync(root, 0o777);
    assert.equal(refusal().path, root);
    chmodSync(root, 0o755);
    const link = join(scratch(), 'link');
    symlinkSync(root, link);
    places = [{ directory: link, source: 'user', owners: [thisUser] }];
    assert.deepInclude(refusal(), { path: link, source: 'user' });
  });

  it('[R95] refuses a name that no record can hold', () => {
    for (const name of [
      'Office.json',
      '10 office.json',
      'my.secret9x.json',
      `${'a'.repeat(70)}.json`,
      'é.json',
    ]) {
      const path = write(join(root, name), '{}');
      assert.equal(refusal().path, path, name);
      execFileSync('rm', [path]);
    }
  });

  it('[R95] refuses too many files, and too many rules in all of them', () => {
    write(join(root, 'a.json'), fileOf([DENY, DENY]));
    write(join(user, 'b.json'), fileOf([DENY]));
    const limits = { ...DEFAULTS.policyLimits, maxRules: 2 };
    assert.lengthOf(read(limits).files, 2, 'each place has room of its own');
    write(join(user, 'c.json'), fileOf([DENY, DENY]));
    assert.equal(refusal(limits).path, join(user, 'c.json'));
    rmSync(join(user, 'c.json'));
    write(join(user, 'b.json'), fileOf(Array(501).fill(DENY)));
    assert.equal(refusal().path, join(user, 'b.json'), 'and the user less of it');
    write(join(user, 'b.json'), ' '.repeat(257 * 1024));
    assert.equal(refusal().path, join(user, 'b.json'));
    rmSync(join(user, 'b.json'));
    for (let index = 0; index < 64; index += 1) write(join(root, `${index}.json`), '{}');
    assert.equal(refusal().path, root);
  });
});
