// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSafeDirectory, lstatEntry, type Owners, readAnchorFile } from './anchor-file.ts';
import { type AppId, parseAppId } from './app-id.ts';
import { KeyError, type KeyErrorCode, quote } from './error.ts';
import { KEY_BYTES, keyFile, rotationFiles, rotationFolder } from './key-files.ts';
import { type PublicKey, parsePublicKey } from './public-key.ts';
import { readRevokedList } from './revoked.ts';
import { Witness } from './witness.ts';

const KEY_ENTRY = /\.(?:pub|d)$/;
/** Most keys of one app at a time: the current one, the next, and room for late installations. */
const MOST_ROTATION_KEYS = 16;

export interface KeyringOptions {
  /** Absolute paths. The first one that holds anything for an app decides alone for that app. */
  readonly directories: readonly string[];
  /** Absolute path; masks all directories. */
  readonly revokedFile: string;
  /** The uids that may own files and directories; root always may. */
  readonly owners: Owners;
  /** The wall clock in ms, the one that stamps files. */
  readonly now?: () => number;
}

export interface TrustProblem {
  readonly at: string;
  readonly code: KeyErrorCode;
  readonly message: string;
}

export interface TrustedKey {
  readonly appId: AppId;
  readonly fingerprint: string;
  readonly path: string;
}

/** What the directories say about one app. */
interface Reading {
  readonly keys: readonly { readonly key: PublicKey; readonly path: string }[];
  readonly problems: readonly KeyError[];
  readonly witness: Witness;
}

