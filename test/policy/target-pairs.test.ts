// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { TargetPairs } from '../../policy/target-pairs.ts';
import { glob } from './grants.ts';

const TMP = glob('/tmp/**');
const TMP_A = glob('/tmp/a*');

describe('TargetPairs', () => {
  it('[R129] says what is inside, and what lies across', () => {
    const pairs = new TargetPairs(10_000);
    assert.isTrue(pairs.isIncluded(TMP_A, TMP));
    assert.isFalse(pairs.isIncluded(TMP, TMP_A));
    assert.isFalse(pairs.isIncluded(glob('/etc/a'), TMP));
    assert.deepEqual(pairs.overlap(TMP, TMP_A), { example: '/tmp/a' });
    assert.equal(pairs.overlap(glob('/tmp/*b'), glob('/tmp/*c')), 'apart');
    assert.equal(pairs.overlap(glob('/etc/a'), TMP), 'apart');
    assert.equal(pairs.overlap(TMP, glob('/etc/a')), 'apart');
  });

  it('[R128] looks at so much in each way, and knows nothing beyond', () => {
    const pairs = new TargetPairs(1000);
    let [included, across] = [0, 0];
    for (; pairs.isIncluded(TMP_A, TMP); included += 1) assert.isBelow(included, 20);
    for (; pairs.overlap(TMP_A, TMP) !== 'too-complex'; across += 1) assert.isBelow(across, 100);
    assert.isAbove(included, 4);
    assert.isAbove(across, 4);
    assert.isFalse(pairs.isIncluded(TMP_A, TMP));
    assert.equal(pairs.overlap(TMP_A, TMP), 'too-complex');
  });

  it('[R128] spends no more than a part on one pair', () => {
    const pairs = new TargetPairs(2000);
    const [hard, other] = ['a', 'b'].map((char) => glob(`/tmp/**${char}${'?'.repeat(30)}`));
    assert.isDefined(hard);
    assert.isDefined(other);
    assert.isFalse(pairs.isIncluded(hard, other));
    assert.equal(pairs.overlap(hard, other), 'too-complex');
    assert.isTrue(pairs.isIncluded(TMP_A, TMP));
    assert.deepEqual(pairs.overlap(TMP, TMP_A), { example: '/tmp/a' });
  });

  it('[R128] spends nothing on what shows at once', () => {
    const pairs = new TargetPairs(0);
    assert.isTrue(pairs.isIncluded(TMP, glob('/tmp/**')));
    assert.isFalse(pairs.isIncluded(glob('/etc/a'), TMP));
    assert.equal(pairs.overlap(glob('/etc/a'), TMP), 'apart');
    assert.isFalse(pairs.isIncluded(TMP_A, TMP));
    assert.equal(pairs.overlap(TMP_A, TMP), 'too-complex');
  });
});
