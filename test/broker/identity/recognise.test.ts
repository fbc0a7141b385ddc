// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { BindingKind } from '../../../broker/identity/binding.ts';
import type { Peer } from '../../../broker/identity/peer.ts';
import type { PrincipalConfig, PrincipalMatch } from '../../../broker/identity/principal.ts';
import { assuranceOf, recogniser } from '../../../broker/identity/recognise.ts';

const OWN = { uid: 1000, gid: 1000 };
const PEER: Peer = {
  name: ':1.1',
  uid: 2000,
  gid: 2000,
  pid: 1,
  startTime: '1',
  exe: '/usr/bin/x',
  exeIsInterpreter: false,
  securityLabel: undefined,
  systemUnit: undefined,
  appUnit: undefined,
  sandboxId: undefined,
  parents: [],
};

function entry(match: PrincipalMatch, minBinding?: BindingKind): PrincipalConfig {
  return { id: 'x', level: 'user', roles: ['intelligence'], match, minBinding };
}

describe('broker/identity/recognise', () => {
  const cases: readonly [entries: readonly PrincipalConfig[], assurance: string][] = [
    [[], 'enforced'],
    [[entry({ uid: 2000 })], 'enforced'],
    [[entry({ gid: 2000, exe: '/usr/bin/x' })], 'enforced'],
    [[entry({ label: 'a' }, 'pid'), entry({ systemUnit: 'b' })], 'enforced'],
    [[entry({ exe: '/usr/bin/x' })], 'advisory'],
    [[entry({ uid: 2000 }), entry({ appUnit: 'org.a.B' })], 'advisory'],
    [[entry({ sandboxId: 'org.a.B' })], 'advisory'],
    // Being this user is no evidence, unless root takes it for some.
    [[entry({ uid: 1000, gid: 1000 })], 'enforced'],
    [[entry({ uid: 1000 }, 'pid')], 'advisory'],
    [[entry({ uid: 1000, exe: '/usr/bin/x' })], 'advisory'],
    // Never earned, so it promises nothing that is not kept.
    [[entry({ exe: '/usr/bin/x' }, 'gid')], 'enforced'],
    [[entry({})], 'enforced'],
  ];
  for (const [entries, assurance] of cases) {
    const what = entries
      .map(({ match, minBinding }) => `${JSON.stringify(match)} by ${minBinding ?? 'the usual'}`)
      .join(' and ');
    it(`[R157] ${what || 'nothing configured'} is ${assurance}`, () =>
      assert.equal(assuranceOf(entries, OWN), assurance));
  }

  it('[R157] nobody is told apart better than the whole, and unmatched peers not at all', () => {
    const strong = entry({ uid: 2000 });
    const of = (configured: readonly PrincipalConfig[], peer: Partial<Peer> = {}): string =>
      recogniser(configured, OWN)({ ...PEER, ...peer }).assurance;
    assert.equal(of([strong]), 'enforced');
    assert.equal(of([strong, entry({ exe: '/usr/bin/other' })]), 'advisory');
    assert.equal(of([strong], { uid: 3000 }), 'advisory');
  });

  it('[R122] holds peers against the ids of this process', () => {
    const peer = { ...PEER, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const match = { uid: peer.uid };
    assert.equal(recogniser([entry(match)])(peer).id, `unmatched:${peer.uid}`);
  });
});
