// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { AUTH_LEVELS, CATEGORIES } from '../../manifests/capability.ts';
import { mayUse } from '../../policy/authorise.ts';
import { classify } from '../../policy/classify.ts';
import { higher, type Principal, reaches } from '../../policy/principal.ts';
import { declaring, EVERYTHING, SIDE_EFFECTS } from './capabilities.ts';

describe('levels', () => {
  it('[R30] are an order', () => {
    for (const [i, a] of AUTH_LEVELS.entries()) {
      for (const [j, b] of AUTH_LEVELS.entries()) {
        assert.equal(reaches(a, b), i >= j, `${a} ${b}`);
        assert.equal(higher(a, b), AUTH_LEVELS[Math.max(i, j)]);
      }
    }
  });

  it('what is no level reaches none', () => {
    const outside: unknown = 'root';
    for (const level of AUTH_LEVELS) assert.isFalse(Reflect.apply(reaches, undefined, [outside, level]));
  });
});

describe('mayUse', () => {
  const principal = (more: Partial<Principal>): Principal => ({
    id: 'agent',
    name: 'agent',
    level: 'system',
    categories: undefined,
    ...more,
  });

  it('[R30] [R32] [R33] takes the level the author asks for and the one the class demands', () => {
    for (const declared of EVERYTHING) {
      const capability = declaring(declared);
      const found = classify(capability, 'standard');
      for (const level of AUTH_LEVELS) {
        const expected =
          AUTH_LEVELS.indexOf(level) >= AUTH_LEVELS.indexOf(declared.authLevel) &&
          AUTH_LEVELS.indexOf(level) >= AUTH_LEVELS.indexOf(found.level);
        assert.equal(
          mayUse(principal({ level }), capability, found),
          expected,
          JSON.stringify([level, declared]),
        );
      }
    }
  });

  it('[R31] gives the public only what reads', () => {
    for (const sideEffects of SIDE_EFFECTS) {
      const capability = declaring({ sideEffects, authLevel: 'public' });
      const reads = sideEffects === 'none' || sideEffects === 'read';
      assert.equal(
        mayUse(principal({ level: 'public' }), capability, classify(capability, 'standard')),
        reads,
      );
    }
  });

  it('[R19] holds a limited principal to its categories', () => {
    for (const category of CATEGORIES) {
      const capability = declaring({ category });
      const found = classify(capability, 'standard');
      assert.isTrue(mayUse(principal({ categories: [category] }), capability, found));
      const others = CATEGORIES.filter((other) => other !== category);
      assert.isFalse(mayUse(principal({ categories: others }), capability, found));
      assert.isFalse(mayUse(principal({ categories: [] }), capability, found));
    }
  });
});
