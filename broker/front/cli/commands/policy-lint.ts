// SPDX-License-Identifier: Apache-2.0
import { lint } from '../../../../policy/lint.ts';
import { parseRule, type Rule } from '../../../../policy/rule.ts';
import type { RuleRow } from '../../../client.ts';
import { DEFAULTS } from '../../../config.ts';
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { draftLines } from '../draft-lines.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { readDraft } from '../policy-draft.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { operands, screen } = invocation;
  const rules = operands.length === 0 ? await rulesInForce(invocation) : drafted(invocation);
  const findings = lint(rules);
  screen.result({ rules: rules.length, findings }, () => [
    ...findingLines(findings, screen.columns),
    summary(rules.length, findings.length),
  ]);
  return findings.length === 0 ? EXIT.ok : EXIT.refused;
}

function summary(rules: number, findings: number): string {
  const of = `${rules} ${rules === 1 ? 'rule' : 'rules'}`;
  return findings === 0
    ? `nothing odd about ${of}`
    : `${findings} ${findings === 1 ? 'finding' : 'findings'} about ${of}`;
}

/** The rules of all files together, as the broker would have them. */
function drafted({ operands, options, screen }: Invocation): readonly Rule[] {
  const source = options.on('user') ? 'user' : 'root';
  const drafts = operands.map((path) => readDraft(path, source));
  for (const draft of drafts) if ('refused' in draft) for (const line of draftLines(draft)) screen.note(line);
  if (drafts.some((draft) => 'refused' in draft)) {
    throw new CliError('Refused', 'a file would be refused', 'see `portalctl policy check`');
  }
  return drafts.flatMap((draft) => ('rules' in draft ? draft.rules : []));
}

async function rulesInForce({ screen, env }: Invocation): Promise<readonly Rule[]> {
  const asked = asOperator(env, (operator) => operator.policy.rules());
  const { rules } = await screen.while('the broker has not answered yet', asked);
  return rules.map(ruleOf);
}

/** A rule as it came from the broker, in the form that can be judged. */
function ruleOf({ id, source, specificity: _found, ...json }: RuleRow): Rule {
  const known = source === 'user' || source === 'person' ? source : 'root';
  return parseRule(json, { id, source: known, mayAllow: true }, DEFAULTS.policyLimits);
}
