// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';

const root = join(import.meta.dirname, '../../..');
const sources = ['policy', 'broker', 'dbus', 'manifests'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') })),
);
const using = (pattern: RegExp): readonly string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

describe('the one path is the only one', () => {
  const rows: readonly [what: string, pattern: RegExp, where: readonly string[]][] = [
    ['makes a permit', /^import \{[^}]*\bpermit\b[^}]*\} from '.*permit\.ts'/m, ['broker/intent/handle.ts']],
    ['executes', /^import \{[^}]*\bexecute\b[^}]*\} from '.*execute\.ts'/m, ['broker/intent/handle.ts']],
    // The wiring wraps it, to show who acts; it is the same call.
    [
      'has a provider run something',
      /\bproviders\.run\(/,
      ['broker/intent/execute.ts', 'broker/wiring/service.ts'],
    ],
    ['calls a provider', /member: '(?:Invoke|Undo)'/, ['broker/provider/invoke.ts']],
    [
      'puts the path to use',
      /^import \{[^}]*\bhandle\b[^}]*\} from '.*handle\.ts'/m,
      ['broker/bus/dispatcher.ts'],
    ],
    ['asks a person', /\bworld\.desk\.(?:ask|resume)\(/, ['broker/approval/ask-person.ts']],
    ['puts something on a screen', /\bconfirmers\.ask\(/, ['broker/approval/screen.ts']],
    ['uses a grant', /\bgrants\.hold\(/, ['broker/intent/grants.ts']],
  ];
  for (const [what, pattern, where] of rows) {
    it(`[R59] [R115] only ${where.join()} ${what}`, () => assert.deepEqual(using(pattern), where));
  }
});
