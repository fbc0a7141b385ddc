// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { InterfaceSets } from '../../tier2-atspi/interfaces.ts';
import { roleOf } from '../../tier2-atspi/roles.ts';
import { StateSets, stateOf, withState } from '../../tier2-atspi/states.ts';

describe('tier2-atspi/states', () => {
  it('each bit is its state, in either word', () => {
    const sets = new StateSets();
    assert.deepEqual([...sets.of([(1 << 1) | (1 << 24), 0])], ['active', 'sensitive']);
    assert.deepEqual([...sets.of([2 ** 31, 0])], ['manages-descendants']);
    assert.deepEqual([...sets.of([0, (1 << 0) | (1 << 11)])], ['indeterminate', 'read-only']);
    assert.deepEqual([...sets.of([])], []);
    assert.deepEqual([...sets.of([0, 2 ** 31])], [], 'a bit that no state has');
  });

  it('equal sets are shared', () => {
    const sets = new StateSets();
    assert.strictEqual(sets.of([6, 1]), sets.of([6, 1]));
    assert.notStrictEqual(sets.of([6, 1]), sets.of([1, 6]));
  });

  it('an event may spell a state in either way', () => {
    assert.equal(stateOf('manages-descendants'), 'manages-descendants');
    assert.equal(stateOf('has_popup'), 'has-popup');
    assert.equal(stateOf('read only'), 'read-only');
    assert.equal(stateOf('Focused'), 'focused');
    assert.isUndefined(stateOf('__proto__'));
  });

  it('a state is set and cleared without touching the set it was in', () => {
    const before = new StateSets().of([1 << 12, 0]);
    assert.strictEqual(withState(before, 'focused', true), before);
    assert.deepEqual([...withState(before, 'focused', false)], []);
    assert.deepEqual([...withState(before, 'checked', true)], ['focused', 'checked']);
    assert.deepEqual([...before], ['focused']);
  });
});

describe('tier2-atspi/roles', () => {
  it('each number is its role, and one beyond the list is unknown', () => {
    const known = { 7: 'check box', 23: 'frame', 40: 'password text', 43: 'push button', 75: 'application' };
    for (const [number, role] of Object.entries(known)) assert.equal(roleOf(Number(number)), role);
    assert.equal(roleOf(129), 'push button menu');
    for (const number of [130, -1, 1.5, 2 ** 31]) assert.equal(roleOf(number), 'unknown');
  });
});

describe('tier2-atspi/interfaces', () => {
  it('only those of the protocol count, and equal sets are shared', () => {
    const sets = new InterfaceSets();
    const one = sets.of(['org.a11y.atspi.Action', 'org.a11y.atspi.Text', 'org.example.Action', 'Action']);
    assert.deepEqual([...one], ['Action', 'Text']);
    assert.strictEqual(sets.of(['org.a11y.atspi.Text', 'org.a11y.atspi.Action']), one);
  });
});
