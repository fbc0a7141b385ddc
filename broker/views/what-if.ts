// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from '../../policy/error.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import { parseRule, type Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { type Recorded, type Simulation, simulate } from '../../policy/simulate.ts';
import type { Subject } from '../../policy/standing-question.ts';
import type { AuditRow } from '../audit/query.ts';
import { configuredName } from '../identity/principal.ts';
import type { Judge } from '../world.ts';
import type { PolicyView } from './policy-view.ts';

export interface Range {
  /** Milliseconds since the epoch, as is `until`. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly limit: number;
}

interface Deps {
  readonly judge: Pick<Judge, 'circumstances' | 'config'>;
  readonly view: Pick<PolicyView, 'subjects'>;
  /** The newest recorded decisions of a range, oldest first. */
  readonly decisions: (range: Range) => Promise<readonly AuditRow[]>;
}

const MOST_EXAMPLES = 50;

/**
 * Decides what was recorded once more, with other rules in place of the person's. What is no longer available is passed
 * over: nobody can say what would become of it.
 * @throws PolicyError `RuleInvalid` with the place
 */
export async function whatIf(given: unknown, range: Range, deps: Deps): Promise<Simulation> {
  const { policyLimits } = deps.judge.config;
  const candidates = readRules(given, policyLimits);
  const rows = await deps.decisions(range);
  const circumstances = deps.judge.circumstances();
  const kept = circumstances.rules.rules.filter(({ source }) => source !== 'person');
  const candidate = RuleSet.of([...kept, ...candidates], circumstances.rules.locked);
  return simulate(recordedIn(rows, deps.view), circumstances.rules, candidate, circumstances, MOST_EXAMPLES);
}

function readRules(given: unknown, limits: PolicyLimits): readonly Rule[] {
  if (!Array.isArray(given)) throw new PolicyError('RuleInvalid', 'expected a list of rules', '');
  if (given.length > limits.maxRules) throw new PolicyError('RuleInvalid', 'too many rules', '');
  return given.map((value, index) => {
    try {
      return parseRule(value, { id: `candidate:${index}`, source: 'person', mayAllow: true }, limits);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      throw new PolicyError(error.code, error.message, `/${index}${error.at ?? ''}`, { cause: error });
    }
  });
}

function recordedIn(rows: readonly AuditRow[], view: Deps['view']): readonly Recorded[] {
  const subjects = new Map<string, Subject>(
    view.subjects().map((subject) => [`${subject.capability.id} ${subject.capability.version}`, subject]),
  );
  return rows.flatMap(({ auditId, event }) => {
    const subject = subjects.get(`${event?.capability} ${event?.version}`);
    if (event?.principal === undefined || subject === undefined) return [];
    const principal = { id: event.principal, name: configuredName(event.principal) };
    return [{ auditId, principal, subject, localHour: new Date(event.time).getHours() }];
  });
}
