// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { keyFileValue, programOf } from '../../../broker/identity/key-file.ts';

describe('broker/identity/key-file', () => {
  const cases: readonly [what: string, text: string, value: string | undefined][] = [
    [
      'the key of the group',
      '# note\n[Other]\nname=no\n[Application]\n name = org.example.App \n',
      'org.example.App',
    ],
    ['nothing of another group', '[Other]\nname=x\n', undefined],
    ['nothing before any group', 'name=x\n[Application]\n', undefined],
    ['nothing that is given twice', '[Application]\nname=a\nname=b\n', undefined],
    ['nothing of a group given twice', '[Application]\nname=a\n[Application]\n', undefined],
    ['nothing of a localised key', '[Application]\nname[de]=a\n', undefined],
    ['nothing of a line without a value', '[Application]\nname\n', undefined],
    ['nothing of nothing', '', undefined],
  ];
  for (const [what, text, value] of cases) {
    it(`gives ${what}`, () => assert.equal(keyFileValue(text, 'Application', 'name'), value));
  }

  const commands: readonly [exec: string, program: string | undefined][] = [
    ['nautilus --new-window %U', 'nautilus'],
    ['/usr/bin/nautilus', '/usr/bin/nautilus'],
    ['"/opt/My App/app" %f', '/opt/My App/app'],
    ['"/opt/a"b', undefined],
    ['VAR=1 app', undefined],
    ['"/opt/a\\"b" x', undefined],
    ["'/opt/a b' x", undefined],
    ['$HOME/app', undefined],
    ['%U', undefined],
    ['', undefined],
  ];
  for (const [exec, program] of commands) {
    it(`finds ${program ?? 'no program'} in \`${exec}\``, () => assert.equal(programOf(exec), program));
  }
});
