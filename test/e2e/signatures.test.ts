// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { SEED, VECTORS } from '../manifests/fixtures.ts';
import { registerCall } from '../support/broker-calls.ts';
import { useDesktop } from '../support/desktop.ts';
import { fixtureManifest, seed, signed } from '../support/fixture-app.ts';
import type { AgentPeer, RawPeer } from '../support/peers.ts';

const M0 = VECTORS.M0;
const OPEN = 'files.org.gnome.nautilus.open';

describe('every form of signature but the one, over the bus', () => {
  const desktop = useDesktop();
  let agent: AgentPeer;
  let raw: RawPeer;

  before(async () => {
    [raw, agent] = await Promise.all([desktop().raw(), desktop().agent()]);
    desktop().trust(M0.app_id, SEED);
    desktop().trust('org.example.Other', seed(9));
  });

  after(async () => {
    await raw.process.stop();
  });

  const extra = { ...M0, signature: VECTORS.M0_signature, note: 'unsigned' };
  const nested = structuredClone(M0);
  Object.assign(nested.capabilities[0] ?? {}, { signature: VECTORS.M0_signature });
  const forms: readonly (readonly [string, string])[] = [
    ...VECTORS.bad_signatures.map((signature, index): [string, string] => [
      `form ${index}`,
      JSON.stringify({ ...M0, signature }),
    ]),
    ['no signature field', JSON.stringify(M0)],
    ['one extra unsigned field', JSON.stringify(extra)],
    [
      'the signature in a nested object as well',
      JSON.stringify({ ...nested, signature: VECTORS.M0_signature }),
    ],
    ['the signature in a nested object only', JSON.stringify(nested)],
    ['another key', signed(M0, seed(9))],
    ['an app without a key', signed(fixtureManifest({}, 'org.example.Keyless'), SEED)],
    ["an app whose key is another's", signed(fixtureManifest({}, 'org.example.Other'), SEED)],
    ['a repeated key at the top', VECTORS.dup_top],
    ['a repeated key behind an escape', VECTORS.dup_escaped],
    ['a repeated key below', VECTORS.dup_nested],
  ];
  for (const [what, manifest] of forms) {
    it(`[R4] [R6] [R11] [R53] is Tier 2: ${what}`, async () => {
      const before = desktop().audit({ type: 'manifest-rejected' }).length;
      const [tier, details] = await raw.call(registerCall(manifest));
      assert.equal(tier, 2);
      const { reason } = JSON.parse(String(details));
      assert.match(reason.code, /^[A-Z][A-Za-z]+$/);
      assert.match(reason.pointer, /^(\/|$)/);
      assert.notMatch(reason.message, /\n|\.$/);
      assert.equal(desktop().audit({ type: 'manifest-rejected' }).length, before + 1);
      assert.notInclude(JSON.stringify((await agent.list()).capabilities), OPEN);
    });
  }
});
