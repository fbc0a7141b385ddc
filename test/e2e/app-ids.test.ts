// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { publicKeyOf } from '../../keys/sign.ts';
import { VECTORS } from '../manifests/fixtures.ts';
import { present, registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, seed, signed } from '../support/fixture-app.ts';
import { listed, reasonOf } from '../support/standing.ts';

const M0 = VECTORS.M0;

describe('app ids, over the bus', () => {
  const desktop = useDesktop({ spyOnOpens: true });

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
      assert.equal((await agent.dispatch(fix('write', id))).status, 'executed', id);
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
    assert.equal((await agent.dispatch(fix('write', 'com.visualstudio.code-oss'))).status, 'executed');
    await Promise.all([...apps, twin].map((app) => app.process.stop()));
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
});
