// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { appIdOfUnit, unitsOf } from '../../../broker/identity/cgroup.ts';

const USER = '0::/user.slice/user-1000.slice/user@1000.service';

describe('broker/identity/cgroup', () => {
  const units: readonly [unit: string, appId: string | undefined][] = [
    ['app-gnome-org.gnome.Nautilus-12345.scope', 'org.gnome.Nautilus'],
    ['app-org.kde.konsole-9f3c.scope', 'org.kde.konsole'],
    ['app-flatpak-org.telegram.desktop-2034985.scope', 'org.telegram.desktop'],
    ['app-gnome-firefox-77.scope', 'firefox'],
    ['app-gnome-com.visualstudio.code\\x2doss-5.scope', 'com.visualstudio.code-oss'],
    ['app-gnome\\x2dsession\\x2dmanager-org.gnome.Foo-1.scope', 'org.gnome.Foo'],
    ['app-org.gnome.Evolution\\x2dalarm\\x2dnotify@autostart.service', 'org.gnome.Evolution-alarm-notify'],
    ['app-kde-org.kde.dolphin@0a1b.service', 'org.kde.dolphin'],
    ['app-org.kde.dolphin@.service', 'org.kde.dolphin'],
    ['app-org.kde.dolphin.service', 'org.kde.dolphin'],
    ['app-dolphin.service', 'dolphin'],
    ['app-niri-org.gnome.Maps.service', 'org.gnome.Maps'],
    ['app-org.gnome.Maps-1234.service', 'org.gnome.Maps'],
    ['app-one-two.service', undefined],
    ['app-org.gnome.Maps.scope', undefined],
    ['app-a-b-c-1.scope', undefined],
    ['app--1.scope', undefined],
    ['app-gnome-org.evil\\x2f..\\x2fx-1.scope', undefined],
    ['app-gnome-org.evil\\x00-1.scope', undefined],
    ['dbus-:1.2-org.gnome.Nautilus@0.service', undefined],
    ['vte-spawn-f1e2.scope', undefined],
    ['app.slice', undefined],
    ['', undefined],
  ];
  for (const [unit, appId] of units) {
    it(`[R122] ${unit || 'an empty name'} names ${appId ?? 'no application'}`, () =>
      assert.equal(appIdOfUnit(unit), appId));
  }

  const paths: readonly [
    what: string,
    text: string,
    systemUnit: string | undefined,
    appUnit: string | undefined,
  ][] = [
    ['an application', `${USER}/app.slice/app-gnome-org.a.B-1.scope\n`, undefined, 'org.a.B'],
    [
      'an application below a slice of its own',
      `${USER}/app.slice/app-org.a.slice/app-org.a.B-1.scope\n`,
      undefined,
      'org.a.B',
    ],
    [
      'what an application nests',
      `${USER}/app.slice/app-x-org.a.B-1.scope/app-x-org.c.D-1.scope\n`,
      undefined,
      'org.a.B',
    ],
    [
      'a user service of another kind',
      `${USER}/session.slice/pipewire.service/app-x-org.c.D-1.scope\n`,
      undefined,
      undefined,
    ],
    [
      "another user's manager",
      '0::/user.slice/user-5.slice/user@5.service/app.slice/app-x-org.a.B-1.scope\n',
      undefined,
      undefined,
    ],
    ['a login session', '0::/user.slice/user-1000.slice/session-2.scope\n', undefined, undefined],
    ['a system service', '0::/system.slice/portal-broker.service\n', 'portal-broker.service', undefined],
    [
      'a system service in a slice of its own',
      '0::/system.slice/system-getty.slice/getty@tty1.service\n',
      'getty@tty1.service',
      undefined,
    ],
    ['a system service without a slice', '0::/compositor.service\n', 'compositor.service', undefined],
    [
      'a delegated cgroup of a system service',
      '0::/system.slice/a.service/user.slice/user@1000.service/app-x-org.a.B-1.scope\n',
      'a.service',
      undefined,
    ],
    [
      'the user manager, wherever it is',
      '0::/odd.slice/user@1000.service/app.slice/x.service\n',
      undefined,
      undefined,
    ],
    ['a system scope', '0::/machine.slice/libpod-1.scope\n', undefined, undefined],
    ['cgroup v1', '12:pids:/x\n1:name=systemd:/system.slice/a.service\n0::/\n', 'a.service', undefined],
    ['a cgroup beyond the namespace', '0::/../../system.slice/a.service\n', undefined, undefined],
    ['the root', '0::/\n', undefined, undefined],
    ['a colon in a name', `${USER}/app.slice/app-x-org.a:b-1.scope\n`, undefined, undefined],
    ['no text', '', undefined, undefined],
  ];
  for (const [what, text, systemUnit, appUnit] of paths) {
    it(`[R122] reads ${what}`, () => assert.deepEqual(unitsOf(text, 1000), { systemUnit, appUnit }));
  }
});
