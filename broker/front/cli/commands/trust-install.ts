// SPDX-License-Identifier: Apache-2.0
import { basename } from 'node:path';
import { parseAppId } from '../../../../keys/app-id.ts';
import { KEY_BYTES } from '../../../../keys/key-files.ts';
import { parsePublicKey } from '../../../../keys/public-key.ts';
import { readRevokedList } from '../../../../keys/revoked.ts';
import { installKey } from '../../../../keys/trust.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readInput } from '../files.ts';
import { trustPlaces } from '../trust-places.ts';

export async function run({ operand: file, options, screen }: Invocation): Promise<ExitCode> {
  const appId = parseAppId(options.text('app-id') ?? appIdIn(file));
  const bytes = readInput(file, KEY_BYTES);
  const key = parsePublicKey(bytes, file);
  const { fingerprint } = key;
  const places = trustPlaces(options);
  if (readRevokedList(places.revokedFile, places.owners).has(key)) {
    throw new CliError(
      'Refused',
      `the key ${fingerprint} is revoked`,
      'make a new one with `portalctl keys generate`',
    );
  }
  const [directory = '/'] = places.directories;
  const path = installKey({ directory, appId, publicKeyBytes: bytes, rotating: options.on('beside') });
  screen.result({ app_id: appId, fingerprint, path }, () => [
    `trusted      ${appId}`,
    `fingerprint  ${fingerprint}`,
    `file         ${path}`,
  ]);
  return EXIT.ok;
}

function appIdIn(file: string): string {
  if (file.endsWith('.pub')) return basename(file, '.pub');
  throw new CliError(
    'BadOption',
    `the name of \`${file}\` does not say which app the key is for`,
    'add `--app-id ID`, the desktop id of the app',
  );
}
