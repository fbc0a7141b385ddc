// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { IncomingSignal } from '../../dbus/connection.ts';
import { variant } from '../../dbus/values.ts';
import type { Element, Tree } from '../../tier2-atspi/element.ts';
import { changeOf, withChanges } from '../../tier2-atspi/events.ts';

const ROOT = { bus: ':1.1', path: '/root' };

function signal(
  member: string,
  body: readonly unknown[] = ['', 0, 0, variant('i', 0), []],
  over = {},
): IncomingSignal {
  const object = {
    sender: ROOT.bus,
    path: '/x',
    interface: 'org.a11y.atspi.Event.Object',
    signature: 'siiva{sv}',
  };
  return { ...object, member, body, ...over };
}
const change = (...given: Parameters<typeof signal>) => changeOf(signal(...given), ROOT, 20);

describe('tier2-atspi/events', () => {
  it('children are asked for again', () => {
    assert.deepEqual(change('ChildrenChanged', ['add', 0, 0, variant('s', ''), []]), {
      kind: 'again',
      path: '/x',
    });
  });

  it('a state, a name and a description come with the event', () => {
    const state = { kind: 'state', path: '/x', state: 'checked', on: true } as const;
    assert.deepEqual(change('StateChanged', ['checked', 1, 0, variant('i', 0), []]), state);
    assert.deepEqual(change('StateChanged', ['checked', 0, 0, variant('i', 0), []]), { ...state, on: false });
    const name = ['accessible-name', 0, 0, variant('s', 'A\nname of more than twenty'), []];
    assert.deepEqual(change('PropertyChange', name), {
      kind: 'name',
      path: '/x',
      text: 'A name of more than…',
    });
    const description = ['accessible-description', 0, 0, variant('s', 'what'), []];
    assert.deepEqual(change('PropertyChange', description), {
      kind: 'description',
      path: '/x',
      text: 'what',
    });
    const older = change('StateChanged', ['checked', 1, 0, variant('i', 0), [':1.1', '/root']], {
      signature: 'siiv(so)',
    });
    assert.deepEqual(older, state);
  });

  it('a name that is not given is asked for', () => {
    assert.deepEqual(change('PropertyChange', ['accessible-name', 0, 0, variant('i', 0), []]), {
      kind: 'again',
      path: '/x',
    });
  });

  it('windows come and go below the app, and are active or not', () => {
    const over = { interface: 'org.a11y.atspi.Event.Window' };
    for (const member of ['Create', 'Destroy'])
      assert.deepEqual(change(member, undefined, over), { kind: 'again', path: '/root' });
    const active = { kind: 'state', path: '/x', state: 'active' } as const;
    assert.deepEqual(change('Activate', undefined, over), { ...active, on: true });
    assert.deepEqual(change('Deactivate', undefined, over), { ...active, on: false });
    assert.isUndefined(change('Move', undefined, over));
  });

  it('everything else means nothing', () => {
    assert.isUndefined(change('StateChanged', ['no-such', 1, 0, variant('i', 0), []]));
    assert.isUndefined(change('StateChanged', [7, 1, 0, variant('i', 0), []]));
    assert.isUndefined(change('PropertyChange', ['accessible-value', 0, 0, variant('d', 1), []]));
    assert.isUndefined(change('BoundsChanged'));
    assert.isUndefined(change('ChildrenChanged', [], { signature: 'as' }));
    assert.isUndefined(change('ChildrenChanged', undefined, { interface: 'org.a11y.atspi.Event.Mouse' }));
  });

  describe('applied to a tree', () => {
    const element: Element = {
      ref: { bus: ROOT.bus, path: '/x' },
      parent: ROOT,
      role: 'check box',
      name: 'One',
      description: '',
      states: new Set(['checked']),
      interfaces: new Set(),
      children: [],
      unread: undefined,
    };
    const elements = new Map([['/x', element]]);
    const tree: Tree = { root: ROOT, elements, complete: true, gaps: new Map(), fromCache: false };

    it('the last word counts', () => {
      const on = { kind: 'state', path: '/x', state: 'checked' } as const;
      const after = withChanges(tree, [
        { ...on, on: false },
        { ...on, on: true },
        { ...on, on: false },
      ]);
      assert.isFalse(after.elements.get('/x')?.states.has('checked'));
      assert.isTrue(element.states.has('checked'));
    });

    it('what changes nothing leaves the tree as it is', () => {
      const after = withChanges(tree, [
        { kind: 'again', path: '/x' },
        { kind: 'state', path: '/x', state: 'checked', on: true },
        { kind: 'name', path: '/x', text: 'One' },
        { kind: 'description', path: '/x', text: '' },
        { kind: 'name', path: '/elsewhere', text: 'Two' },
      ]);
      assert.strictEqual(after, tree);
    });

    it('names and descriptions are taken over', () => {
      const after = withChanges(tree, [
        { kind: 'name', path: '/x', text: 'Two' },
        { kind: 'description', path: '/x', text: 'second' },
      ]);
      assert.include(after.elements.get('/x'), { name: 'Two', description: 'second' });
      assert.equal(element.name, 'One');
    });
  });
});
