// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { canonicalBytes, signedBytes } from '../../keys/canonical-json.ts';
import type { RawManifest } from '../../manifests/shape.ts';
import { assembleSignedBytes } from '../../manifests/signed-form.ts';
import { largeManifest, parse, sign, VECTORS } from './fixtures.ts';

const assembled = (manifest: RawManifest) =>
  Buffer.from(assembleSignedBytes(manifest, manifest.capabilities.map(canonicalBytes)));

describe('manifests/signed-form', () => {
  it('[R54] is the canonical form of the whole without the signature, whatever is in it', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
    const manifest = fc.record(
      {
        app_id: json,
        version: json,
        manifest_version: json,
        events: json,
        signature: json,
        revision: json,
        activation: json,
        locales: json,
        '': json,
        ü: json,
        '10': json,
        '9': json,
        'a"b': json,
        capabilities: fc.array(json),
      },
      { requiredKeys: ['capabilities'] },
    );
    fc.assert(
      fc.property(manifest, (value) => {
        // Its fields need no right type here: the form is the same for any JSON.
        const raw: RawManifest = JSON.parse(JSON.stringify(value));
        assert.equal(assembled(raw).toString(), Buffer.from(signedBytes({ ...raw })).toString());
      }),
    );
  });

  it('[R54] agrees with the published vector and with a large manifest', () => {
    assert.equal(parse(VECTORS.M0).digest, VECTORS.M0_canonical_sha256);
    const large = sign(largeManifest(30));
    assert.deepEqual(Buffer.from(parse(large).signedBytes), Buffer.from(signedBytes(large)));
  });

  it('[R54] leaves a `signature` that is not the top-level one in place', () => {
    const form = parse(
      sign({ ...VECTORS.M0, locales: {}, events: [{ event_type: 'signature', description: 'signature' }] }),
    );
    assert.include(Buffer.from(form.signedBytes).toString(), '"event_type":"signature"');
    assert.notInclude(Buffer.from(form.signedBytes).toString(), 'ed25519:');
  });
});
