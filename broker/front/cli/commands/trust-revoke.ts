// SPDX-License-Identifier: Apache-2.0
import { revoke } from '../../../../keys/trust.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { trustPlaces } from '../trust-places.ts';

export async function run({ operand, options, screen }: Invocation): Promise<ExitCode> {
  const fingerprint = operand.toLowerCase();
  const { revokedFile } = trustPlaces(options);
  const comment = options.text('comment');
  revoke({ revokedFile, fingerprint, ...(comment !== undefined && { comment }) });
  screen.result({ fingerprint, revoked_file: revokedFile }, () => [
    `revoked  ${fingerprint}`,
    `file     ${revokedFile}`,
  ]);
  return EXIT.ok;
}
