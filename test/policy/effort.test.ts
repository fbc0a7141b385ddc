// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Effort } from '../../policy/effort.ts';

describe('Effort', () => {
  it('[R128] is all that may be spent', () => {
    const effort = new Effort(3);
    assert.isTrue(effort.spend(2));
    assert.isTrue(effort.spend(1));
    assert.isFalse(effort.spend(1));
    assert.isFalse(effort.spend(0));
  });

  it('[R128] as a part of another is bounded by both, and spent in both', () => {
    const whole = new Effort(5);
    const part = new Effort(3, whole);
    assert.isTrue(part.spend(3));
    assert.isFalse(part.spend(1));
    assert.isTrue(new Effort(9, whole).spend(1));
    assert.isFalse(new Effort(9, whole).spend(1));
  });
});
