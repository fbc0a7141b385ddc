// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { KEY, useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix, fixtureCapability, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const mark = fix('mark');
const TWICE = 'org.example.Twice';

describe('looking at the policy, over the bus', () => {
  const desktop = useDesktop();
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [agent, person] = await Promise.all([desktop().agent(), desktop().person()]);
    await desktop().fixture();
    await agent.list();
    await agent.dispatch(fix('look'));
  });

  const grant = async (more: object): Promise<string> => {
    const { id, findings } = await person.operate<{ id: string; findings: readonly { text: string }[] }>(
      'grants.add',
      {
        principal: 'desk',
        capability: mark,
        access: 'write',
        target: '/tmp/*',
        minutes: 5,
        operations: 5,
        reason: 'a test',
        ...more,
      },
    );
    await person.operate('grants.revoke', id);
    return findings.map(({ text }) => text).join();
  };

  it('[R127] a grant that would answer nothing says why when it is made', async () => {
    assert.equal(await grant({}), '');
    assert.match(await grant({ principal: 'desc' }), /no principal is called `desc`/);
    assert.match(await grant({ capability: fix('look'), target: undefined, access: 'read' }), /not needed/);
    const { id } = await person.operate<{ id: string }>('policy.add', {
      effect: 'DENY',
      capability: mark,
      reason: 'a test',
    });
    assert.match(await grant({}), /policy denies this/);
    await person.operate('policy.remove', id);
  });

  it('[R107] a grant is for one definition: not where several are available', async () => {
    desktop().trust(TWICE);
    const capabilities = ['1.0', '2.0'].map((version) =>
      fixtureCapability('twice', { version, side_effects: 'write' }, TWICE),
    );
    const standing = await (await desktop().app()).serve(
      signed(fixtureManifest({ capabilities }, TWICE), KEY),
    );
    assert.equal(standing.tier, 1);
    const twice = { capability: fix('twice', TWICE), target: undefined };
    assert.equal(await codeOf(grant(twice)), 'GrantInvalid');
  });

  it('[R101] the matrix by principal, capability and app', async () => {
    const cells = async (filter: object) =>
      (
        await person.operate<readonly { principal: string; capability: string }[]>('policy.matrix', filter)
      ).map(({ capability }) => capability);
    assert.include(await cells({}), 'system.health');
    assert.deepEqual([...new Set(await cells({ capability: mark }))], [mark]);
    const ofApp = await cells({ appId: FIXTURE });
    assert.isNotEmpty(ofApp);
    assert.isTrue(ofApp.every((id) => id.startsWith('fix.org.example.fixture.')));
    assert.deepEqual(await cells({ principal: 'nobody-like-that' }), []);
  });

  it('[R130] what cannot be looked at says so', async () => {
    assert.equal(await codeOf(person.operate('policy.explain', 'nobody-like-that', mark, {})), 'NotFound');
    assert.equal(await codeOf(person.operate('policy.simulate', { effect: 'DENY' })), 'RuleInvalid');
    const broken = [
      { effect: 'DENY', reason: 'x' },
      { effect: 'PERHAPS', reason: 'x' },
    ];
    assert.equal(await codeOf(person.operate('policy.simulate', broken)), 'RuleInvalid');
    const report = await person.operate<{ flips: number; total: number }>('policy.simulate', [], {
      since: 0,
      until: Date.now() + 60_000,
      limit: 10,
    });
    assert.equal(report.flips, 0);
  });
});
