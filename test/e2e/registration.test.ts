// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { REGISTRY } from '../../broker/bus/names.ts';
import type { Standing } from '../../broker/handler.ts';
import { publicKeyOf } from '../../keys/sign.ts';
import { SEED, VECTORS } from '../manifests/fixtures.ts';
import { listCall, present, registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, type Json, seed, signed } from '../support/fixture-app.ts';
import type { AgentPeer, PersonPeer, RawPeer } from '../support/peers.ts';
import { codeOf, INVALID_ARGS, LIMITS_EXCEEDED } from '../support/refusals.ts';

const NAUTILUS = 'org.gnome.Nautilus';
const M0 = VECTORS.M0;
const M0_SIGNED = JSON.stringify({ ...M0, signature: VECTORS.M0_signature });
const OPEN = 'files.org.gnome.nautilus.open';

function reasonOf(standing: Standing): string {
  if (standing.tier !== 2) throw new Error(`expected tier 2, got ${standing.tier}`);
  return standing.reason.code;
}

/** What List says of one app. */
async function listed(
  agent: AgentPeer,
  appId: string,
): Promise<{ tier: number; reason?: { code: string } } | undefined> {
  const { apps } = await agent.list({ appId });
  return apps.find(({ app_id }) => app_id === appId);
}

describe('an app registers, over the bus', () => {
  const desktop = useDesktop({ spyOnOpens: true });
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
    assert.deepInclude(await agent.dispatch(OPEN, { path: '/' }), { status: 'done' });
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
    assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'done');
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
    assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'done');
    assert.equal(good.timesInvoked(OPEN), 1);
    await broken.process.stop();
    assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'done');
    await good.process.stop();
    await gone(NAUTILUS);
  });

  describe('every form of signature but the one', () => {
    let raw: RawPeer;

    before(async () => {
      raw = await desktop().raw();
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
      assert.equal((await agent.dispatch(OPEN, { path: '/' })).status, 'done');
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

  it('[R8] an id that would lead out of the key directory opens nothing, and is nobody', async () => {
    const evil = seed(66);
    const outside = join(desktop().folder, 'evil.pub');
    writeFileSync(outside, publicKeyOf(evil).bytes);
    mkdirSync(join(desktop().keys, 'sub'), { recursive: true });
    writeFileSync(join(desktop().keys, 'sub', 'x.pub'), publicKeyOf(evil).bytes);
    const up = `../${desktop()
      .folder.split('/')
      .map(() => '..')
      .join('/')}`;
    const ids = [
      `${up}${desktop().folder}/evil`,
      `${desktop().folder}/evil`,
      '../evil',
      'sub/x',
      './org.gnome.Nautilus',
      'org.gnome.Nautilus/../../evil',
      '..',
      '.',
      '',
      'org.gnome.Nautilus\u0000x',
      '%2e%2e%2fevil',
      'org.gnome.Nautilus.pub/../x',
      `org.${'a'.repeat(5000)}`,
    ];
    const raw = await desktop().raw();
    const opened = desktop().opened().length;
    for (const id of ids) {
      const before = desktop().audit({ type: 'manifest-rejected' }).length;
      const [tier, details] = await raw.call(registerCall(signed({ ...M0, app_id: id }, evil)));
      const said = JSON.parse(String(details));
      assert.equal(tier, 2, id);
      assert.equal(said.reason.code, id.includes('\0') ? 'JsonMalformed' : 'AppIdInvalid', id);
      assert.notProperty(said, 'app_id', 'nothing is listed under such an id');
      assert.equal(desktop().audit({ type: 'manifest-rejected' }).length, before + 1);
    }
    // Who is calling is read from /proc; nothing else is opened, in the key directory or anywhere.
    const since = desktop().opened().slice(opened);
    assert.deepEqual(
      since.filter((path) => !path.startsWith('/proc/')),
      [],
    );
    assert.isTrue(
      desktop()
        .opened()
        .some((path) => path.startsWith(desktop().keys)),
      'the spy sees what is opened',
    );
    await raw.process.stop();
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

describe('the ids of real apps, over the bus', () => {
  const desktop = useDesktop();

  it('[R8] [R17] the ids of real apps are kept byte for byte, and their capabilities answer to the folded one', async () => {
    const ids = [
      'org.gnome.Nautilus',
      'com.visualstudio.code-oss',
      'net.sourceforge.gMKVExtractGUI',
      'org.kde.kdeconnect-app',
      'io.github._0xzer0x.qurancompanion',
      'com.moonlight_stream.Moonlight',
      'org.pgadmin.pgadmin4',
      'org.DolphinEmu.dolphin-emu',
      'org.claws_mail.Claws-Mail',
      'org.qbittorrent.qBittorrent',
    ];
    const [agent, person] = await Promise.all([desktop().agent(), desktop().person()]);
    await person.confirm([{ decision: 'once' }]);
    const apps = await Promise.all(ids.map(() => desktop().app()));
    for (const [index, id] of ids.entries()) {
      desktop().trust(id);
      const standing = await present(apps[index]).serve(signed(fixtureManifest({}, id), KEY));
      assert.deepInclude(standing as object, { tier: 1, appId: id });
    }
    await agent.list();
    for (const id of ids) {
      assert.equal((await agent.dispatch(fix('write', id))).status, 'done', id);
      assert.equal((await listed(agent, id))?.tier, 1);
    }
    assert.include(
      person.asked.map(({ appId }) => appId),
      'io.github._0xzer0x.qurancompanion',
    );
    assert.deepEqual(
      person.asked.map(({ appId }) => appId),
      ids,
    );
    assert.equal(
      fix('open', 'io.github._0xzer0x.qurancompanion'),
      'fix.io.github.n0xzer0x.qurancompanion.open',
    );
    const executed = desktop().audit({ type: 'executed' });
    for (const id of ids)
      assert.isTrue(
        executed.some((event) => event.appId === id),
        id,
      );

    const twin = await desktop().app();
    desktop().trust('com.VisualStudio.codeoss');
    const standing = await twin.serve(signed(fixtureManifest({}, 'com.VisualStudio.codeoss'), KEY));
    assert.equal(reasonOf(standing), 'AppIdCollides');
    assert.equal((await agent.dispatch(fix('write', 'com.visualstudio.code-oss'))).status, 'done');
    await Promise.all([...apps, twin].map((app) => app.process.stop()));
  });
});
