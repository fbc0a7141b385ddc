// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Acting } from '../../broker/acting.ts';

describe('who is acting', () => {
  it('is told when the first thing starts to run and when the last one ends, however it ends', async () => {
    const told: [string, boolean][] = [];
    const acting = new Acting((principal, active) => told.push([principal, active]));
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const running = acting.around('agent', () => first.promise);
    const failing = acting.around('agent', () => second.promise).catch(() => 'failed');
    const other = acting.around('other', async () => 'done');
    assert.equal(await other, 'done');
    first.resolve('done');
    assert.equal(await running, 'done');
    assert.deepEqual(told, [
      ['agent', true],
      ['other', true],
      ['other', false],
    ]);
    second.reject(new Error('no'));
    assert.equal(await failing, 'failed');
    assert.deepEqual(told.at(-1), ['agent', false]);
  });
});
