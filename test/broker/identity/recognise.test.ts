// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { BindingKind } from '../../../broker/identity/binding.ts';
import type { Peer } from '../../../broker/identity/peer.ts';
import type { PrincipalConfig, Role } from '../../../broker/identity/principal.ts';
import { assuranceOf, recogniser } from '../../../broker/identity/recognise.ts';
import type { AuthLevel } from '../../../manifests/capability.ts';

function entry(
  level: AuthLevel,
  roles: readonly Role[],
  minBinding: BindingKind | undefined,
): PrincipalConfig {
  return { id: 'x', level, roles, match: { exe: '/usr/bin/x' }, minBinding };
}

describe('broker/identity/recognise', () => {
  const cases: readonly [entries: readonly PrincipalConfig[], assurance: string][] = [
    [[], 'enforced'],
    [[entry('system', ['compositor'], undefined)], 'enforced'],
    [[entry('system', ['compositor'], 'gid')], 'enforced'],
    [[entry('user', ['intelligence'], 'exe')], 'enforced'],
    [[entry('user', ['operator'], 'exe')], 'advisory'],
    [[entry('user', ['confirmer'], 'pid')], 'advisory'],
    [[entry('privileged', ['intelligence'], 'sandbox')], 'advisory'],
    [[entry('user', [], 'exe'), entry('system', ['intelligence'], 'unit')], 'advisory'],
  ];
  for (const [entries, assurance] of cases) {
    const what = entries
      .map(({ level, roles, minBinding }) => `${level} ${roles} by ${minBinding}`)
      .join(' and ');
    it(`[R157] ${what || 'nothing configured'} is ${assurance}`, () =>
      assert.equal(assuranceOf(entries), assurance));
  }

  it('[R122] holds peers against the ids of this process', () => {
    const peer: Peer = {
      name: ':1.1',
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      pid: 1,
      startTime: '1',
      exe: undefined,
      exeIsInterpreter: false,
      securityLabel: undefined,
      systemUnit: undefined,
      appUnit: undefined,
      sandboxId: undefined,
      parents: [],
    };
    const match = { uid: peer.uid };
    const recognise = recogniser([{ id: 'x', level: 'user', roles: [], match, minBinding: undefined }]);
    assert.equal(recognise(peer).id, `unmatched:${peer.uid}`);
  });
});
