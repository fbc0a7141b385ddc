// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { BINDINGS, isStrong } from '../../../broker/identity/binding.ts';
import type { Peer } from '../../../broker/identity/peer.ts';
import {
  isUnmatched,
  type PrincipalConfig,
  type PrincipalMatch,
  principalOf,
  ROLES,
} from '../../../broker/identity/principal.ts';
import { AUTH_LEVELS } from '../../../manifests/capability.ts';
import { reaches } from '../../../policy/principal.ts';

const OWN = { uid: 1000, gid: 1000 };
const PEER: Peer = {
  name: ':1.5',
  uid: 1000,
  gid: 1000,
  pid: 1234,
  startTime: '567',
  exe: '/usr/bin/agent',
  exeIsInterpreter: false,
  securityLabel: undefined,
  systemUnit: undefined,
  appUnit: undefined,
  sandboxId: undefined,
  parents: [],
};

function entry(match: PrincipalMatch, more: Partial<PrincipalConfig> = {}): PrincipalConfig {
  return { id: 'agent', roles: ['intelligence'], level: 'user', match, minBinding: undefined, ...more };
}

const SYSTEM = { id: 'compositor', level: 'system', roles: ['compositor', 'intelligence'] } as const;

describe('broker/identity/principal', () => {
  it('[R122] a peer that nothing matches may ask for public things and offer its own', () => {
    const { id, level, roles, binding } = principalOf(PEER, [entry({ exe: '/usr/bin/other' })], OWN);
    assert.deepEqual(
      [id, level, roles, binding],
      ['unmatched:1000', 'public', ['provider', 'intelligence'], 'pid'],
    );
  });

  const kinds: readonly [match: PrincipalMatch, peer: Partial<Peer>, binding: string][] = [
    [{ uid: 2000 }, { uid: 2000 }, 'uid'],
    [{ gid: 2000 }, { gid: 2000 }, 'gid'],
    [{ label: 'agent' }, { securityLabel: 'agent' }, 'label'],
    [{ systemUnit: 'a.service' }, { systemUnit: 'a.service' }, 'system-unit'],
    [{ sandboxId: 'org.a.B' }, { sandboxId: 'org.a.B' }, 'sandbox'],
    [{ appUnit: 'org.a.B' }, { appUnit: 'org.a.B' }, 'unit'],
    [{ exe: '/usr/bin/agent' }, {}, 'exe'],
    [{ exe: '/usr/bin/agent', sandboxId: 'org.a.B' }, { sandboxId: 'org.a.B' }, 'sandbox'],
    [{ uid: 1000, exe: '/usr/bin/agent' }, {}, 'exe'],
  ];
  for (const [match, peer, binding] of kinds) {
    it(`[R122] ${JSON.stringify(match)} binds by ${binding}`, () => {
      const principal = principalOf({ ...PEER, ...peer }, [entry(match)], OWN);
      assert.equal(principal.binding, binding);
      const strong = ['uid', 'gid', 'label', 'system-unit'].includes(binding);
      assert.equal(principal.assurance, strong ? 'enforced' : 'advisory');
      assert.equal(principal.id, strong ? 'agent' : 'agent:pid:1234:567');
      assert.equal(principalOf(PEER, [entry({ ...match, label: 'missing' })], OWN).id, 'unmatched:1000');
    });
  }

  const nobody: readonly [what: string, match: PrincipalMatch, peer: Partial<Peer>][] = [
    ["the broker's own uid", { uid: 1000 }, {}],
    ["the broker's own group", { gid: 1000 }, {}],
    [
      "an interpreter's path",
      { exe: '/usr/bin/python3' },
      { exe: '/usr/bin/python3', exeIsInterpreter: true },
    ],
    ['an empty match', {}, {}],
    ['an unknown program', { exe: '/usr/bin/agent' }, { exe: undefined }],
  ];
  for (const [what, match, peer] of nobody) {
    it(`[R122] ${what} binds nobody`, () => {
      assert.equal(principalOf({ ...PEER, ...peer }, [entry(match)], OWN).id, 'unmatched:1000');
    });
  }

  it('[R122] they may restrict what stronger evidence gives', () => {
    const match = { uid: 2000, exe: '/usr/bin/python3' };
    const peer = { ...PEER, uid: 2000, exe: '/usr/bin/python3', exeIsInterpreter: true };
    assert.equal(principalOf(peer, [entry(match)], OWN).binding, 'uid');
    assert.equal(principalOf({ ...peer, exe: '/usr/bin/perl' }, [entry(match)], OWN).id, 'unmatched:2000');
  });

  it('[R122] the strongest evidence wins, then the earlier entry', () => {
    const peer = { ...PEER, appUnit: 'org.a.B' };
    const entries = [
      entry({ exe: '/usr/bin/agent' }, { id: 'x' }),
      entry({ appUnit: 'org.a.B' }, { id: 'y' }),
    ];
    assert.match(principalOf(peer, entries, OWN).id, /^y:/);
    assert.match(principalOf(peer, [...entries, entry({ appUnit: 'org.a.B' }, { id: 'z' })], OWN).id, /^y:/);
  });

  describe('[R33] what is above `user`', () => {
    it('takes evidence that the same uid cannot fake', () => {
      const strong = principalOf({ ...PEER, gid: 2000 }, [entry({ gid: 2000 }, SYSTEM)], OWN);
      assert.deepEqual([strong.level, strong.roles, strong.assurance], ['system', SYSTEM.roles, 'enforced']);
      const weak = principalOf(PEER, [entry({ exe: '/usr/bin/agent' }, SYSTEM)], OWN);
      assert.deepEqual([weak.level, weak.roles, weak.assurance], ['user', ['intelligence'], 'advisory']);
    });

    it('[R157] is earned by less where root says so, and is then advisory', () => {
      const lowered = entry({ exe: '/usr/bin/agent' }, { ...SYSTEM, minBinding: 'exe' });
      const principal = principalOf(PEER, [lowered], OWN);
      assert.deepEqual(
        [principal.level, principal.roles, principal.assurance],
        ['system', SYSTEM.roles, 'advisory'],
      );
    });

    it('[R157] even by nothing but being this user, where root says that', () => {
      const lowered = entry({ uid: 1000 }, { ...SYSTEM, minBinding: 'pid' });
      const principal = principalOf(PEER, [lowered], OWN);
      assert.deepEqual(
        [principal.level, principal.binding, principal.assurance],
        ['system', 'pid', 'advisory'],
      );
    });

    it('is not earned below what root says', () => {
      assert.equal(
        principalOf(PEER, [entry({ exe: '/usr/bin/agent' }, { minBinding: 'unit' })], OWN).id,
        'unmatched:1000',
      );
    });

    it('is never reached by evidence the same uid can fake, whatever is configured, unless root lowered it', () => {
      const text = fc.constantFrom('a', 'b');
      const match = fc.record(
        { uid: fc.constant(1000), gid: fc.constant(1000), sandboxId: text, appUnit: text, exe: text },
        { requiredKeys: [] },
      );
      const config = fc.record({
        id: text,
        roles: fc.subarray([...ROLES]),
        level: fc.constantFrom(...AUTH_LEVELS),
        match,
        minBinding: fc.constantFrom(undefined, ...BINDINGS.filter(isStrong)),
      });
      const peer = fc.record({ sandboxId: text, appUnit: text, exe: text, exeIsInterpreter: fc.boolean() });
      fc.assert(
        fc.property(fc.array(config, { maxLength: 6 }), peer, (entries, shown) => {
          const principal = principalOf({ ...PEER, ...shown }, entries, OWN);
          assert.isTrue(reaches('user', principal.level));
          assert.includeMembers(['intelligence', 'provider'], [...principal.roles]);
          assert.isFalse(isStrong(principal.binding));
        }),
      );
    });
  });

  it('tells the unmatched from those whose name only sounds like it', () => {
    assert.isTrue(isUnmatched(principalOf(PEER, [], OWN)));
    assert.isFalse(
      isUnmatched(principalOf(PEER, [entry({ exe: '/usr/bin/agent' }, { id: 'unmatched' })], OWN)),
    );
  });

  it('carries the categories of its entry', () => {
    const categories = ['FILE_OPERATION'] as const;
    assert.deepEqual(
      principalOf(PEER, [entry({ exe: '/usr/bin/agent' }, { categories })], OWN).categories,
      categories,
    );
    assert.isUndefined(principalOf(PEER, [entry({ exe: '/usr/bin/agent' })], OWN).categories);
  });

  describe('[R122] every entry that a peer matches restricts it', () => {
    const peer = { ...PEER, uid: 2000 };
    const narrow = entry({ exe: '/usr/bin/agent' }, { id: 'narrow', categories: ['FILE_OPERATION'] });
    const cases: readonly [what: string, entries: readonly PrincipalConfig[], id: string, left: unknown][] = [
      [
        'a stronger entry for the whole user gives nothing back',
        [entry({ uid: 2000 }), narrow],
        'agent',
        ['FILE_OPERATION'],
      ],
      ['in any order', [narrow, entry({ uid: 2000 })], 'agent', ['FILE_OPERATION']],
      [
        'what one of them leaves out is out',
        [narrow, entry({ uid: 2000 }, { categories: ['SYSTEM', 'FILE_OPERATION'] })],
        'agent',
        ['FILE_OPERATION'],
      ],
      ['down to nothing', [narrow, entry({ uid: 2000 }, { categories: ['SYSTEM'] })], 'agent', []],
      [
        'by evidence that earns nothing, too',
        [entry({ uid: 2000 }), { ...narrow, minBinding: 'gid' }],
        'agent',
        ['FILE_OPERATION'],
      ],
      [
        'even whoever is nobody then',
        [{ ...narrow, minBinding: 'gid' }],
        'unmatched:2000',
        ['FILE_OPERATION'],
      ],
      [
        'not by an entry that it does not match',
        [entry({ uid: 2000 }), { ...narrow, match: { exe: '/usr/bin/other' } }],
        'agent',
        undefined,
      ],
    ];
    for (const [what, entries, id, left] of cases) {
      it(what, () => {
        const principal = principalOf(peer, entries, OWN);
        assert.equal(principal.id, id);
        assert.deepEqual(principal.categories, left);
      });
    }
  });
});
