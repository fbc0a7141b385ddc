// SPDX-License-Identifier: Apache-2.0
import { quote } from '../../keys/error.ts';
import type { Capability } from '../../manifests/capability.ts';
import { PolicyError } from '../../policy/error.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Finding } from '../../policy/lint.ts';
import { lintGrant } from '../../policy/lint-grant.ts';
import { outlook } from '../../policy/outlook.ts';
import { standingQuestion } from '../../policy/standing-question.ts';
import type { PolicyView } from './policy-view.ts';

/**
 * The present definition of a capability, which a grant is bound to.
 * @throws PolicyError `GrantInvalid` where none is available now, or several are
 */
export function definitionOf(capability: string, view: Pick<PolicyView, 'subjects'>): Capability {
  const [found, ...others] = view.subjects().filter((subject) => subject.capability.id === capability);
  if (found === undefined) {
    throw new PolicyError(
      'GrantInvalid',
      '`/capability` is not available now: start its app, then grant',
      '/capability',
    );
  }
  if (others.length > 0) {
    throw new PolicyError(
      'GrantInvalid',
      '`/capability` is available in several versions, and a grant is for one definition',
      '/capability',
    );
  }
  return found.capability;
}

/** What keeps a grant from answering, as far as policy stands now: where rules deny, or for all that it is for. */
export function grantFindings(
  id: string,
  wanted: Pick<Grant, 'principal' | 'capability' | 'target'>,
  view: Pick<PolicyView, 'subjects' | 'principals' | 'circumstances' | 'knownOf'>,
): readonly Finding[] {
  const { principal, capability } = wanted;
  const finding = (text: string): readonly Finding[] => [{ kind: 'no-effect', rule: id, text }];
  const who = view.principals().find(({ name }) => name === principal);
  if (who === undefined) {
    return finding(`no principal is called ${quote(principal)}: see the configured names in the matrix`);
  }
  const subject = view.subjects().find((one) => one.capability.id === capability);
  if (subject === undefined) return [];
  const circumstances = view.circumstances();
  const { effect, possible, grantable, decider } = outlook(standingQuestion(who, subject, circumstances));
  if (possible.length > 1 || grantable)
    return lintGrant(id, wanted, circumstances.rules.rules, view.knownOf(subject));
  switch (effect) {
    case 'deny':
      return finding(`policy denies this (${decider}), and no grant outranks that`);
    case 'ask':
      return finding(`a person answers this each time (${decider}), whatever is granted`);
    case 'allow':
      return finding('policy allows this as it is, so the grant is not needed');
  }
}
