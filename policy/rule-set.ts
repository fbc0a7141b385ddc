// SPDX-License-Identifier: Apache-2.0
import type { Facts, Rule } from './rule.ts';

/** All rules and locks that are in force at one moment. It never changes: another policy is another set. */
export class RuleSet {
  readonly rules: readonly Rule[];
  readonly #locked: ReadonlySet<string>;

  private constructor(rules: readonly Rule[], locked: readonly string[]) {
    this.rules = rules;
    this.#locked = new Set(locked);
  }

  /** `locked` are the ids of capabilities that are always denied. */
  static of(rules: readonly Rule[], locked: readonly string[]): RuleSet {
    return new RuleSet(rules, locked);
  }

  isLocked(capability: string): boolean {
    return this.#locked.has(capability);
  }

  /** Every rule that could match, and few others. */
  candidates(facts: Facts): readonly Rule[] {
    void facts;
    return this.rules;
  }
}

export const EMPTY_RULES = RuleSet.of([], []);
