// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import type { Facts, Ref } from '../../tier2-atspi/element.ts';
import { AccessibilityError } from '../../tier2-atspi/error.ts';
import { DEFAULT_ACCESSIBILITY_LIMITS } from '../../tier2-atspi/limits.ts';
import { type FactSource, Walk } from '../../tier2-atspi/walk.ts';

const ref = (path: string): Ref => ({ bus: ':1.1', path });
const facts = (children: readonly string[] | undefined): Facts => ({
  role: 'panel',
  name: '',
  description: '',
  states: new Set(),
  interfaces: new Set(),
  children: children?.map(ref),
  unread: undefined,
});

function source(graph: ReadonlyMap<string, readonly string[]>, known: ReadonlySet<string> = new Set()) {
  const asked: string[] = [];
  const made: FactSource = {
    known: (path) => (known.has(path) ? facts(graph.get(path)) : undefined),
    expect: async () => undefined,
    ask: async ({ path }) => {
      asked.push(path);
      const children = graph.get(path);
      if (children === undefined) throw new AccessibilityError('refused', 'gone');
      return facts(children);
    },
  };
  return { made, asked };
}

const node = fc.integer({ min: 0, max: 20 }).map((number) => `/${number}`);
const graphs = fc
  .dictionary(node, fc.array(node, { maxLength: 8 }), { minKeys: 1 })
  .map((graph) => new Map([...Object.entries(graph), ['/0', graph['/0'] ?? ['/1', '/2']] as const]));

describe('tier2-atspi/walk', () => {
  const limits = { ...DEFAULT_ACCESSIBILITY_LIMITS, maxNodes: 12, maxDepth: 5 };

  it('of any graph makes a tree: each object once, under one parent, within the limits', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.uniqueArray(node), async (graph, known) => {
        const { made, asked } = source(graph, new Set(known.filter((path) => graph.has(path))));
        const { elements, gaps, complete } = await new Walk(ref('/0'), made, limits).run();
        assert.isAtMost(elements.size, limits.maxNodes);
        assert.equal(new Set(asked).size, asked.length, 'nobody is asked twice');
        const children = [...elements.values()].flatMap((element) =>
          element.children.map(({ path }) => path),
        );
        assert.sameMembers(
          children,
          [...elements.keys()].filter((path) => path !== '/0'),
        );
        assert.equal(complete, gaps.size === 0);
        if (complete) assert.isTrue(children.every((path) => graph.has(path)));
      }),
      { numRuns: 200 },
    );
  });

  it('gives what is as it was as the same object', async () => {
    const graph = new Map([
      ['/0', ['/1', '/2']],
      ['/1', []],
      ['/2', ['/3']],
      ['/3', []],
    ]);
    const first = await new Walk(ref('/0'), source(graph).made, limits).run();
    graph.set('/2', []);
    const { made } = source(graph);
    const again: FactSource = {
      ...made,
      known: (path) => (path === '/2' ? undefined : first.elements.get(path)),
    };
    const second = await new Walk(ref('/0'), again, limits).run();
    assert.strictEqual(second.elements.get('/0'), first.elements.get('/0'));
    assert.strictEqual(second.elements.get('/1'), first.elements.get('/1'));
    assert.notStrictEqual(second.elements.get('/2'), first.elements.get('/2'));
    assert.isFalse(second.elements.has('/3'));
  });

  for (const code of ['gone', 'lost'] as const) {
    it(`rejects where the app is ${code}, however far it got`, async () => {
      const { made } = source(
        new Map([
          ['/0', ['/1', '/2']],
          ['/1', []],
        ]),
      );
      const failing: FactSource = {
        ...made,
        ask: async (at, known) => {
          if (at.path === '/2') throw new AccessibilityError(code, 'away');
          return await made.ask(at, known);
        },
      };
      const error = await new Walk(ref('/0'), failing, limits).run().catch((reason: unknown) => reason);
      assert.instanceOf(error, AccessibilityError);
      assert.equal(error.code, code);
    });
  }

  it('lets a fault of our own through', async () => {
    const fault = new RangeError('ours');
    const failing: FactSource = { ...source(new Map()).made, expect: () => Promise.reject(fault) };
    assert.strictEqual(
      await new Walk(ref('/0'), failing, limits).run().catch((reason: unknown) => reason),
      fault,
    );
  });
});
