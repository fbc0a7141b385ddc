// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BINDINGS, compareBindings, isStrong } from '../../../broker/identity/binding.ts';

describe('broker/identity/binding', () => {
  it('[R122] only what the same uid cannot fake is strong', () => {
    assert.deepEqual(BINDINGS.filter(isStrong), ['uid', 'gid', 'label', 'system-unit']);
  });

  it('[R122] orders the rest: sandbox, unit, exe, pid', () => {
    const weak = ['label', 'sandbox', 'unit', 'exe', 'pid'] as const;
    for (const [index, kind] of weak.entries()) {
      const next = weak[index + 1];
      if (next !== undefined) assert.isAbove(compareBindings(kind, next), 0);
    }
    assert.equal(compareBindings('uid', 'system-unit'), 0);
  });
});
