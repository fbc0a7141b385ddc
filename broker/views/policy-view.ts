// SPDX-License-Identifier: Apache-2.0
import type { Entry, Registry } from '../../manifests/registry.ts';
import { classify } from '../../policy/classify.ts';
import type { KnownCapability } from '../../policy/lint.ts';
import { type MatrixRow, matrix } from '../../policy/matrix.ts';
import type { Principal } from '../../policy/principal.ts';
import type { Circumstances, Subject } from '../../policy/standing-question.ts';
import { CallError } from '../bus/errors.ts';
import type { Session, Sessions } from '../bus/sessions.ts';
import type { PrincipalConfig } from '../identity/principal.ts';
import { subjectOf } from '../subject.ts';
import type { Judge } from '../world.ts';

export interface MatrixFilter {
  readonly principal: string | undefined;
  readonly capability: string | undefined;
  readonly appId: string | undefined;
}

/** What one look at the matrix shows at most: each takes a decision. */
const MOST_CELLS = 20_000;

interface Deps {
  readonly judge: Judge;
  readonly registry: Pick<Registry, 'list'>;
  readonly sessions: Pick<Sessions, 'all'>;
}

/** The policy as it stands, seen from outside: what there is to decide about, who could ask, and what would be decided. */
export class PolicyView {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** What holds at this moment, whoever asks for what. */
  circumstances(): Circumstances {
    return this.#deps.judge.circumstances();
  }

  /** Every capability that is available now (to who listed that epoch last), as policy looks at it. */
  subjects(epoch?: number): readonly Subject[] {
    return this.#deps.registry.list(epoch).map((entry) => this.subjectOf(entry));
  }

  subjectOf(entry: Entry): Subject {
    const { judge } = this.#deps;
    const classification = classify(entry.capability, judge.config.profile);
    return {
      ...subjectOf(entry, classification, judge.config),
      provider: judge.standing(entry, 'undetermined'),
    };
  }

  /** Who could ask: those that are configured for it, and those that are connected and have asked for something. */
  principals(): readonly Principal[] {
    const found = new Map<string, Principal>();
    for (const entry of this.#deps.judge.config.principals) {
      if (asks(entry)) found.set(entry.id, { ...entry, name: entry.id, categories: entry.categories });
    }
    for (const { principal, isAsking } of this.#deps.sessions.all()) {
      if (isAsking) found.set(principal.id, principal);
    }
    return [...found.values()];
  }

  /** A connected session that asks, of the principal with this id, or of any with this configured name. */
  sessionOf(principal: string): Session | undefined {
    const sessions = [...this.#deps.sessions.all()].filter(({ isAsking }) => isAsking);
    return (
      sessions.find((session) => session.principal.id === principal) ??
      sessions.find((session) => session.principal.name === principal)
    );
  }

  /** What each may do with each capability now, for no particular target. */
  matrix({ principal, capability, appId }: MatrixFilter): readonly MatrixRow[] {
    const principals = this.principals().filter(
      ({ id, name }) => principal === undefined || principal === id || principal === name,
    );
    const subjects = this.subjects().filter(
      (subject) =>
        (capability === undefined || capability === subject.capability.id) &&
        (appId === undefined || appId === subject.appId),
    );
    if (principals.length * subjects.length > MOST_CELLS) {
      throw new CallError(
        'LimitsExceeded',
        'that is too much at once: name a principal, a capability or an app',
      );
    }
    return matrix(principals, subjects, this.circumstances());
  }

  /** What a rule can be about, for what is odd about one. */
  known(): readonly KnownCapability[] {
    const { rules } = this.circumstances();
    return this.subjects().map((subject) => this.knownOf(subject, rules));
  }

  knownOf(
    { capability, appId, classification, locked }: Subject,
    rules = this.circumstances().rules,
  ): KnownCapability {
    return {
      capability: capability.id,
      appId,
      classification,
      hasTarget: capability.targets.length > 0,
      locked: locked || rules.isLocked(capability.id),
    };
  }
}

function asks({ roles }: Pick<PrincipalConfig, 'roles'>): boolean {
  return roles.includes('intelligence') || roles.includes('compositor');
}
