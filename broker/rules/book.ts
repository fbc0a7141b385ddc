// SPDX-License-Identifier: Apache-2.0
import { currentUser, type Owners } from '../../keys/anchor-file.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import { type Finding, type KnownCapability, lintOne } from '../../policy/lint.ts';
import type { Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Recorder } from '../audit/records.ts';
import { ConfigError } from '../error.ts';
import type { Store } from '../store/database.ts';
import { RulesError } from './error.ts';
import { PersonsRules } from './persons-rules.ts';
import type { PolicyPlace } from './policy-files.ts';
import { type FileStatus, PolicyFolder } from './policy-folder.ts';

/** Files are looked at again this long after they were last looked at, when a rule is needed. */
const LOOK_EVERY_MS = 1000;

export interface BookDeps {
  readonly store: Pick<Store, 'database'>;
  readonly records: Recorder;
  /** Milliseconds since the epoch, the clock that stamps files. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Absolute. The user's may only tighten. */
  readonly directories: { readonly root: string; readonly user: string | undefined };
  /** Uids besides root that may own the files; of the user's directory also the user that this process runs as. */
  readonly owners: Owners;
  readonly limits: PolicyLimits;
  /** Ids of capabilities that the configuration locks. */
  readonly locked: readonly string[];
  /** What there is to have rules about; only for what is found out about a new rule. */
  readonly known?: () => readonly KnownCapability[];
  /** Told of a change of the files that could not be recorded; it holds all the same. */
  readonly fault: (error: unknown) => void;
}

/**
 * The policy that holds: the files of root and of the user, and the person's own rules from the store. The files of a place
 * are taken over all at once or not at all; a snapshot in use never changes.
 */
export class PolicyBook {
  readonly #deps: BookDeps;
  readonly #folders: readonly PolicyFolder[];
  readonly #persons: PersonsRules;
  readonly #listeners: (() => void)[] = [];
  #lookedAt: number;
  #rules: RuleSet;
  #epoch = 0;

