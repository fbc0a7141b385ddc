// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { REGISTRY } from '../../broker/bus/names.ts';
import { SEED, VECTORS } from '../manifests/fixtures.ts';
import { listCall, registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fixtureManifest, type Json, seed, signed } from '../support/fixture-app.ts';
import type { AgentPeer, PersonPeer } from '../support/peers.ts';
import { codeOf, INVALID_ARGS, LIMITS_EXCEEDED } from '../support/refusals.ts';
import { listed, reasonOf } from '../support/standing.ts';

const NAUTILUS = 'org.gnome.Nautilus';
const M0 = VECTORS.M0;
const M0_SIGNED = JSON.stringify({ ...M0, signature: VECTORS.M0_signature });
const OPEN = 'files.org.gnome.nautilus.open';

describe('an app registers, over the bus', () => {
  const desktop = useDesktop();
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [agent, person] = await Promise.all([desktop().agent(), desktop().person()]);
    await person.confirm([{ decision: 'once' }]);
    desktop().trust(NAUTILUS, SEED);
  });

  it('[R1] [R4] [R5] with a signed manifest it is Tier 1, with what that declares', async () => {
    const app = await desktop().app();
    const standing = await app.serve(M0_SIGNED);
    assert.deepInclude(standing as object, {
      tier: 1,
      appId: NAUTILUS,
      capabilities: [OPEN],
      binding: 'launcher',
    });
    assert.equal((await listed(agent, NAUTILUS))?.tier, 1);
    assert.deepInclude(await agent.dispatch(OPEN, { path: '/' }), { status: 'executed' });
    const [event] = desktop().audit({ type: 'registered' }).slice(-1);
    assert.deepInclude(event as object, { appId: NAUTILUS, tier: 1, pid: app.process.pid });
    await app.process.stop();
    await gone(NAUTILUS);
  });

  it('[R6] with a bad signature it is Tier 2: no error, the reason listed, recorded and signalled', async () => {
    const watcher = await desktop().person();
    await watcher.process.ask('followApps');
    const app = await desktop().app();
    const standing = await app.serve(
      JSON.stringify({ ...M0, version: '48.0', signature: VECTORS.M0_signature }),
    );
    assert.equal(reasonOf(standing), 'SignatureWrong');
    assert.deepEqual(await watcher.process.tellings.next('appsChanged'), [NAUTILUS]);
    const inList = await listed(agent, NAUTILUS);
    assert.deepInclude(inList as object, { tier: 2 });
    assert.equal(inList?.reason?.code, 'SignatureWrong');
    assert.deepInclude(await agent.dispatch(OPEN, { path: '/' }), { stage: 'resolve', code: 'NotFound' });
    const [event] = desktop().audit({ type: 'manifest-rejected' }).slice(-1);
    assert.deepInclude(event as object, {
      appId: NAUTILUS,
      tier: 2,
      code: 'SignatureWrong',
      pid: app.process.pid,
    });
    await app.process.stop();
    await watcher.process.stop();
    await gone(NAUTILUS);
  });

  it('[R6] a connection whose next manifest fails has nothing left of the one before', async () => {
    await agent.process.ask('follow');
    const app = await desktop().raw();
    await app.process.ask('provide', { manifest: M0_SIGNED });
    await agent.process.tellings.next<{ added: string[] }>('changed', ({ added }) => added.includes(OPEN));
    assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'executed');
    const [tier, details] = await app.call(registerCall(JSON.stringify({ ...M0, signature: null })));
    assert.equal(tier, 2);
    assert.equal(JSON.parse(String(details)).reason.code, 'SignatureMissing');
    await agent.process.tellings.next<{ removed: string[] }>('changed', ({ removed }) =>
      removed.includes(OPEN),
    );
    assert.deepInclude(await agent.dispatch(OPEN, { path: '/' }), { stage: 'resolve', code: 'NotFound' });
    assert.equal((await listed(agent, NAUTILUS))?.tier, 2);
    await app.process.stop();
    await gone(NAUTILUS);
  });

  it('[R6] another connection with a broken manifest takes nothing from the good one', async () => {
    const good = await desktop().app();
    await good.serve(M0_SIGNED);
    await agent.list();
    const broken = await desktop().raw();
    const attempts = [
      JSON.stringify({ ...M0, signature: null }),
      JSON.stringify({ ...M0, version: '1', signature: VECTORS.M0_signature }),
      VECTORS.dup_top,
      M0_SIGNED, // verifies, but the app is there already and this process is known no better
    ];
    for (const manifest of attempts) assert.equal((await broken.call(registerCall(manifest)))[0], 2);
    assert.equal((await listed(agent, NAUTILUS))?.tier, 1);
    assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'executed');
    assert.equal(good.timesInvoked(OPEN), 1);
    await broken.process.stop();
    assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'executed');
    await good.process.stop();
    await gone(NAUTILUS);
  });

  it('[R16] [R17] an id whose middle is not the folded app id is refused, with the one that would be right', async () => {
    const app = await desktop().app();
    const manifest = fixtureManifest();
    const [first] = manifest.capabilities as Json[];
    const wrong = { ...manifest, capabilities: [{ ...first, id: 'fix.org.example.Fixture.look' }] };
    const foreign = { ...manifest, capabilities: [{ ...first, id: 'fix.org.example.other.look' }] };
    assert.equal(reasonOf(await app.serve(signed(wrong, KEY))), 'CapabilityIdInvalid');
    const again = await desktop().app();
    const standing = await again.serve(signed(foreign, KEY));
    assert.equal(reasonOf(standing), 'CapabilityIdForeign');
    if (standing.tier === 2) assert.include(standing.reason.message, 'domain.org.example.fixture.action');
    await Promise.all([app, again].map(({ process }) => process.stop()));
  });

  describe('an app that claims what is another one’s', () => {
    it('[R15] gets it in neither order', async () => {
      const evil = 'org.evil.App';
      desktop().trust(evil, seed(6));
      const shadow = signed({ ...M0, app_id: evil }, seed(6));
      const raw = await desktop().raw();
      assert.equal((await raw.call(registerCall(shadow)))[0], 2, 'before');
      const nautilus = await desktop().app();
      await nautilus.serve(M0_SIGNED);
      await agent.list();
      assert.equal((await raw.call(registerCall(shadow)))[0], 2, 'after');
      assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'executed');
      assert.equal(nautilus.timesInvoked(OPEN), 1);
      await Promise.all([raw.process.stop(), nautilus.process.stop()]);
      await gone(NAUTILUS);
    });

    it('[R17] cannot by a shorter app id either', async () => {
      for (const id of ['org.xfce', 'org.xfce.mousepad']) desktop().trust(id, seed(6));
      const raw = await desktop().raw();
      const [first] = M0.capabilities;
      const short = {
        ...M0,
        app_id: 'org.xfce',
        capabilities: [{ ...first, id: 'editor.org.xfce.mousepad.read' }],
      };
      const [tier, details] = await raw.call(registerCall(signed(short, seed(6))));
      assert.equal(tier, 2);
      assert.equal(JSON.parse(String(details)).reason.code, 'CapabilityIdForeign');
      await raw.process.stop();
    });

    it('[R28] [R126] nor by the same id twice, nor by other words for the same version, nor by an older manifest', async () => {
      const app = 'org.example.History';
      desktop().trust(app);
      const raw = await desktop().raw();
      const register = async (fields: Json): Promise<string> => {
        const [tier, details] = await raw.call(registerCall(signed(fixtureManifest(fields, app), KEY)));
        return tier === 1 ? 'Tier 1' : JSON.parse(String(details)).reason.code;
      };
      const capabilities = fixtureManifest({}, app).capabilities as Json[];
      const [first] = capabilities;
      const twice = [first, { ...first, side_effects: 'destructive' }];
      assert.equal(await register({ capabilities: twice }), 'CapabilityDuplicate');
      assert.equal(await register({ version: '2.0' }), 'Tier 1');
      const changed = capabilities.map((one) => ({ ...one, description: 'Something else' }));
      assert.equal(await register({ version: '3.0', capabilities: changed }), 'DefinitionChanged');
      assert.equal(await register({ version: '1.9' }), 'Rollback');
      assert.equal(await register({ version: '2.1' }), 'Tier 1');
      await raw.process.stop();
    });
  });

  it('[R1] a handler path, option or manifest of the wrong form is refused as a call', async () => {
    const raw = await desktop().raw();
    assert.equal(
      await codeOf(raw.call({ ...registerCall(M0_SIGNED), signature: 'ss', body: [M0_SIGNED, '/x'] })),
      INVALID_ARGS,
    );
    const large = JSON.stringify({ ...M0, padding: 'x'.repeat(17 * 2 ** 20) });
    assert.include([LIMITS_EXCEEDED, INVALID_ARGS], await codeOf(raw.call(registerCall(large))));
    const [tier] = await raw.call(registerCall(JSON.stringify({ ...M0, padding: 'x'.repeat(600_000) })));
    assert.equal(tier, 2);
    await raw.process.stop();
  });

  it('[R12] nothing else adds to the registry: no other method of it registers anything', async () => {
    const raw = await desktop().raw();
    const before = (await raw.call(listCall()))[1];
    for (const member of ['Install', 'AddCapability', 'Load', 'RegisterBuiltin', 'Reload']) {
      const call = { ...registerCall('{}'), interface: REGISTRY, member };
      assert.equal(await codeOf(raw.call(call)), 'org.freedesktop.DBus.Error.UnknownMethod');
    }
    assert.equal((await raw.call(listCall()))[1], before);
    await raw.process.stop();
  });

  /** The broker has noticed that the app is gone. */
  async function gone(appId: string): Promise<void> {
    while ((await listed(agent, appId)) !== undefined) await desktop().ping();
  }
});
