// SPDX-License-Identifier: Apache-2.0

/** A string, a mark, or a literal; white space lies between them. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\],:"]+/g;

/** An open container, and the key or index in it that the scan has come to. */
interface Container {
  readonly isObject: boolean;
  member: string | number;
}

/**
 * The line (from 1) on which the value that a JSON pointer (RFC 6901) names stands; of a member, its key's line. Of a
 * repeated key it is the last one. Of what is missing it is the line of the closest around it that is there.
 *
 * For messages about a document that was read: the text must be well-formed JSON.
 */
export function lineOf(text: string, pointer: string): number {
  const open: Container[] = [];
  let keyIsNext = false;
  let found = 0;
  let depth = -1;
  const see = (index: number): void => {
    const here = pointerTo(open);
    const leadsThere = here === pointer || pointer.startsWith(`${here}/`);
    if (leadsThere && open.length >= depth) {
      found = index;
      depth = open.length;
    }
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const container = open.at(-1);
    if (token === '}' || token === ']') {
      open.pop();
      keyIsNext = false;
    } else if (token === ',') {
      keyIsNext = container?.isObject === true;
      if (typeof container?.member === 'number') container.member += 1;
    } else if (keyIsNext && container !== undefined) {
      container.member = String(JSON.parse(token));
      keyIsNext = false;
      see(index);
    } else {
      if (container?.isObject !== true) see(index);
      keyIsNext = token === '{';
      if (keyIsNext || token === '[') open.push({ isObject: keyIsNext, member: keyIsNext ? '' : 0 });
    }
  }
  return text.slice(0, found).split('\n').length;
}

function pointerTo(open: readonly Container[]): string {
  return open.map(({ member }) => `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
