// SPDX-License-Identifier: Apache-2.0
import { watch } from 'chokidar';

/** What changes often and is nobody's source. */
const IGNORED = /(?:^|\/)(?:node_modules|\.git|__pycache__)(?:\/|$)/;

/** Milliseconds without a further change before a change is told: editors write in several steps. */
const QUIET_MS = 150;

/** Calls back when something below `paths` has changed. Resolves, once it sees changes, with how to stop. */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
): Promise<() => Promise<void>> {
  let quiet: NodeJS.Timeout | undefined;
  const watcher = watch([...paths], { ignored: (path) => IGNORED.test(path), ignoreInitial: true });
  watcher.on('all', () => {
    clearTimeout(quiet);
    quiet = setTimeout(onChange, QUIET_MS);
  });
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve);
    watcher.once('error', reject);
  });
  return async () => {
    clearTimeout(quiet);
    await watcher.close();
  };
}
