// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { Store } from './database.ts';
import { HistoryError } from './error.ts';
import { compareVersions, isOrdered } from './version-order.ts';

/** What a verified manifest says about itself. */
export interface ManifestFacts {
  readonly appId: string;
  readonly version: string;
  /** A signed counter; once an app used one, it alone orders the app's manifests. */
  readonly revision?: number;
  readonly manifestDigest: string;
  readonly definitions: readonly { readonly id: string; readonly version: string; readonly digest: string }[];
}

export interface Remembered {
  /** False when the manifest has neither a revision nor a numeric version: an older one could not be recognised. */
  readonly protected: boolean;
}

interface Known {
  readonly digest: string;
  readonly revision: number | undefined;
  /** The highest numeric version, or none seen yet. */
  readonly version: string | undefined;
  readonly rollbackAllowed: boolean;
}

/**
 * The durable memory of what each app declared. A signature says who wrote a manifest, not that it is the newest one or
 * that it still means what was agreed to: an old one can be replayed, and a definition can change under the same name.
 */
export class Definitions {
  readonly #store: Store;
  readonly #find: StatementSync;
  readonly #digest: StatementSync;
  readonly #keepManifest: StatementSync;
  readonly #keepDefinition: StatementSync;
  readonly #allow: StatementSync;
  readonly #forget: StatementSync;
  readonly #forgetDefinitions: StatementSync;

  constructor(store: Store) {
    const { database } = store;
    this.#store = store;
    this.#find = database.prepare(
      'SELECT digest, revision, version, rollback_allowed FROM manifests WHERE app_id = ?',
    );
    this.#digest = database.prepare(
      'SELECT digest FROM definitions WHERE app_id = ? AND id = ? AND version = ?',
    );
    this.#keepManifest = database.prepare('INSERT OR REPLACE INTO manifests VALUES (?, ?, ?, ?, ?)');
    this.#keepDefinition = database.prepare('INSERT INTO definitions VALUES (?, ?, ?, ?)');
    this.#allow = database.prepare('UPDATE manifests SET rollback_allowed = 1 WHERE app_id = ?');
    this.#forget = database.prepare('DELETE FROM manifests WHERE app_id = ?');
    this.#forgetDefinitions = database.prepare('DELETE FROM definitions WHERE app_id = ?');
  }

  /**
   * Checks a manifest against what is known of its app and remembers it; when refused, nothing is remembered.
   * Throws `HistoryError`: `DefinitionChanged` (the same id and version with another digest) or `Rollback` (an older
   * revision, none where the app used one, or an older version); `StoreError` when it cannot be written.
   */
  rememberManifest(facts: ManifestFacts): Remembered {
    this.#store.transaction('full', () => {
      const known = this.#known(facts.appId);
      const rollback = known !== undefined && isRollback(known, facts);
      if (rollback && !known.rollbackAllowed) throw rollbackError(facts);
      for (const definition of facts.definitions) this.#rememberDefinition(facts.appId, definition);
      if (known?.digest === facts.manifestDigest && !rollback) return;
      this.#keepManifest.run(
        facts.appId,
        facts.manifestDigest,
        facts.revision ?? null,
        (rollback ? ordered(facts.version) : highest(known?.version, facts.version)) ?? null,
        0,
      );
    });
    return { protected: facts.revision !== undefined || isOrdered(facts.version) };
  }

  /** The administrator lets the next older manifest of the app in, once; any other new manifest ends the permission. */
  allowRollback(appId: string): boolean {
    return this.#store.transaction('full', () => this.#allow.run(appId).changes === 1);
  }

  /** The administrator drops all that is known of an app; its next manifest is taken as the first. */
  forget(appId: string): boolean {
    return this.#store.transaction('full', () => {
      this.#forgetDefinitions.run(appId);
      return this.#forget.run(appId).changes === 1;
    });
  }

  #rememberDefinition(appId: string, { id, version, digest }: ManifestFacts['definitions'][number]): void {
    const known = this.#digest.get(appId, id, version)?.digest;
    if (known === digest) return;
    if (known === undefined) {
      this.#keepDefinition.run(appId, id, version, digest);
      return;
    }
    throw new HistoryError(
      'DefinitionChanged',
      `\`${id}\` ${version} is not what it was: give a changed capability a new version`,
    );
  }

  #known(appId: string): Known | undefined {
    const row = this.#find.get(appId);
    if (row === undefined) return undefined;
    return {
      digest: String(row.digest),
      revision: row.revision === null ? undefined : Number(row.revision),
      version: row.version === null ? undefined : String(row.version),
      rollbackAllowed: row.rollback_allowed === 1,
    };
  }
}

/** A revision counts alone once there was one; the first one must still not come with an older version. */
function isRollback(known: Known, facts: ManifestFacts): boolean {
  if (known.revision !== undefined) return facts.revision === undefined || facts.revision < known.revision;
  if (known.version === undefined) return false;
  // After a numeric version, one that cannot be compared (1.0-rc1) could be older; only a signed revision says it is not.
  if (!isOrdered(facts.version)) return facts.revision === undefined;
  return compareVersions(facts.version, known.version) < 0;
}

/** An unordered version never lowers the mark: it would open the way for what is older than the mark. */
function highest(known: string | undefined, version: string): string | undefined {
  if (known === undefined || !isOrdered(version)) return known ?? ordered(version);
  return compareVersions(version, known) > 0 ? version : known;
}

function ordered(version: string): string | undefined {
  return isOrdered(version) ? version : undefined;
}

function rollbackError(facts: ManifestFacts): HistoryError {
  const which = facts.revision === undefined ? 'this manifest' : `revision ${facts.revision}`;
  return new HistoryError(
    'Rollback',
    `${which} of \`${facts.appId}\` is older than one already seen: install the newest, or have the administrator allow it once`,
  );
}
