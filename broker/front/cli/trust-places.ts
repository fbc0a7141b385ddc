// SPDX-License-Identifier: Apache-2.0
import { dirname, join, resolve } from 'node:path';
import { currentUser } from '../../../keys/anchor-file.ts';
import type { KeyringOptions } from '../../../keys/keyring.ts';
import { type BrokerConfig, DEFAULTS } from '../../config.ts';
import { readConfigOrDefaults } from '../../config-file.ts';
import type { Options } from './command.ts';

/** What decides here of the broker's settings. */
export type Settings = Pick<BrokerConfig, 'trustedDirectories' | 'revokedFile' | 'owners' | 'profile'>;

/**
 * The broker's own settings: of the file that `--config` names, or of the one that the broker reads, where there is one.
 * Who names directories of trusted keys means those, and not this machine.
 *
 * @throws ConfigError for a file that the broker would not start with either
 */
export function brokerSettings(options: Options): Settings {
  const config = options.text('config');
  if (config === undefined && options.texts('trusted').length > 0) return DEFAULTS;
  const owners = config === undefined ? [] : [currentUser()];
  return readConfigOrDefaults(config === undefined ? undefined : resolve(config), owners, '/');
}

/**
 * Where trusted and revoked keys are: where the broker reads them, or what `--trusted` and `--revoked` name. In directories
 * that a user names, the user's own files count; in others only those of root and of the owners in the settings.
 */
export function trustPlaces(options: Options): KeyringOptions {
  const { trustedDirectories, revokedFile, owners } = brokerSettings(options);
  const directories = options.texts('trusted').map((path) => resolve(path));
  const revoked = options.text('revoked');
  const [first] = directories;
  const usual = first === undefined ? revokedFile : join(dirname(first), 'revoked');
  return {
    directories: first === undefined ? trustedDirectories : directories,
    revokedFile: revoked === undefined ? usual : resolve(revoked),
    owners: first === undefined ? owners : [currentUser()],
  };
}
