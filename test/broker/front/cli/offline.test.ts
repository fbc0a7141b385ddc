// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { parsePublicKey } from '../../../../keys/public-key.ts';
import { portalctl, portalctlJson, type RunOptions } from './run.ts';

const APP = 'org.example.Desk';
const FIXTURE = join(import.meta.dirname, 'fixture-manifest.json');

describe('keys, signatures and trust without a broker', function () {
  this.timeout(60_000); // several processes each, on a machine that may be busy
  let home: string;
  let options: RunOptions;
  /** A home in which a key was made and the fixture signed with it, once for all tests: each gets a copy. */
  let seed: string;
  const at = (...names: string[]): string => join(home, ...names);
  const generate = () => portalctlJson(['keys', 'generate', '--app-id', APP], options);
  const sign = (...args: string[]) =>
    portalctl(['sign', FIXTURE, '--out', at('signed.json'), ...args], options);
  const install = (file = at('.config', `portal-${APP}`, `${APP}.pub`), ...args: string[]) =>
    portalctlJson(['trust', 'install', file, '--trusted', at('trusted'), ...args], options);
  const verify = (file = at('signed.json')) =>
    portalctlJson(['verify', file, '--trusted', at('trusted')], options);
  const errorOf = ({ json }: { json: Record<string, unknown> }): unknown =>
    typeof json.error === 'object' && json.error !== null && 'code' in json.error
      ? json.error.code
      : undefined;

  const newHome = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-offline-'));
    mkdirSync(join(folder, 'trusted'));
    return folder;
  };
  const useHome = (folder: string): void => {
    home = folder;
    options = { env: { ...process.env, HOME: home, NO_COLOR: '1' }, cwd: home };
  };
  const withSignature = (): void => cpSync(seed, home, { recursive: true });

  before(async () => {
    seed = newHome();
    useHome(seed);
    assert.equal((await generate()).code, 0);
    assert.equal((await sign()).code, 0);
  });
  after(() => rmSync(seed, { recursive: true }));
  beforeEach(() => useHome(newHome()));
  afterEach(() => rmSync(home, { recursive: true }));

  describe('[R51] keys generate', () => {
    it('makes 32 private bytes for the owner alone, and the public half', async () => {
      const { code, json } = await generate();
      assert.equal(code, 0);
      const key = at('.config', `portal-${APP}`, 'ed25519.key');
      assert.deepInclude(json, {
        app_id: APP,
        private_key: key,
        public_key: at('.config', `portal-${APP}`, `${APP}.pub`),
      });
      assert.equal(statSync(key).mode & 0o777, 0o600);
      assert.equal(statSync(at('.config', `portal-${APP}`)).mode & 0o777, 0o700);
      assert.equal(readFileSync(key).length, 32);
      assert.equal(json.fingerprint, parsePublicKey(readFileSync(String(json.public_key))).fingerprint);
      assert.notInclude(JSON.stringify(json), readFileSync(key).toString('base64'));
    });

    it('tells a person where they are, and what comes next', async () => {
      const { stdout, stderr } = await portalctl(['keys', 'generate', '--app-id', APP], options);
      assert.match(
        stdout,
        /^app id {7}org\.example\.Desk\nprivate key {2}\/.*\npublic key {3}\/.*\nfingerprint {2}[0-9a-f]{64}\n$/,
      );
      assert.include(stderr, 'next: `portalctl sign MANIFEST`');
    });

    it('refuses to replace a key', async () => {
      await generate();
      const before = readFileSync(at('.config', `portal-${APP}`, 'ed25519.key'));
      const second = await generate();
      assert.equal(second.code, 1);
      assert.equal(errorOf(second), 'KeyExists');
      assert.deepEqual(readFileSync(at('.config', `portal-${APP}`, 'ed25519.key')), before);
    });

    it('refuses an id before it touches a path', async () => {
      for (const id of ['../../x', '/etc/x', '', 'a b', '.']) {
        const refused = await portalctlJson(['keys', 'generate', `--app-id=${id}`], options);
        assert.equal(refused.code, 1, id);
        assert.equal(errorOf(refused), 'AppIdInvalid', id);
      }
      assert.throws(() => lstatSync(at('.config')), /ENOENT/);
    });

    it('needs an id', async () => {
      const { code, stderr } = await portalctl(['keys', 'generate'], options);
      assert.equal(code, 2);
      assert.include(stderr, 'add `--app-id ID`');
    });
  });

  describe('[R53] [R54] sign', () => {
    beforeEach(withSignature);

    it('writes the manifest with a signature that verifies, and changes nothing else', async () => {
      assert.equal((await sign()).code, 0);
      const { signature, ...signed } = JSON.parse(readFileSync(at('signed.json'), 'utf8')) as Record<
        string,
        unknown
      >;
      const { signature: _, ...original } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Record<
        string,
        unknown
      >;
      assert.match(String(signature), /^ed25519:[A-Za-z0-9+/]{85}[AQgw]==$/);
      assert.deepEqual(signed, original);
      await install();
      assert.equal((await verify()).code, 0);
    });

    it('writes to standard output without --out, alone', async () => {
      const { code, stdout, stderr } = await portalctl(['sign', FIXTURE], options);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.property(JSON.parse(stdout), 'signature');
    });

    it('signs in place, keeps the mode, and replaces a signature that is there, even a malformed one', async () => {
      const manifest = at('m.json');
      writeFileSync(
        manifest,
        readFileSync(FIXTURE, 'utf8').replace('"signature": null', '"signature": "nonsense"'),
        { mode: 0o640 },
      );
      chmodSync(manifest, 0o640);
      assert.equal((await portalctl(['sign', manifest, '--out', manifest], options)).code, 0);
      assert.equal(statSync(manifest).mode & 0o777, 0o640);
      await install();
      assert.equal((await verify(manifest)).code, 0);
    });

    it('takes a key from elsewhere, and refuses two', async () => {
      const key = at('.config', `portal-${APP}`, 'ed25519.key');
      assert.equal((await sign('--key', key)).code, 0);
      const both = await sign('--key', key, '--app-id', APP);
      assert.equal(both.code, 2);
      assert.include(both.stderr, 'both name a key');
    });

    it('refuses a key that others can read', async () => {
      chmodSync(at('.config', `portal-${APP}`, 'ed25519.key'), 0o644);
      const { code, stderr } = await sign();
      assert.equal(code, 1);
      assert.include(stderr, 'open to others');
    });

    it('signs nothing that a broker would refuse, and names the place', async () => {
      writeFileSync(at('bad.json'), readFileSync(FIXTURE, 'utf8').replace('"destructive"', '"harmless"'));
      const { code, json } = await portalctlJson(['sign', at('bad.json')], options);
      assert.equal(code, 1);
      assert.propertyVal(json.error, 'at', '/capabilities/1/side_effects');
    });

    it('refuses what readers disagree about: a repeated key', async () => {
      writeFileSync(
        at('bad.json'),
        readFileSync(FIXTURE, 'utf8').replace(
          '"version": "1.0",',
          '"version": "1.0", "versio\\u006e": "2.0",',
        ),
      );
      const refused = await portalctlJson(['sign', at('bad.json')], options);
      assert.equal(refused.code, 1);
      assert.equal(errorOf(refused), 'JsonMalformed');
    });

    it('refuses what is no manifest', async () => {
      writeFileSync(at('list.json'), '[]');
      const { code, stderr } = await portalctl(['sign', at('list.json')], options);
      assert.equal(code, 2);
      assert.include(stderr, 'not a JSON object');
    });

    it('says what is missing: the manifest, the key', async () => {
      const none = await portalctl(['sign', at('none.json')], options);
      assert.equal(none.code, 1);
      assert.include(none.stderr, 'no such file or directory');
      rmSync(at('.config'), { recursive: true });
      const keyless = await portalctlJson(['sign', FIXTURE], options);
      assert.equal(errorOf(keyless), 'KeyMissing');
    });

    it('ends on an endless file', async () => {
      const { code } = await portalctl(['sign', '/dev/zero'], options);
      assert.equal(code, 1);
    });
  });

  describe('[R55] verify', () => {
    beforeEach(withSignature);

    it('says Tier 1, the key, and what the broker would do for each capability', async () => {
      const { json: installed } = await install();
      const { code, json } = await verify();
      assert.equal(code, 0);
      assert.deepInclude(json, { tier: 1, app_id: APP, version: '1.0', fingerprint: installed.fingerprint });
      assert.deepEqual(json.capabilities, [
        {
          id: 'desk.org.example.desk.look',
          version: '1.0',
          side_effects: 'read',
          risk: 'low',
          gate: 'automatic',
          level: 'public',
          undo_window_ms: null,
        },
        {
          id: 'desk.org.example.desk.drop',
          version: '1.0',
          side_effects: 'destructive',
          risk: 'high',
          gate: 'confirm',
          level: 'user',
          undo_window_ms: 60000,
        },
      ]);
    });

    it('refuses a manifest whose key nobody trusts, or that has no signature', async () => {
      assert.equal(errorOf(await verify()), 'KeyMissing');
      await install();
      assert.equal(errorOf(await verify(FIXTURE)), 'SignatureMissing');
    });

    it('refuses one changed letter', async () => {
      await install();
      writeFileSync(
        at('changed.json'),
        readFileSync(at('signed.json'), 'utf8').replace('Throws something', 'Throws anything'),
      );
      const { code, json, stderr } = await verify(at('changed.json'));
      assert.equal(code, 1);
      assert.propertyVal(json.error, 'code', 'SignatureWrong');
      assert.propertyVal(json.error, 'at', '/signature');
      assert.include(stderr, 'sign the manifest again');
    });

    it('shows a person the same', async () => {
      await install();
      const { stdout } = await portalctl(['verify', at('signed.json'), '--trusted', at('trusted')], options);
      assert.match(stdout, /^valid {2}org\.example\.Desk 1\.0 would be Tier 1$/m);
      assert.match(
        stdout,
        /^desk\.org\.example\.desk\.drop {2}1\.0 {2}high risk {2}a person confirms each time$/m,
      );
    });
  });

  describe('[R52] [R56] trust', () => {
    beforeEach(withSignature);

    it('installs a key that all may read and only the owner may write', async () => {
      const { code, json } = await install();
      assert.equal(code, 0);
      assert.equal(json.path, at('trusted', `${APP}.pub`));
      assert.equal(statSync(String(json.path)).mode & 0o777, 0o644);
    });

    it('shows a person the same', async () => {
      const key = at('.config', `portal-${APP}`, `${APP}.pub`);
      const { stdout } = await portalctl(['trust', 'install', key, '--trusted', at('trusted')], options);
      assert.match(stdout, /^trusted {6}org\.example\.Desk\nfingerprint {2}[0-9a-f]{64}\nfile {9}\/.*\n$/);
    });

    it('needs the app where the name of the file does not say it', async () => {
      const raw = at('key.bin');
      writeFileSync(raw, readFileSync(at('.config', `portal-${APP}`, `${APP}.pub`)));
      assert.equal((await install(raw)).code, 2);
      assert.equal((await install(raw, '--app-id', APP)).code, 0);
    });

    it('refuses what is no key', async () => {
      writeFileSync(at('x.pub'), new Uint8Array(32));
      assert.equal(errorOf(await install(at('x.pub'))), 'KeyWeak');
      writeFileSync(at('x.pub'), new Uint8Array(31));
      assert.equal(errorOf(await install(at('x.pub'))), 'KeyMalformed');
    });

    it('rotates: the new key beside the old one, both verify, then the old one is revoked', async () => {
      const { json: old } = await install();
      const second = { ...options, env: { ...options.env, HOME: at('second') } };
      mkdirSync(at('second'));
      const { json: fresh } = await portalctlJson(['keys', 'generate', '--app-id', APP], second);
      await portalctl(['sign', FIXTURE, '--out', at('new.json')], second);
      assert.equal((await install(String(fresh.public_key), '--beside')).code, 0);
      assert.equal((await verify()).json.fingerprint, old.fingerprint);
      assert.equal((await verify(at('new.json'))).json.fingerprint, fresh.fingerprint);
      const { code } = await portalctl(
        ['trust', 'revoke', String(old.fingerprint), '--trusted', at('trusted'), '--comment', 'rotated'],
        options,
      );
      assert.equal(code, 0);
      assert.equal((await verify()).code, 1);
      assert.equal((await verify(at('new.json'))).code, 0);
      assert.match(readFileSync(at('revoked'), 'utf8'), /# rotated\n$/);
    });

    it('never trusts a revoked key again', async () => {
      const { json } = await install();
      await portalctl(['trust', 'revoke', String(json.fingerprint), '--trusted', at('trusted')], options);
      const again = await install();
      assert.equal(again.code, 1);
      assert.include(again.stderr, 'is revoked');
    });

    it('lists what is trusted and what is in the way', async () => {
      const { json } = await install();
      symlinkSync(at('trusted', `${APP}.pub`), at('trusted', 'org.example.Link.pub'));
      const listed = await portalctlJson(['trust', 'list', '--trusted', at('trusted')], options);
      assert.deepEqual(listed.json.trusted, [
        { app_id: APP, fingerprint: json.fingerprint, path: at('trusted', `${APP}.pub`) },
      ]);
      assert.deepInclude((listed.json.problems as unknown[])[0], { code: 'KeyUnsafe' });
      const { stdout } = await portalctl(['trust', 'list', '--trusted', at('trusted')], options);
      assert.include(stdout, 'not trusted: ');
    });

    it('looks where the broker looks by default, and in the revoked list that it is told', async () => {
      const { code, json } = await portalctlJson(['trust', 'list'], options);
      assert.equal(code, 0);
      assert.containsAllKeys(json, ['trusted', 'problems']);
      const { json: installed } = await install();
      const list = at('elsewhere');
      await portalctl(
        [
          'trust',
          'revoke',
          String(installed.fingerprint).toUpperCase(),
          '--revoked',
          list,
          '--trusted',
          at('trusted'),
        ],
        options,
      );
      const checked = await portalctlJson(
        ['verify', at('signed.json'), '--trusted', at('trusted'), '--revoked', list],
        options,
      );
      assert.equal(errorOf(checked), 'KeyUnusable');
      assert.equal((await verify()).code, 0);
    });

    describe("with the broker's settings", () => {
      const configure = (settings: Readonly<Record<string, unknown>>): readonly string[] => {
        const usual = {
          trusted_directories: [at('theirs')],
          revoked_file: at('masked'),
          owners: [process.getuid?.()],
        };
        writeFileSync(at('broker.json'), JSON.stringify({ ...usual, ...settings }), { mode: 0o644 });
        return ['--config', at('broker.json')];
      };
      beforeEach(() => {
        mkdirSync(at('theirs'), { mode: 0o755 });
        chmodSync(home, 0o755);
        withSignature();
      });

      it('installs, lists, checks and revokes where the broker reads', async () => {
        const config = configure({});
        const key = at('.config', `portal-${APP}`, `${APP}.pub`);
        const { json } = await portalctlJson(['trust', 'install', key, ...config], options);
        assert.equal(json.path, at('theirs', `${APP}.pub`));
        const { json: listed } = await portalctlJson(['trust', 'list', ...config], options);
        assert.lengthOf(listed.trusted as unknown[], 1);
        const check = () => portalctlJson(['verify', at('signed.json'), ...config], options);
        assert.equal((await check()).code, 0);
        const revoked = await portalctlJson(
          ['trust', 'revoke', String(json.fingerprint), ...config],
          options,
        );
        assert.equal(revoked.json.revoked_file, at('masked'));
        assert.equal(errorOf(await check()), 'KeyUnusable');
      });

      it('says of each capability what the broker would do under its profile', async () => {
        const milder = readFileSync(FIXTURE, 'utf8').replace('"destructive"', '"write"');
        writeFileSync(at('milder.json'), milder);
        await portalctl(['sign', at('milder.json'), '--out', at('milder.json')], options);
        const key = at('.config', `portal-${APP}`, `${APP}.pub`);
        await portalctl(['trust', 'install', key, ...configure({})], options);
        const gates = async (profile: string): Promise<readonly unknown[]> => {
          const { json } = await portalctlJson(
            ['verify', at('milder.json'), ...configure({ profile })],
            options,
          );
          return (json.capabilities as { gate: string }[]).map(({ gate }) => gate);
        };
        assert.deepEqual(await gates('standard'), ['automatic', 'ask']);
        assert.deepEqual(await gates('strict'), ['automatic', 'confirm']);
      });

      it('refuses what the broker would not start with', async () => {
        const config = configure({ trusted_directory: '/x' });
        const refused = await portalctlJson(['trust', 'list', ...config], options);
        assert.equal(refused.code, 1);
        assert.equal(errorOf(refused), 'ConfigInvalid');
        chmodSync(at('broker.json'), 0o666);
        assert.equal(errorOf(await portalctlJson(['trust', 'list', ...config], options)), 'ConfigUnsafe');
      });

      it('leaves them aside for whoever names directories', async () => {
        writeFileSync(at('broker.json'), '{');
        await install();
        assert.equal((await verify()).code, 0);
      });
    });

    it('says where it looked when nothing is trusted', async () => {
      const { stdout } = await portalctl(['trust', 'list', '--trusted', at('trusted')], options);
      assert.equal(stdout, `no key is trusted in ${at('trusted')}\n`);
    });

    it('refuses a directory that others can write', async () => {
      chmodSync(at('trusted'), 0o777);
      assert.equal(errorOf(await install()), 'KeyUnsafe');
    });

    it('refuses a fingerprint that is none', async () => {
      const refused = await portalctlJson(['trust', 'revoke', 'abc', '--trusted', at('trusted')], options);
      assert.equal(refused.code, 1);
      assert.equal(errorOf(refused), 'KeyMalformed');
    });
  });
});