  private constructor(deps: BookDeps) {
    this.#deps = deps;
    this.#lookedAt = deps.now();
    this.#folders = placesOf(deps).map((place) => new PolicyFolder(place, deps.limits, this.#lookedAt));
    for (const folder of this.#folders) folder.read(this.#lookedAt);
    this.#persons = new PersonsRules(deps.store, deps.limits);
    this.#rules = this.#compose();
  }

  /**
   * Reads everything for the first time. What a user's files keep from being read is only theirs: it is said, and the
   * administrator's rules hold.
   * @throws ConfigError naming file and line of what cannot be used of the administrator's; StoreError for rules of the person's
   */
  static open(deps: BookDeps): PolicyBook {
    const book = new PolicyBook(deps);
    for (const { place, refused } of book.#folders) {
      if (refused === undefined) continue;
      if (place.source === 'root') {
        const code = refused.refusal.line === undefined ? 'ConfigUnsafe' : 'ConfigInvalid';
        throw new ConfigError(code, refused.message, { cause: refused });
      }
      book.#record('PolicyRefused');
    }
    book.#record('PolicyLoaded');
    return book;
  }

  /** Counts the snapshots: another number, other rules. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The rules that hold now. Looks at the files again now and then, since watching alone misses exchanges of directories. */
  current(): RuleSet {
    const since = Math.abs(this.#deps.now() - this.#lookedAt);
    if (since >= LOOK_EVERY_MS) this.#look();
    return this.#rules;
  }

  /** Every file in force, and the files or directories that keep a newer reading from being taken over. */
  status(): readonly FileStatus[] {
    return this.#folders.flatMap((folder) => folder.status());
  }

  /** Reads all files again. False where some were refused: then what was read before of that place still holds. */
  reload(): boolean {
    this.#readAgain(this.#folders);
    return this.#folders.every(({ refused }) => refused === undefined);
  }

  /** Hears of changes early, and without promise: `current` does not rely on it. */
  async watch(): Promise<{ close(): Promise<void> }> {
    const { watch } = await import('chokidar');
    const watcher = watch(
      this.#folders.map(({ place }) => place.directory),
      { depth: 0, followSymlinks: false, ignoreInitial: true },
    );
    const changed = (): void => this.#look();
    // A watcher that failed has missed something, which is a change as well.
    watcher.on('all', changed).on('error', changed);
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
    return { close: () => watcher.close() };
  }

  /**
   * Adds a rule of the person's, who `decider` names. It holds once it is on record.
   * @throws PolicyError `RuleInvalid` with the place; RulesError `TooMany`; StoreError
   */
  async add(value: unknown, decider: string): Promise<{ rule: Rule; findings: readonly Finding[] }> {
    const rule = this.#persons.parse(value, this.#deps.newId());
    if (this.#persons.list.length >= this.#deps.limits.maxRules) {
      throw new RulesError('TooMany', 'there are as many rules as there may be: remove one first');
    }
    const findings = lintOne(rule, this.current().rules, this.#deps.known?.());
    await this.#deps.records.append(this.#about('RuleAdded', rule, decider), 'full', () =>
      this.#persons.store(rule.id, value),
    );
    this.#persons.put(rule);
    this.#changed();
    return { rule, findings };
  }

  /**
   * Removes one of the person's rules, once that is on record.
   * @throws RulesError `NotFound`, also for a rule of a file; StoreError
   */
  async remove(id: string, decider: string): Promise<Rule> {
    const rule = this.#persons.find(id);
    if (rule === undefined) {
      throw new RulesError('NotFound', 'there is no such rule of yours: those of files are changed there');
    }
    await this.#deps.records.append(this.#about('RuleRemoved', rule, decider), 'full', () =>
      this.#persons.unstore(id),
    );
    this.#persons.drop(id);
    this.#changed();
    return rule;
  }

  /** Called after each change of the rules, or of what `status` says. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #look(): void {
    const now = this.#deps.now();
    this.#lookedAt = now;
    this.#readAgain(this.#folders.filter((folder) => folder.isStale(now)));
  }

  #readAgain(folders: readonly PolicyFolder[]): void {
    const now = this.#deps.now();
    this.#lookedAt = now;
    const readings = folders.map((folder) => folder.read(now));
    // A refusal is told once, and not each second for as long as it lasts.
    if (readings.includes('refused')) this.#record('PolicyRefused');
    if (readings.includes('taken')) {
      this.#record('PolicyLoaded');
      this.#changed();
    } else if (readings.includes('refused')) this.#tell();
  }

  #changed(): void {
    this.#rules = this.#compose();
    this.#epoch += 1;
    this.#tell();
  }

  #compose(): RuleSet {
    const files = this.#folders.flatMap((folder) => folder.files);
    const rules = [...files.flatMap((file) => file.rules), ...this.#persons.list];
    return RuleSet.of(rules, [...this.#deps.locked, ...files.flatMap(({ locked }) => locked)]);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** What the files say holds whether or not this can be written: the administrator's word does not wait for a disk. */
  #record(code: 'PolicyLoaded' | 'PolicyRefused'): void {
    const { records, now, fault } = this.#deps;
    const files = this.#folders.flatMap((folder) => folder.files);
    const count = files.reduce((sum, { rules }) => sum + rules.length, 0);
    records.append({ type: 'policy', time: now(), code, count }, 'normal').catch(fault);
  }

  #about(code: 'RuleAdded' | 'RuleRemoved', rule: Rule, decider: string): AuditEvent {
    const { id, scope, capability, app } = rule;
    return {
      type: 'policy',
      time: this.#deps.now(),
      code,
      rule: id,
      decider,
      ...(scope === undefined ? {} : { principal: scope }),
      ...(capability === undefined ? {} : { capability }),
      ...(app === undefined ? {} : { appId: app }),
    };
  }
}

/** The user's directory may belong to the user; what is in it only tightens. */
function placesOf({ directories: { root, user }, owners }: BookDeps): readonly PolicyPlace[] {
  const place: PolicyPlace = { directory: root, source: 'root', owners };
  if (user === undefined) return [place];
  return [place, { directory: user, source: 'user', owners: [...owners, currentUser()] }];
}
