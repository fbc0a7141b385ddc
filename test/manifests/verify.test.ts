// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { KeyError } from '../../keys/error.ts';
import { verifyManifest } from '../../manifests/verify.ts';
import {
  capabilityWith,
  encode,
  type Json,
  KEY,
  keyring,
  LIMITS,
  manifestOf,
  manifestWith,
  OTHER_KEY,
  OTHER_SEED,
  refusal,
  refused,
  SEED,
  sign,
  VECTORS,
} from './fixtures.ts';

const RING = keyring({ 'org.gnome.Nautilus': [KEY] });
const M0_SIGNED: Json = { ...VECTORS.M0, signature: VECTORS.M0_signature };
const verify = (manifest: unknown, ring = RING) => verifyManifest(encode(manifest), ring, LIMITS);
const at = (manifest: unknown, ring = RING) => refused(() => verify(manifest, ring));

const APP_IDS = [
  'org.gnome.Nautilus',
  'com.visualstudio.code-oss',
  'net.sourceforge.gMKVExtractGUI',
  'org.kde.kdeconnect-app',
  'io.github._0xzer0x.qurancompanion',
  'com.moonlight_stream.Moonlight',
  'org.pgadmin.pgadmin4',
  'org.DolphinEmu.dolphin-emu',
  'org.claws_mail.Claws-Mail',
  'org.qbittorrent.qBittorrent',
];