/**
 * The keys that apps' manifests are verified with: `{dir}/{app_id}.pub`, 32 raw bytes each, and during a rotation also
 * `{dir}/{app_id}.d/*.pub`. A file that anybody but the owners could have written is as good as none; so is everything when a directory
 * or the revoked list is in doubt.
 */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #now: () => number;
  /** The last good reading for each app, so never more entries than apps with installed keys. */
  readonly #readings = new Map<AppId, Reading>();

  constructor(options: KeyringOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The app's trusted keys, at least one. Reads the files each time, since a verification costs far more: a rotated key works, and a
   * withdrawn one fails, at the first try.
   * @throws KeyError `KeyMissing`, `KeyRevoked`, `KeyUnsafe`, `KeyMalformed` or `KeyWeak`, naming the file
   */
  keysFor(appId: AppId): readonly PublicKey[] {
    this.#readings.delete(appId);
    const reading = this.#read(appId);
    if (reading.keys.length === 0) throw reading.problems[0] ?? this.#missing(appId);
    this.#readings.set(appId, reading);
    return reading.keys.map(({ key }) => key);
  }

  /**
   * Whether the key that once verified something is still trusted: the check before each dispatch. Costs one `lstat` for each path the
   * last reading rests on, and reads again only when one of them changed. Any doubt is a no.
   */
  isTrusted(appId: AppId, fingerprint: string): boolean {
    try {
      const known = this.#readings.get(appId);
      const keys = known?.witness.stillHolds() ? known.keys.map(({ key }) => key) : this.keysFor(appId);
      return keys.some((key) => key.fingerprint === fingerprint);
    } catch {
      return false;
    }
  }

  /** Everything that is trusted, and everything in the way of being so. Never waits on a file and never throws. */
  list(): { trusted: TrustedKey[]; problems: TrustProblem[] } {
    const trusted: TrustedKey[] = [];
    const problems = new Map<string, TrustProblem>();
    const report = ({ code, message, at = '' }: KeyError) => {
      problems.set(`${code} ${at}`, { at, code, message });
    };
    const attempt = (step: () => void) => {
      try {
        step();
      } catch (error) {
        report(asKeyError(error, ''));
      }
    };
    const appIds = new Set<AppId>();
    attempt(() => readRevokedList(this.#options.revokedFile, this.#options.owners));
    for (const path of this.#options.directories.flatMap((directory) => this.#entries(directory, attempt))) {
      attempt(() => appIds.add(appIdOf(path)));
    }
    for (const appId of appIds) {
      attempt(() => {
        const reading = this.#read(appId);
        reading.problems.forEach(report);
        trusted.push(...reading.keys.map(({ key, path }) => ({ appId, fingerprint: key.fingerprint, path })));
      });
    }
    return { trusted, problems: [...problems.values()] };
  }

  /**
   * Calls back when something may have changed, early and without promise: an atomic exchange of links or of whole directories can go
   * unnoticed. `isTrusted` and `keysFor` do not rely on it.
   */
  async watch(onChange: () => void): Promise<{ close(): Promise<void> }> {
    const { watch } = await import('chokidar');
    const watcher = watch([...this.#options.directories, this.#options.revokedFile], {
      depth: 1,
      followSymlinks: false,
      ignoreInitial: true,
    });
    // A watcher that failed has missed something, which is a change as well.
    watcher.on('all', onChange).on('error', onChange);
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
    return { close: () => watcher.close() };
  }

  #read(appId: AppId): Reading {
    const { revokedFile, owners } = this.#options;
    const witness = new Witness(this.#now());
    witness.sawContent(revokedFile);
    const revoked = readRevokedList(revokedFile, owners);
    const problems: KeyError[] = [];
    const keys: { key: PublicKey; path: string }[] = [];
    for (const path of this.#firstCandidates(appId, witness, problems)) {
      try {
        witness.sawContent(path);
        const key = parsePublicKey(readAnchorFile(path, owners, KEY_BYTES).bytes, path);
        if (revoked.has(key)) throw new KeyError('KeyRevoked', `the key in ${quote(path)} is revoked`, path);
        keys.push({ key, path });
      } catch (error) {
        problems.push(asKeyError(error, path));
      }
    }
    return { keys, problems, witness };
  }

  /**
   * The key files of the first directory that holds any for the app: what an administrator installed is never mixed with a package's.
   */
  #firstCandidates(appId: AppId, witness: Witness, problems: KeyError[]): readonly string[] {
    for (const directory of this.#options.directories) {
      witness.sawIdentity(directory);
      if (!isSafeDirectory(directory, this.#options.owners)) continue;
      const path = keyFile(directory, appId);
      witness.sawContent(path);
      const rotation = this.#rotationKeys(rotationFolder(directory, appId), witness, problems);
      const candidates = lstatEntry(path) === undefined ? rotation : [path, ...rotation];
      if (candidates.length > 0 || problems.length > 0) return candidates;
    }
    return [];
  }

  #rotationKeys(folder: string, witness: Witness, problems: KeyError[]): readonly string[] {
    try {
      witness.sawContent(folder);
      if (!isSafeDirectory(folder, this.#options.owners)) return [];
      const paths = rotationFiles(folder);
      if (paths.length > MOST_ROTATION_KEYS) {
        throw new KeyError(
          'KeyUnsafe',
          `${quote(folder)} holds more than ${MOST_ROTATION_KEYS} keys`,
          folder,
        );
      }
      return paths;
    } catch (error) {
      problems.push(asKeyError(error, folder));
      return [];
    }
  }

  /** The paths in a directory that speak about an app. */
  #entries(directory: string, attempt: (step: () => void) => void): readonly string[] {
    let names: readonly string[] = [];
    attempt(() => {
      if (isSafeDirectory(directory, this.#options.owners)) names = readdirSync(directory);
    });
    return names.filter((name) => KEY_ENTRY.test(name)).map((name) => join(directory, name));
  }

  #missing(appId: AppId): KeyError {
    const { directories } = this.#options;
    return new KeyError(
      'KeyMissing',
      `no trusted key for ${quote(appId)}: install one with \`portalctl trust install\``,
      keyFile(directories[0] ?? '', appId),
    );
  }
}

function appIdOf(path: string): AppId {
  try {
    return parseAppId(basename(path).replace(KEY_ENTRY, ''));
  } catch (cause) {
    throw new KeyError('AppIdInvalid', `${quote(path)} is not named after an app id`, path, cause);
  }
}

/** What the system itself refused (an unreadable disk, say) leaves a file just as unusable. */
function asKeyError(error: unknown, at: string): KeyError {
  return error instanceof KeyError
    ? error
    : new KeyError('KeyUnsafe', `${quote(at)} cannot be read`, at, error);
}
