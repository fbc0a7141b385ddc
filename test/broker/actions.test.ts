// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Actions } from '../../broker/actions.ts';

describe('the actions of a principal', () => {
  it('[R114] each has a status of a closed list, from the moment it was asked for', () => {
    const actions = new Actions();
    actions.started('agent', 'i1', 'a.b.c');
    actions.started('agent', 'i2', 'a.b.d');
    actions.ended('agent', 'i1', 'denied');
    assert.deepEqual(actions.of('agent'), [
      { invocation: 'i1', capability: 'a.b.c', status: 'denied' },
      { invocation: 'i2', capability: 'a.b.d', status: 'pending' },
    ]);
  });

  it("are that principal's alone", () => {
    const actions = new Actions();
    actions.started('agent', 'i1', 'a.b.c');
    actions.ended('other', 'i1', 'failed');
    assert.deepEqual(actions.of('other'), []);
    assert.equal(actions.of('agent')[0]?.status, 'pending');
  });

  it('are the latest fifty, of the latest principals', () => {
    const actions = new Actions();
    actions.started('first', 'i', 'a.b.c');
    for (let n = 0; n < 60; n += 1) actions.started('agent', `i${n}`, 'x'.repeat(400));
    const kept = actions.of('agent');
    assert.lengthOf(kept, 50);
    assert.equal(kept[0]?.invocation, 'i10');
    assert.lengthOf(kept[0]?.capability ?? '', 255);
    for (let n = 0; n < 300; n += 1) actions.started(`p${n}`, 'i', 'a.b.c');
    assert.deepEqual(actions.of('first'), []);
    actions.ended('agent', 'i59', 'failed');
    assert.deepEqual(actions.of('agent'), []);
  });
});
