// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { isInterpreter } from '../../../broker/identity/interpreters.ts';

describe('broker/identity/interpreters', () => {
  const interpreters = [
    'sh',
    'bash',
    'dash',
    'zsh',
    'fish',
    'python3',
    'python3.11',
    'perl',
    'perl5.36.0',
    'ruby3.1',
    'node',
  ]
    .concat([
      'nodejs',
      'deno',
      'gjs-console',
      'java',
      'php8.2',
      'lua5.4',
      'ld-linux-x86-64.so.2',
      'ld-musl-x86_64.so.1',
    ])
    .concat([
      'qemu-x86_64',
      'busybox',
      'gawk',
      'env',
      'gdb',
      'bwrap',
      'xdg-dbus-proxy',
      'busctl',
      'gdbus',
      'dbus-send',
    ]);
  for (const name of interpreters) {
    it(`${name} names nobody`, () => assert.isTrue(isInterpreter(`/usr/bin/${name}`)));
  }
  for (const name of [
    'nautilus',
    'gnome-text-editor',
    'sway',
    'nodepad',
    'pythonic-app',
    'shotwell',
    'env-editor',
  ]) {
    it(`${name} is a program of its own`, () => assert.isFalse(isInterpreter(`/usr/bin/${name}`)));
  }
});
