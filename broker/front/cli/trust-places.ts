// SPDX-License-Identifier: Apache-2.0
import { dirname, join, resolve } from 'node:path';
import { currentUser } from '../../../keys/anchor-file.ts';
import type { KeyringOptions } from '../../../keys/keyring.ts';
import { DEFAULTS } from '../../config.ts';
import type { Options } from './command.ts';

/**
 * Where trusted and revoked keys are: what the broker reads by default, or what `--trusted` and `--revoked` name. In
 * directories that a user names, the user's own files count; in the system's only root's.
 */
export function trustPlaces(options: Options): KeyringOptions {
  const directories = options.texts('trusted').map((path) => resolve(path));
  const [first = DEFAULTS.trustedDirectories[0] ?? '/'] = directories;
  const revoked = options.text('revoked');
  return {
    directories: directories.length === 0 ? DEFAULTS.trustedDirectories : directories,
    revokedFile: revoked === undefined ? join(dirname(first), 'revoked') : resolve(revoked),
    owners: directories.length === 0 ? DEFAULTS.owners : [currentUser()],
  };
}
