// SPDX-License-Identifier: Apache-2.0
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** As many links as the kernel follows on one path. */
const MOST_LINKS = 40;
/** Links that lead somewhere else for each process that opens them. `/dev/fd`, `/dev/stdin` and others lead to them. */
const OWN_TO_EACH: ReadonlySet<string> = new Set(['/proc/self', '/proc/thread-self']);
/**
 * What the kernel follows to an open file or to the root of a process, which can lie in another mount namespace: what the
 * link reads as is then another file there (proc_pid_root(5)).
 */
const OF_A_PROCESS = /^\/proc\/\d+(?:\/task\/\d+)?\/(?:cwd|exe|fd|map_files|ns|root)$/;

/**
 * Follows the links of an absolute path, as far as it exists and also where a link leads to what does not exist yet: what
 * is written through such a link appears at its end. Undefined where the path goes round in circles, or where it means
 * something else to each process or goes through another process, so that an app would find another file there than the
 * broker.
 *
 * What the path leads to can change between this look and the app's own: the app acts on what it finds then.
 */
export function resolvePath(path: string): string | undefined {
  const left = segments(path);
  let place = '/';
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const next = join(place, name);
    if (OWN_TO_EACH.has(next) || OF_A_PROCESS.test(next)) return undefined;
    const found = look(next);
    // Nothing can be below what is not there, and looking for it all the same takes time.
    if (found === 'nothing') return join(next, ...left.reverse());
    if (found === 'no link') {
      place = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return undefined;
    if (found.leadsTo.startsWith('/')) place = '/';
    left.push(...segments(found.leadsTo));
  }
  return place;
}

/** The parts of a path, the first one last. */
function segments(path: string): string[] {
  return path
    .split('/')
    .filter((name) => name !== '')
    .reverse();
}

/** What is at a place; `nothing` also for what is not for us to look at. */
function look(path: string): { readonly leadsTo: string } | 'no link' | 'nothing' {
  try {
    return { leadsTo: readlinkSync(path) };
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EINVAL' ? 'no link' : 'nothing';
  }
}