describe('manifests/verify', () => {
  it('[R4] [R55] the published vector verifies and names the key that did it', () => {
    const { manifest, keyFingerprint } = verify(M0_SIGNED);
    assert.equal(manifest.appId, 'org.gnome.Nautilus');
    assert.equal(keyFingerprint, KEY.fingerprint);
  });

  it('[R54] white space and the order of keys do not matter', () => {
    const reordered = Object.fromEntries(Object.entries(M0_SIGNED).toReversed());
    const pretty = new TextEncoder().encode(JSON.stringify(reordered, null, 3));
    assert.equal(verifyManifest(pretty, RING, LIMITS).keyFingerprint, KEY.fingerprint);
  });

  for (const id of APP_IDS) {
    it(`[R8] an app may be called \`${id}\``, () => {
      assert.equal(verify(sign(manifestOf(id)), keyring({ [id]: [KEY] })).manifest.appId, id);
    });
  }

  it('an app without a key here has nothing of its capabilities read', () => {
    const malformed = capabilityWith({ id: 'files.org.foreign.open' });
    assert.equal(at(sign(malformed)), 'CapabilityIdForeign /capabilities/0/id');
    assert.equal(at(sign(malformed), keyring({})), 'KeyMissing /app_id');
    assert.equal(at(malformed), 'SignatureMissing /signature');
  });

  for (const app_id of [
    '../../../../tmp/evil',
    '/tmp/evil',
    'sub/x',
    './org.gnome.Nautilus',
    'org.gnome.Nautilus/../../../tmp/evil',
    '..',
    '.',
    '',
    '%2e%2e%2ftmp%2fevil',
    'org.gnome.Nautilus.pub/../x',
    'a'.repeat(5000),
  ]) {
    it(`[R52] an app id is refused before any key is looked for: \`${app_id.slice(0, 40)}\``, () => {
      const untouched = { keysFor: () => assert.fail('a key was looked for') };
      assert.equal(
        refused(() => verifyManifest(encode(sign(manifestWith({ app_id }))), untouched, LIMITS)),
        'AppIdInvalid /app_id',
      );
    });
  }

  for (const [name, text] of Object.entries({
    dup_top: VECTORS.dup_top,
    dup_escaped: VECTORS.dup_escaped,
    dup_nested: VECTORS.dup_nested,
  })) {
    it(`[R55] repeated keys are malformed although the signature would fit: ${name}`, () => {
      const untouched = { keysFor: () => assert.fail('a key was looked for') };
      const bytes = new TextEncoder().encode(text);
      assert.equal(refusal(() => verifyManifest(bytes, untouched, LIMITS)).code, 'JsonMalformed');
    });
  }

  it('has all bad signatures to refuse', () => assert.lengthOf(VECTORS.bad_signatures, 15));

  for (const [index, signature] of VECTORS.bad_signatures.entries()) {
    it(`[R53] bad signature ${index} is refused: ${JSON.stringify(signature)?.slice(0, 50)}`, () => {
      const code = signature === null ? 'SignatureMissing' : 'SignatureMalformed';
      // Well-formed texts of other 64 bytes: S + L, and another signature's bits.
      const expected = index === 10 ? 'SignatureWrong' : code;
      assert.equal(at({ ...VECTORS.M0, signature }), `${expected} /signature`);
    });
  }

  it('[R6] [R11] no signature at all is refused', () =>
    assert.equal(at(VECTORS.M0), 'SignatureMissing /signature'));

  it("[R55] the right signature without a key, or with only another app's, is refused", () => {
    assert.equal(at(M0_SIGNED, keyring({})), 'KeyMissing /app_id');
    assert.equal(at(M0_SIGNED, keyring({ 'org.gnome.Other': [KEY] })), 'KeyMissing /app_id');
    assert.equal(at(M0_SIGNED, keyring({ 'org.gnome.Nautilus': [OTHER_KEY] })), 'SignatureWrong /signature');
    assert.equal(at(M0_SIGNED, keyring({ 'org.gnome.Nautilus': [] })), 'SignatureWrong /signature');
  });

  it('[R55] any change after the signature is refused', () => {
    assert.equal(at({ ...M0_SIGNED, version: '47.1' }), 'SignatureWrong /signature');
    assert.equal(at({ ...M0_SIGNED, revision: 1 }), 'SignatureWrong /signature');
    assert.equal(
      at({ ...capabilityWith({ side_effects: 'none' }), signature: VECTORS.M0_signature }),
      'SignatureWrong /signature',
    );
    assert.equal(at({ ...M0_SIGNED, note: 'unsigned' }), 'UnknownField /note');
  });

  it('[R54] a signature in a nested object is no second signature', () => {
    assert.equal(
      at(sign(capabilityWith({ signature: VECTORS.M0_signature }))),
      'UnknownField /capabilities/0/signature',
    );
  });

  it('[R56] during a rotation any of the trusted keys may have signed', () => {
    const ring = keyring({ 'org.gnome.Nautilus': [KEY, OTHER_KEY] });
    assert.equal(verify(M0_SIGNED, ring).keyFingerprint, KEY.fingerprint);
    assert.equal(verify(sign(VECTORS.M0, OTHER_SEED), ring).keyFingerprint, OTHER_KEY.fingerprint);
  });

  it('[R55] an unusable key is refused as such, with what the keyring said', () => {
    const ring = {
      keysFor: () => {
        throw new KeyError('KeyUnsafe', 'the file is open to others: `chmod 644` it', '/etc/x.pub');
      },
    };
    const found = refusal(() => verifyManifest(encode(M0_SIGNED), ring, LIMITS));
    assert.deepEqual(found, {
      code: 'KeyUnusable',
      pointer: '/app_id',
      message: 'the file is open to others: `chmod 644` it',
    });
  });

  it("[R17] an app with a key of its own cannot claim another app's capability", () => {
    const ring = keyring({ 'org.evil.App': [OTHER_KEY], 'org.gnome.Nautilus': [KEY] });
    const foreign = sign(manifestOf('org.evil.App', { id: 'files.org.gnome.nautilus.open' }), OTHER_SEED);
    assert.equal(at(foreign, ring), 'CapabilityIdForeign /capabilities/0/id');
    assert.equal(at(sign(VECTORS.M0, OTHER_SEED), ring), 'SignatureWrong /signature');
    const prefix = sign(manifestOf('org.xfce', { id: 'editor.org.xfce.mousepad.read' }), SEED);
    assert.equal(at(prefix, keyring({ 'org.xfce': [KEY] })), 'CapabilityIdForeign /capabilities/0/id');
  });
});
