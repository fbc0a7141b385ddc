// SPDX-License-Identifier: Apache-2.0
import { readStat } from '../../../identity/procfs.ts';
import { CliError } from '../error.ts';

/**
 * The broker's settings for developing: nothing of the system is trusted or touched, manifests need no signature, whatever
 * this process starts is bound to be the app it says it is, and every program of the developer may ask and look back.
 */
export function developmentSettings(folder: string, uid: number): Readonly<Record<string, unknown>> {
  const launcher = readStat('/proc', process.pid);
  if (launcher === undefined) {
    throw new CliError('Refused', 'this process cannot be found in /proc', 'mount /proc');
  }
  return {
    trusted_directories: [`${folder}/trusted`],
    revoked_file: `${folder}/revoked`,
    owners: [uid],
    store: `${folder}/store`,
    policy: { directory: `${folder}/policy.d`, user_directory: `${folder}/user-policy.d` },
    // There is no polkit on this bus, and nobody else either.
    decide: { polkit: false },
    principals: [
      {
        id: 'developer',
        roles: ['intelligence', 'provider', 'confirmer', 'operator'],
        level: 'system',
        match: { uid },
        // Lowered on purpose: on this private bus everybody is the developer.
        min_binding: 'pid',
      },
    ],
    development: {
      accept_unsigned: true,
      launcher: { pid: launcher.pid, start_time: launcher.startTime },
    },
  };
}
