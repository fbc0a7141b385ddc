// SPDX-License-Identifier: Apache-2.0
import { Keyring } from '../../../../keys/keyring.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { trustPlaces } from '../trust-places.ts';

export async function run({ options, screen }: Invocation): Promise<ExitCode> {
  const places = trustPlaces(options);
  const { trusted, problems } = new Keyring(places).list();
  const keys = trusted.map(({ appId, fingerprint, path }) => ({ app_id: appId, fingerprint, path }));
  screen.result({ trusted: keys, problems }, () => [
    ...(keys.length === 0 ? [`no key is trusted in ${places.directories.join(' or ')}`] : []),
    ...columns(
      keys.map(({ app_id, fingerprint, path }) => [app_id, fingerprint, path]),
      screen.columns,
    ),
    ...problems.map(({ message }) => [{ text: 'not trusted: ', style: 'yellow' } as const, message]),
  ]);
  return EXIT.ok;
}
