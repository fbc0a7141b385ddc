// SPDX-License-Identifier: Apache-2.0
import { storeFiles } from '../audit-source.ts';
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Line } from '../screen.ts';

type Report = Readonly<Record<string, unknown>>;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { screen } = invocation;
  const report = await screen.while('still checking', verify(invocation));
  screen.result(report, () => lines(report));
  return report.ok === true ? EXIT.ok : EXIT.refused;
}

async function verify({ options, env }: Invocation): Promise<Report> {
  const files = storeFiles(options);
  if (files === undefined) return await asOperator(env, (operator) => operator.verifyAudit());
  const [{ verifyChain }, { wireForm }] = await Promise.all([
    import('../../../audit/verify.ts'),
    import('../../../audit/wire.ts'),
  ]);
  return wireForm(verifyChain(files.database, files.key)) as Report;
}

function lines({ ok, events, head, problems, unfinished, proves, cannot_prove }: Report): readonly Line[] {
  return [
    ok === true
      ? [{ text: 'intact', style: 'green' }, `  ${events} records, the last with the mark ${head}`]
      : [{ text: 'NOT intact', style: 'red' }, `  ${events} records`],
    ...list('problem', problems)
      .map((text) => ({ text: `  ${text}`, style: 'red' }) as const)
      .map((piece) => [piece]),
    ...list('proves', proves).map((text) => `  ${text}`),
    ...list('cannot prove', cannot_prove).map((text) => `  ${text}`),
    ...list('started, no outcome yet', unfinished).map((text) => `  ${text}`),
  ];
}

function list(label: string, values: unknown): readonly string[] {
  if (!Array.isArray(values)) return [];
  return values.map((value: unknown) => `${label}: ${typeof value === 'string' ? value : problem(value)}`);
}

function problem(value: unknown): string {
  const known = typeof value === 'object' && value !== null && 'seq' in value && 'kind' in value;
  return known ? `${String(value.kind)} at record ${String(value.seq)}` : JSON.stringify(value);
}
