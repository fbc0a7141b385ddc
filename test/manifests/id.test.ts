// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { type AppId, parseAppId } from '../../keys/app-id.ts';
import { foldAppId, parseBuiltinId, parseCapabilityId, parseVersion } from '../../manifests/id.ts';
import { refusal, refused } from './fixtures.ts';

const FOLDS: Record<string, string> = {
  'org.gnome.Nautilus': 'org.gnome.nautilus',
  'com.visualstudio.code-oss': 'com.visualstudio.codeoss',
  'net.sourceforge.gMKVExtractGUI': 'net.sourceforge.gmkvextractgui',
  'org.kde.kdeconnect-app': 'org.kde.kdeconnectapp',
  'io.github._0xzer0x.qurancompanion': 'io.github.n0xzer0x.qurancompanion',
  'com.moonlight_stream.Moonlight': 'com.moonlightstream.moonlight',
  'org.pgadmin.pgadmin4': 'org.pgadmin.pgadmin4',
  'org.DolphinEmu.dolphin-emu': 'org.dolphinemu.dolphinemu',
  'org.claws_mail.Claws-Mail': 'org.clawsmail.clawsmail',
  'org.qbittorrent.qBittorrent': 'org.qbittorrent.qbittorrent',
};
const NAUTILUS = parseAppId('org.gnome.Nautilus');

describe('manifests/id', () => {
  for (const [id, fold] of Object.entries(FOLDS)) {
    it(`[R8] [R17] \`${id}\` folds to \`${fold}\` and may name its capabilities so`, () => {
      const appId = parseAppId(id);
      assert.equal(appId, id);
      assert.equal(foldAppId(appId), fold);
      assert.equal(parseCapabilityId(`files.${fold}.open`, appId), `files.${fold}.open`);
    });
  }

  it('[R17] every app id folds to parts that the published pattern takes', () => {
    const part = fc.stringMatching(/^_{0,2}[A-Za-z0-9][A-Za-z0-9_-]{0,5}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const appId = parseAppId(parts.join('.'));
        const id = `d.${foldAppId(appId)}.a`;
        assert.equal(parseCapabilityId(id, appId), id);
      }),
    );
  });

  it('[R17] an id of another app is refused and the message names the expected middle', () => {
    const found = refusal(() => parseCapabilityId('files.org.evil.app.open', NAUTILUS, '/id'));
    assert.deepInclude(found, { code: 'CapabilityIdForeign', pointer: '/id' });
    assert.include(found.message, '`domain.org.gnome.nautilus.action`');
  });

  it('[R17] an app whose id is the start of another one cannot reach into it', () => {
    const at = (id: string, app: string) => refused(() => parseCapabilityId(id, parseAppId(app)));
    assert.equal(at('editor.org.xfce.mousepad.read', 'org.xfce'), 'CapabilityIdForeign ');
    assert.equal(at('editor.org.xfce.read', 'org.xfce.mousepad'), 'CapabilityIdForeign ');
    assert.equal(at('a.b.org.gnome.nautilus.open', 'org.gnome.Nautilus'), 'CapabilityIdForeign ');
    assert.equal(at('files.org.gnome.nautilus.open.now', 'org.gnome.Nautilus'), 'CapabilityIdForeign ');
    assert.equal(at('files.org.gnome.nautilusopen', 'org.gnome.Nautilus'), 'CapabilityIdForeign ');
  });

  it('[R16] a malformed id is refused', () => {
    const bad: unknown[] = [
      '',
      'files',
      'Files.org.gnome.nautilus.open',
      'files..open',
      '.a.b',
      'a.b.',
      'a.b.c\n',
      'a.1b.c',
    ];
    for (const id of [...bad, 7, null, undefined, `a.${'b'.repeat(260)}.c`, 'a.b.ć']) {
      assert.equal(
        refused(() => parseCapabilityId(id, NAUTILUS, '/x')),
        'CapabilityIdInvalid /x',
        String(id),
      );
    }
  });

  it('[R17] two-part ids and the domain of derived capabilities are reserved', () => {
    assert.equal(
      refused(() => parseCapabilityId('system.health', NAUTILUS)),
      'DomainReserved ',
    );
    assert.equal(
      refused(() => parseCapabilityId('atspi.org.gnome.nautilus.open', NAUTILUS)),
      'DomainReserved ',
    );
  });

  it('[R143] a compiled-in id has two parts and no reserved domain', () => {
    assert.equal(parseBuiltinId('system.health'), 'system.health');
    assert.equal(
      refused(() => parseBuiltinId('system.health.now', '/id')),
      'DomainReserved /id',
    );
    assert.equal(
      refused(() => parseBuiltinId('atspi.open', '/id')),
      'DomainReserved /id',
    );
    assert.equal(
      refused(() => parseBuiltinId('health', '/id')),
      'CapabilityIdInvalid /id',
    );
    assert.equal(
      refused(() => parseBuiltinId(undefined)),
      'CapabilityIdInvalid ',
    );
  });

  it('[R9] [R27] a version is `M.m`, an integer N reads as `N.0`, nothing as `1.0`', () => {
    const read: [unknown, string][] = [
      [undefined, '1.0'],
      ['1.0', '1.0'],
      ['2.10', '2.10'],
      [3, '3.0'],
      ['3', '3.0'],
      [0, '0.0'],
    ];
    for (const [value, version] of read) assert.equal(parseVersion(value), version);
  });

  it('[R29] a version has one spelling', () => {
    for (const value of [
      '01.0',
      '1.00',
      '1.',
      '.1',
      '1.0.0',
      'v1.0',
      '',
      '1.0 ',
      -1,
      1.5,
      1e21,
      NaN,
      null,
      {},
      '1234567890.0',
    ]) {
      assert.equal(
        refused(() => parseVersion(value, '/version')),
        'VersionInvalid /version',
        String(value),
      );
    }
  });

  it('folds without the locale: the app id is ASCII', () => {
    const id: AppId = parseAppId('org.III.App');
    assert.equal(foldAppId(id), 'org.iii.app');
  });
});
