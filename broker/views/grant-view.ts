// SPDX-License-Identifier: Apache-2.0
import { quote } from '../../keys/error.ts';
import type { Capability } from '../../manifests/capability.ts';
import { PolicyError } from '../../policy/error.ts';
import type { Finding } from '../../policy/lint.ts';
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

/** What keeps a grant from ever answering, as far as policy stands now. */
export function grantFindings(
  id: string,
  { principal, capability }: { readonly principal: string; readonly capability: string },
  view: Pick<PolicyView, 'subjects' | 'principals' | 'circumstances'>,
): readonly Finding[] {
  const finding = (text: string): readonly Finding[] => [{ kind: 'no-effect', rule: id, text }];
  const who = view.principals().find(({ name }) => name === principal);
  if (who === undefined) {
    return finding(`no principal is called ${quote(principal)}: see the configured names in the matrix`);
  }
  const subject = view.subjects().find((one) => one.capability.id === capability);
  if (subject === undefined) return [];
  const { effect, possible, grantable, decider } = outlook(
    standingQuestion(who, subject, view.circumstances()),
  );
  if (possible.length > 1 || grantable) return [];
  switch (effect) {
    case 'deny':
      return finding(`policy denies this (${decider}), and no grant outranks that`);
    case 'ask':
      return finding(`a person answers this each time (${decider}), whatever is granted`);
    case 'allow':
      return finding('policy allows this as it is, so the grant is not needed');
  }
}
