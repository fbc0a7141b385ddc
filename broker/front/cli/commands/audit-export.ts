// SPDX-License-Identifier: Apache-2.0
import { auditRecords } from '../audit-source.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { screen } = invocation;
  const records = await screen.while('still reading the records', auditRecords(invocation));
  if (screen.json) screen.jsonLine(records);
  else for (const record of records) screen.jsonLine(record);
  return EXIT.ok;
}
