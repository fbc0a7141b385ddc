// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { decodeAuthorisation } from '../../../broker/identity/polkit-result.ts';
import { identityFailureThrownBy } from './identity-failure.ts';

describe('broker/identity/polkit-result', () => {
  it('[R91] takes a clear yes', () => {
    assert.doesNotThrow(() => decodeAuthorisation([[true, false, []]]));
  });

  const no: readonly [reply: unknown, words: RegExp][] = [
    [[false, false, []], /active one/],
    [[false, true, []], /authentication agent/],
    [[false, false, [['polkit.dismissed', 'true']]], /dismissed/],
    [[false, true, [['polkit.dismissed', 'true']]], /dismissed/],
    [[false, true, [['other', 'true']]], /authentication agent/],
  ];
  for (const [result, words] of no) {
    it(`[R91] ${JSON.stringify(result)} is a no`, () => {
      const { code, message } = identityFailureThrownBy(() => decodeAuthorisation([result]));
      assert.equal(code, 'NotAuthorised');
      assert.match(message, words);
    });
  }

  const malformed: readonly (readonly unknown[])[] = [
    [],
    [true],
    [[]],
    [[true]],
    [[true, false]],
    [[1, false, []]],
    [['true', false, []]],
    [[true, 1, []]],
    [[true, false, 'x']],
    [[true, false, []], true],
    [null],
  ];
  for (const reply of malformed) {
    it(`[R91] ${JSON.stringify(reply)} is no answer at all`, () => {
      assert.equal(identityFailureThrownBy(() => decodeAuthorisation(reply)).code, 'NoAuthority');
    });
  }
});
