// SPDX-License-Identifier: Apache-2.0
import type { Gate } from './classify.ts';
import type { Decider, Decision, Question } from './decide.ts';
import type { Rule } from './rule.ts';
import type { Ruling } from './ruling.ts';

/** What is decided, by what, and by which rule where one did. */
export interface Verdict extends Pick<Decision, 'effect' | 'gate' | 'decider' | 'grantable'> {
  readonly rule: Rule | undefined;
}

/** What an error in the evaluation comes to. */
export const FAILED: Verdict = {
  effect: 'deny',
  gate: 'confirm',
  decider: 'evaluation-failed',
  grantable: false,
  rule: undefined,
};

/** The rules that bear on the verdict; which others matched does not. */
export type Bearing = Pick<Ruling, 'winner' | 'rootDeny' | 'rootAsk'>;

/**
 * The verdict on a question, given what the rules say: first all that denies, then what only a person's fresh answer
 * satisfies, then what a grant may answer, and last what nobody is asked about.
 */
export function judge(question: Question, bearing: Bearing): Verdict {
  const verdict = judgeInPresence(question, bearing);
  // Nobody is there to be asked, and a question is not kept until somebody is.
  if (verdict.effect === 'ask' && question.sessionLocked) return denial(question, 'session-locked');
  return verdict;
}

function judgeInPresence(question: Question, { winner, rootDeny, rootAsk }: Bearing): Verdict {
  const { classification, provider, capability } = question;
  const barrier = barrierOf(question);
  if (barrier !== undefined) return denial(question, barrier);
  if (rootDeny !== undefined) return denial(question, 'root-rule', rootDeny);
  if (question.sessionLocked && !runsWhileLocked(question)) return denial(question, 'session-locked');
  if (question.deniedForSession) return denial(question, 'denied-for-session');
  if (question.takenBackByPerson) return allowance(question, 'person');
  if (winner?.effect === 'DENY') return denial(question, 'rule', winner);

  if (question.requireApproval) return confirmation('require-approval');
  const gate = gateOf(question);
  if (gate === 'confirm') return confirmation('gate');
  if (!provider.signed && classification.access === 'write') return confirmation('provider-unsigned');
  if (!provider.bound) return { ...asking(question, 'provider-unbound'), grantable: false };

  if (winner?.effect === 'ASK') return asking(question, 'rule', winner);
  if (rootAsk !== undefined) return asking(question, 'rule', rootAsk);
  if (winner !== undefined) return allowance(question, 'rule', winner);
  if (gate === 'ask') return asking(question, 'gate');
  return capability.tier === 2 ? asking(question, 'tier-2') : allowance(question, 'gate');
}

/** What denies whatever any rule says. */
function barrierOf(question: Question): Decider | undefined {
  const { suspended, takenBackByPerson, locked, enabled, rules, capability } = question;
  // Who stops somebody, or everybody, still takes back what they did.
  if (suspended && !takenBackByPerson) return 'suspended';
  if (locked || rules.isLocked(capability.id)) return 'locked';
  return enabled ? undefined : 'not-enabled';
}

function runsWhileLocked({ classification, capability, allowedWhileLocked }: Question): boolean {
  const { access, network } = classification;
  return (access === 'read' && network === 'local') || allowedWhileLocked.includes(capability.id);
}

/** The gate of the class under the profile: the contract's table knows automatic and confirmed only. */
function gateOf({ classification: { gate }, profile }: Question): Gate {
  return profile === 'strict' && gate !== 'automatic' ? 'confirm' : gate;
}

function denial(question: Question, decider: Decider, rule?: Rule): Verdict {
  return { effect: 'deny', gate: gateOf(question), decider, grantable: false, rule };
}

function allowance(question: Question, decider: Decider, rule?: Rule): Verdict {
  return { effect: 'allow', gate: gateOf(question), decider, grantable: false, rule };
}

/** Only a fresh answer for this one invocation will do. */
function confirmation(decider: Decider): Verdict {
  return { effect: 'ask', gate: 'confirm', decider, grantable: false, rule: undefined };
}

function asking({ profile }: Question, decider: Decider, rule?: Rule): Verdict {
  if (profile === 'strict') return { ...confirmation(decider), rule };
  return { effect: 'ask', gate: 'ask', decider, grantable: true, rule };
}
