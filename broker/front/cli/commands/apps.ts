// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { quote } from '../escape.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const asked = asOperator(env, (operator) => operator.apps());
  const apps = await screen.while('the broker has not answered yet', asked);
  screen.result(apps, () =>
    apps.length === 0 ? ['no app has connected yet'] : columns(apps.map(row), screen.columns),
  );
  return EXIT.ok;
}

function row({
  app_id,
  tier,
  binding,
  capabilities,
  reason,
}: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    String(app_id),
    `tier ${String(tier)}`,
    `known by ${String(binding ?? 'nothing')}`,
    isReason(reason)
      ? `because ${reason.message} (${reason.code} at ${quote(reason.pointer)})`
      : `${String(capabilities ?? 0)} capabilities`,
  ];
}

function isReason(value: unknown): value is { code: string; pointer: string; message: string } {
  return (
    typeof value === 'object' && value !== null && 'code' in value && 'pointer' in value && 'message' in value
  );
}
