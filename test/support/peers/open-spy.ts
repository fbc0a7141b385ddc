// SPDX-License-Identifier: Apache-2.0
// Loaded into a broker before its own code: notes every path that it opens in the file that PORTAL_TEST_OPENED names.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const list = process.env.PORTAL_TEST_OPENED ?? '/dev/null';
const { appendFileSync, openSync, readFileSync } = fs;

function note(path: unknown): void {
  if (path !== list) appendFileSync(list, `${JSON.stringify(String(path))}\n`);
}

fs.openSync = (path, ...rest) => {
  note(path);
  return openSync(path, ...rest);
};
// Reading by descriptor opens nothing.
fs.readFileSync = new Proxy(readFileSync, {
  apply(target, self, args: Parameters<typeof readFileSync>) {
    if (typeof args[0] !== 'number') note(args[0]);
    return Reflect.apply(target, self, args);
  },
});
syncBuiltinESMExports();
