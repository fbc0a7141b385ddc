// SPDX-License-Identifier: Apache-2.0
import type { Invocation } from '../command.ts';
import { draftLines, draftReport } from '../draft-lines.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readDraft } from '../policy-draft.ts';

export async function run({ operands, options, screen }: Invocation): Promise<ExitCode> {
  const source = options.on('user') ? 'user' : 'root';
  const drafts = operands.map((path) => readDraft(path, source));
  screen.result({ files: drafts.map(draftReport) }, () => drafts.flatMap(draftLines));
  return drafts.some((draft) => 'refused' in draft) ? EXIT.refused : EXIT.ok;
}
