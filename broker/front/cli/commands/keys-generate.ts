// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseAppId } from '../../../../keys/app-id.ts';
import { parsePublicKey } from '../../../../keys/public-key.ts';
import { generate } from '../../../../keys/sign.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run({ options, screen }: Invocation): Promise<ExitCode> {
  const id = options.text('app-id');
  if (id === undefined) {
    throw new CliError(
      'BadOption',
      '`keys generate` needs an app id',
      'add `--app-id ID`, the desktop id of the app',
    );
  }
  const appId = parseAppId(id);
  const { privateKeyPath, publicKeyPath } = generate(appId, {
    home: resolve(options.text('home') ?? homedir()),
  });
  const { fingerprint } = parsePublicKey(readFileSync(publicKeyPath), publicKeyPath);
  screen.result(
    { app_id: appId, private_key: privateKeyPath, public_key: publicKeyPath, fingerprint },
    () => [
      `app id       ${appId}`,
      `private key  ${privateKeyPath}`,
      `public key   ${publicKeyPath}`,
      `fingerprint  ${fingerprint}`,
    ],
  );
  screen.note(
    'next: `portalctl sign MANIFEST`, and `portalctl trust install` the public key where the app will run',
  );
  return EXIT.ok;
}
