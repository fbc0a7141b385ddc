// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { PolicyLimits } from '../../policy/limits.ts';
import { parseRule, type Rule } from '../../policy/rule.ts';
import type { Store } from '../store/database.ts';
import { StoreError } from '../store/error.ts';

/**
 * The rules a person made, in the store and in memory. The two are changed one after the other, since the store is
 * written inside somebody else's transaction: memory follows once that is done.
 */
export class PersonsRules {
  readonly #rules = new Map<string, Rule>();
  readonly #limits: PolicyLimits;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;

  /** Throws `StoreCorrupt` for a stored rule that cannot be read: without it, something might be allowed. */
  constructor({ database }: Pick<Store, 'database'>, limits: PolicyLimits) {
    this.#limits = limits;
    this.#insert = database.prepare('INSERT INTO rules (id, body) VALUES (?, ?)');
    this.#delete = database.prepare('DELETE FROM rules WHERE id = ?');
    for (const { id, body } of database.prepare('SELECT id, body FROM rules ORDER BY rowid').all()) {
      this.put(this.#stored(String(id), String(body)));
    }
  }

  get list(): readonly Rule[] {
    return [...this.#rules.values()];
  }

  find(id: string): Rule | undefined {
    return this.#rules.get(id);
  }

  /** @throws PolicyError `RuleInvalid` with the place */
  parse(value: unknown, id: string): Rule {
    return parseRule(value, { id, source: 'person', mayAllow: true }, this.#limits);
  }

  /** Into the store; inside a transaction. `value` is what the rule was parsed from. */
  store(id: string, value: unknown): void {
    this.#insert.run(id, JSON.stringify(value));
  }

  /** Out of the store; inside a transaction. */
  unstore(id: string): void {
    this.#delete.run(id);
  }

  put(rule: Rule): void {
    this.#rules.set(rule.id, rule);
  }

  drop(id: string): void {
    this.#rules.delete(id);
  }

  #stored(id: string, body: string): Rule {
    try {
      return this.parse(JSON.parse(body), id);
    } catch (cause) {
      throw new StoreError(
        'StoreCorrupt',
        'the store holds a rule that cannot be read: restore it from a backup',
        { cause },
      );
    }
  }
}
