// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { VERSION } from '../../broker/version.ts';
import manifest from '../../package.json' with { type: 'json' };

describe('broker/version', () => {
  it('is the version of the package', () => {
    assert.equal(VERSION, manifest.version);
  });
});
