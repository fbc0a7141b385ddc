// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { TargetPairs } from '../../policy/target-pairs.ts';
import { glob } from './grants.ts';

const TMP = glob('/tmp/**');
const TMP_A = glob('/tmp/a*');

describe('TargetPairs', () => {
  it('[R129] says what is inside, and what lies across', () => {
    const pairs = new TargetPairs(10);
    assert.isTrue(pairs.isIncluded(TMP_A, TMP));
    assert.isFalse(pairs.isIncluded(TMP, TMP_A));
    assert.isFalse(pairs.isIncluded(glob('/etc/a'), TMP));
    assert.deepEqual(pairs.overlap(TMP, TMP_A), { example: '/tmp/a' });
    assert.equal(pairs.overlap(glob('/tmp/*b'), glob('/tmp/*c')), 'apart');
    assert.equal(pairs.overlap(glob('/etc/a'), TMP), 'apart');
    assert.equal(pairs.overlap(TMP, glob('/etc/a')), 'apart');
  });

  it('[R128] looks at so many pairs in each way, and knows nothing beyond', () => {
    const pairs = new TargetPairs(1);
    assert.isTrue(pairs.isIncluded(TMP_A, TMP));
    assert.isFalse(pairs.isIncluded(TMP_A, TMP));
    assert.deepEqual(pairs.overlap(TMP_A, TMP), { example: '/tmp/a' });
    assert.equal(pairs.overlap(TMP_A, TMP), 'too-complex');
  });

  it('[R128] spends nothing on what shows at once', () => {
    const pairs = new TargetPairs(1);
    assert.isTrue(pairs.isIncluded(TMP, glob('/tmp/**')));
    assert.isFalse(pairs.isIncluded(glob('/etc/a'), TMP));
    assert.equal(pairs.overlap(glob('/etc/a'), TMP), 'apart');
    assert.isTrue(pairs.isIncluded(TMP_A, TMP));
    assert.deepEqual(pairs.overlap(TMP_A, TMP), { example: '/tmp/a' });
  });
});
