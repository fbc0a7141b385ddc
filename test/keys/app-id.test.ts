// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { parseAppId } from '../../keys/app-id.ts';
import { assertRefused } from './fixture.ts';

describe('keys/app-id', () => {
  const REAL = [
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
    'org.xfce',
    'firefox-esr',
    '0ad',
    '__a',
    `a${'.b'.repeat(127)}`,
  ];
  for (const id of REAL) {
    it(`[R8] keeps ${id.slice(0, 40)} byte for byte`, () => assert.equal(parseAppId(id), id));
  }

  const REFUSED = [
    '../../../../tmp/evil',
    '/tmp/evil',
    'sub/x',
    './org.gnome.Nautilus',
    'org.gnome.Nautilus/../../../tmp/evil',
    '..',
    '.',
    '',
    'org.gnome.Nautilus\0x',
    '%2e%2e%2ftmp%2fevil',
    'org.gnome.Nautilus.pub/../x',
    'a'.repeat(5000),
    'a'.repeat(256),
    '.hidden',
    'org..x',
    'org.x.',
    '-rf',
    'org.-x',
    'org._.x',
    '_',
    'org.gnome.Nautilus\n',
    'org.gnóme.Nautilus',
    'org.gnome.Nautilus ',
    '../a\\b',
  ];
  for (const id of REFUSED) {
    it(`[R8] refuses ${JSON.stringify(id).slice(0, 50)} before it becomes a path`, () => {
      assertRefused(() => parseAppId(id), 'AppIdInvalid', '/app_id');
    });
  }

  it('[R8] refuses what is not a string, an array that reads like an id too', () => {
    for (const value of [undefined, null, 5, {}, ['org.gnome.Nautilus']]) {
      assertRefused(() => parseAppId(value), 'AppIdInvalid', '/app_id');
    }
  });

  it('[R8] decides on the longest hostile id without back-tracking', () => {
    assertRefused(() => parseAppId(`${'_'.repeat(254)}!`), 'AppIdInvalid');
    assertRefused(() => parseAppId(`${'a_'.repeat(127)}!`), 'AppIdInvalid');
  });

  it('shows a refused id with nothing invisible in it and cut to a readable length', () => {
    const { message } = assertRefused(
      () => parseAppId(`a\u202e\n\u00a0\`b${'c'.repeat(500)}`),
      'AppIdInvalid',
    );
    assert.include(message, '`a\\u{202e}\\u{a}\\u{a0}\\u{60}bccc');
    assert.include(message, 'c…`');
    assert.isBelow(message.length, 300);
  });
});
