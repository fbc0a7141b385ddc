// SPDX-License-Identifier: Apache-2.0
import type { Effect, Question } from '../../policy/decide.ts';
import { matchesGlob } from '../../policy/glob.ts';
import type { Rule } from '../../policy/rule.ts';

const STRICT = { ALLOW: 0, ASK: 1, DENY: 2 } as const;

/**
 * The effect by the words of the policy, target by target and rule by rule, without an index, an order or a short cut: what
 * the real one is compared with.
 */
export function naiveEffect(question: Question, rules: readonly Rule[]): Effect {
  const targets =
    question.targets === 'undetermined' ? [undefined] : question.targets.map(({ value }) => value);
  const effects = targets.map((target) => {
    const about = rules.filter((rule) => isAbout(rule, question, target));
    const all = atTarget(question, about);
    const others = atTarget(
      question,
      about.filter(({ source }) => source !== 'user'),
    );
    // What a user's files say only tightens.
    return strictest([all, others]);
  });
  const effect = strictest(effects);
  return question.sessionLocked && effect === 'ask' ? 'deny' : effect;
}

function isAbout(rule: Rule, { principal, capability }: Question, target: string | undefined): boolean {
  const named = rule.capability ?? rule.app;
  const subject = rule.capability === undefined ? capability.appId : capability.id;
  if (rule.scope !== undefined && ![principal.id, principal.name].includes(rule.scope)) return false;
  if (named !== undefined && named !== subject) return false;
  if (rule.target === undefined) return true;
  return target === undefined ? rule.effect !== 'ALLOW' : matchesGlob(rule.target, target);
}

function atTarget(question: Question, about: readonly Rule[]): Effect {
  const { classification, profile, provider, capability, requireApproval } = question;
  const says = (effect: Rule['effect']): boolean =>
    about.some((rule) => rule.source === 'root' && rule.effect === effect);
  const stopped = question.suspended && !question.takenBackByPerson;
  if (stopped || question.locked || !question.enabled || says('DENY')) return 'deny';
  const harmless = classification.access === 'read' && classification.network === 'local';
  const runsWhileLocked = harmless || question.allowedWhileLocked.includes(capability.id);
  if ((question.sessionLocked && !runsWhileLocked) || question.deniedForSession) return 'deny';
  if (question.takenBackByPerson) return 'allow';
  const most = Math.max(...about.map(({ specificity }) => specificity));
  const [winner] = about
    .filter(({ specificity }) => specificity === most)
    .toSorted((a, b) => STRICT[b.effect] - STRICT[a.effect]);
  if (winner?.effect === 'DENY') return 'deny';
  const unsignedWrite = classification.access === 'write' && !provider.signed;
  const confirms =
    classification.gate === 'confirm' || (profile === 'strict' && classification.gate === 'ask');
  if (requireApproval || confirms || unsignedWrite || !provider.bound) return 'ask';
  if (says('ASK') || winner?.effect === 'ASK') return 'ask';
  if (winner?.effect === 'ALLOW') return 'allow';
  return classification.gate === 'ask' || capability.tier === 2 ? 'ask' : 'allow';
}

function strictest(effects: readonly Effect[]): Effect {
  return effects.includes('deny') ? 'deny' : effects.includes('ask') ? 'ask' : 'allow';
}
