// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CATEGORIES, type Category } from '../../manifests/capability.ts';
import { type Classification, classify, type Gate, type Profile, stricter } from '../../policy/classify.ts';
import { type Declared, declaring, EVERYTHING, SIDE_EFFECTS } from './capabilities.ts';

const GATES = ['automatic', 'ask', 'confirm'];
const RISKS = ['low', 'medium', 'high', 'critical'];
const LEVELS = ['public', 'user', 'privileged', 'system'];
const READS = ['none', 'read'];
const PROFILES: readonly Profile[] = ['standard', 'strict'];

const row = ({ access, network, gate, risk, level }: Classification): string =>
  [access, network, gate, risk, level].join(' ');
const of = (declared: Partial<Declared>, profile: Profile = 'standard'): Classification =>
  classify(declaring(declared), profile);

/** `a` is at least as strict as `b` in every respect. */
function atLeast(a: Classification, b: Classification): boolean {
  return (
    GATES.indexOf(a.gate) >= GATES.indexOf(b.gate) &&
    RISKS.indexOf(a.risk) >= RISKS.indexOf(b.risk) &&
    LEVELS.indexOf(a.level) >= LEVELS.indexOf(b.level) &&
    (a.access === b.access || a.access === 'write') &&
    (a.network === b.network || a.network === 'external')
  );
}

describe('classify', () => {
  const TABLE: readonly [Declared['sideEffects'], string][] = [
    ['none', 'read local automatic low public'],
    ['read', 'read local automatic low public'],
    ['write', 'write local ask medium user'],
    ['destructive', 'write local confirm high user'],
    ['network', 'write external confirm high user'],
    ['system', 'write local confirm critical privileged'],
    ['unknown', 'write external confirm high user'],
  ];
  for (const [sideEffects, expected] of TABLE) {
    it(`[R22] [R23] [R24] [R34] [R36] [R40] [R79] ${sideEffects}: ${expected}`, () => {
      assert.equal(row(of({ sideEffects })), expected);
      assert.equal(of({ sideEffects }).sideEffects, sideEffects);
    });
  }

  const FLOORS: readonly [Category, written: string, read: string][] = [
    ['STATE_QUERY', 'write local ask medium user', 'automatic'],
    ['TEXT_QUERY', 'write local ask medium user', 'automatic'],
    ['APP_MANAGEMENT', 'write local ask medium user', 'ask'],
    ['SURFACE_MANAGEMENT', 'write local ask medium user', 'ask'],
    ['ELEMENT_INTERACTION', 'write local ask medium user', 'ask'],
    ['TEXT_INPUT', 'write local ask medium user', 'ask'],
    ['NAVIGATION', 'write local ask medium user', 'ask'],
    ['MEDIA_PLAYBACK', 'write local ask medium user', 'ask'],
    ['FILE_OPERATION', 'write local ask medium user', 'ask'],
    ['COMMUNICATION', 'write external confirm high user', 'ask'],
    ['SYSTEM', 'write local confirm critical privileged', 'ask'],
    ['HARDWARE', 'write local confirm critical privileged', 'ask'],
  ];
  for (const [category, written, read] of FLOORS) {
    it(`[R19] a floor under ${category}: a write is at least ${written}, a read at least ${read}`, () => {
      assert.equal(row(of({ category, sideEffects: 'write' })), written);
      assert.equal(row(of({ category })), `read local ${read} low public`);
    });
  }

  it('[R34] an external read confirms, at the risk of reaching outside', () => {
    assert.equal(row(of({ network: 'external' })), 'read external confirm high public');
    assert.equal(
      row(of({ network: 'external', sideEffects: 'system' })),
      'write external confirm critical privileged',
    );
  });

  it('[R25] the author can have anything confirmed', () => {
    assert.equal(row(of({ confirmationRequired: true })), 'read local confirm low public');
  });

  it('[R80] [R81] strict: automatic for a local read without a floor that nobody wants confirmed, else confirm', () => {
    for (const declared of EVERYTHING) {
      const floorless = declared.category === 'STATE_QUERY' || declared.category === 'TEXT_QUERY';
      const plainRead =
        READS.includes(declared.sideEffects) &&
        declared.network === undefined &&
        !declared.confirmationRequired;
      const expected = plainRead && floorless ? 'automatic' : 'confirm';
      assert.equal(of(declared, 'strict').gate, expected, JSON.stringify(declared));
    }
  });

  it('[R23] standard: nothing but the same reads is automatic', () => {
    for (const declared of EVERYTHING) {
      const automatic = of(declared, 'strict').gate === 'automatic';
      assert.equal(of(declared).gate === 'automatic', automatic, JSON.stringify(declared));
    }
  });

  it('[R14] [R79] nothing that is declared loosens the table', () => {
    for (const profile of PROFILES) {
      for (const declared of EVERYTHING) {
        const found = of(declared, profile);
        const looser = [
          of({ sideEffects: declared.sideEffects }, profile),
          of({ ...declared, network: undefined }, profile),
          of({ ...declared, confirmationRequired: false }, profile),
          of({ ...declared, category: 'STATE_QUERY' }, profile),
          of(declared, 'standard'),
        ];
        for (const other of looser) {
          if (!atLeast(found, other)) assert.fail(JSON.stringify([profile, declared, found, other]));
        }
      }
    }
  });

  it('[R30] the level that the author asks for is no part of the class', () => {
    for (const declared of EVERYTHING) {
      assert.equal(row(of(declared)), row(of({ ...declared, authLevel: 'public' })));
    }
  });

  it('a silent declaration is at least as strict as any ordinary one', () => {
    for (const sideEffects of SIDE_EFFECTS.filter((one) => one !== 'system')) {
      for (const category of CATEGORIES) {
        const silent = of({ category, sideEffects: 'unknown' });
        assert.isTrue(atLeast(silent, of({ category, sideEffects })), `${sideEffects} ${category}`);
      }
    }
  });
});

describe('stricter', () => {
  it('takes the later of two gates, in either order', () => {
    const gates: readonly Gate[] = ['automatic', 'ask', 'confirm'];
    for (const [i, a] of gates.entries()) {
      for (const [j, b] of gates.entries()) assert.equal(stricter(a, b), gates[Math.max(i, j)]);
    }
  });
});
