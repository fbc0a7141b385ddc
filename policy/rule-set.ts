// SPDX-License-Identifier: Apache-2.0
import type { Facts, Rule } from './rule.ts';
import { compareRules } from './rule-order.ts';
import type { Targets } from './target.ts';

const ANYTHING = '*';

/** All rules and locks that are in force at one moment. It never changes: another policy is another set. */
export class RuleSet {
  readonly rules: readonly Rule[];
  /** Ids of capabilities that are always denied. */
  readonly locked: readonly string[];
  readonly #locked: ReadonlySet<string>;
  /** The place of each rule in the order in which they decide. */
  readonly #ranks: ReadonlyMap<Rule, number>;
  /** By principal, then by what the rule is about. */
  readonly #shelves: ReadonlyMap<string | undefined, ReadonlyMap<string, Shelf>>;

  private constructor(rules: readonly Rule[], locked: readonly string[]) {
    this.rules = [...rules];
    this.locked = [...new Set(locked)];
    this.#locked = new Set(locked);
    this.#ranks = new Map(rules.toSorted(compareRules).map((rule, index) => [rule, index]));
    const shelves = new Map<string | undefined, Map<string, Shelf>>();
    for (const rule of rules) {
      const ofScope = entry(shelves, rule.scope, () => new Map<string, Shelf>());
      entry(ofScope, subjectOf(rule), () => new Shelf()).add(rule);
    }
    this.#shelves = shelves;
  }

  /** `locked` are the ids of capabilities that are always denied. */
  static of(rules: readonly Rule[], locked: readonly string[]): RuleSet {
    return new RuleSet(rules, locked);
  }

  isLocked(capability: string): boolean {
    return this.#locked.has(capability);
  }

  /** The lower one decides. */
  rankOf(rule: Rule): number {
    return this.#ranks.get(rule) ?? this.rules.length;
  }

  /** Every rule that could be about this, each once, in no particular order; and few others. */
  candidates({ principal, capability, targets }: Facts): readonly Rule[] {
    const found: Rule[] = [];
    for (const scope of new Set([undefined, principal.id, principal.name])) {
      const ofScope = this.#shelves.get(scope);
      if (ofScope === undefined) continue;
      for (const subject of [ANYTHING, `capability ${capability.id}`, `app ${capability.appId}`]) {
        ofScope.get(subject)?.take(targets, found);
      }
    }
    return found;
  }
}

/** No rules, and nothing locked. */
export const EMPTY_RULES = RuleSet.of([], []);

function subjectOf({ capability, app }: Rule): string {
  if (capability !== undefined) return `capability ${capability}`;
  return app === undefined ? ANYTHING : `app ${app}`;
}

/** The rules for one principal and one capability, by the folder that their targets lie in. */
class Shelf {
  readonly #anyTarget: Rule[] = [];
  readonly #byFolder = new Map<string, Rule[]>();
  #longestFolder = 0;

  add(rule: Rule): void {
    if (rule.target === undefined) {
      this.#anyTarget.push(rule);
      return;
    }
    const { prefix } = rule.target;
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    entry(this.#byFolder, folder, () => []).push(rule);
    this.#longestFolder = Math.max(this.#longestFolder, folder.length);
  }

  take(targets: Targets, found: Rule[]): void {
    for (const rule of this.#anyTarget) found.push(rule);
    // A target that nobody could determine could lie anywhere.
    const folders = isDetermined(targets) ? this.#foldersOf(targets) : this.#byFolder.keys();
    for (const folder of folders) for (const rule of this.#byFolder.get(folder) ?? []) found.push(rule);
  }

  /** Every folder that a target lies in, the nameless one that holds everything included; none twice. */
  #foldersOf(targets: readonly { readonly value: string }[]): ReadonlySet<string> {
    const folders = new Set(['']);
    for (const { value } of targets) {
      let end = value.indexOf('/') + 1;
      while (end > 0 && end <= this.#longestFolder) {
        folders.add(value.slice(0, end));
        end = value.indexOf('/', end) + 1;
      }
    }
    return folders;
  }
}

function isDetermined(targets: Targets): targets is Exclude<Targets, 'undetermined'> {
  return targets !== 'undetermined' && targets.length > 0;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
