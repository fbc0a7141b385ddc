// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import type { TargetKind } from '../../manifests/capability.ts';
import { PolicyError } from '../../policy/error.ts';
import { deriveTargets, type Targets } from '../../policy/target.ts';

const untouched = (path: string): string => path;
const derive = (
  kind: TargetKind,
  value: unknown,
  resolve: (path: string) => string | undefined = untouched,
): Targets => deriveTargets([{ parameter: '/at', kind }], { at: value }, resolve);

/** The one target's value, or how it was refused. */
function outcome(kind: TargetKind, value: unknown, resolve?: (path: string) => string | undefined): string {
  try {
    const targets = derive(kind, value, resolve);
    if (targets === 'undetermined') return targets;
    return targets.map((target) => `${target.kind} ${target.value}`).join(', ');
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    assert.equal(error.name, 'PolicyError');
    return `${error.code} ${error.at}: ${error.message}`;
  }
}

const INVALID = 'TargetInvalid /at: ';

describe('deriveTargets', () => {
  it('[R43] gives at most 256 targets, and looks at no further one', () => {
    let looked = 0;
    const paths = (count: number) => Array.from({ length: count }, (_, index) => `/p${index}`);
    const derive = (count: number) =>
      deriveTargets([{ parameter: '/at', kind: 'path' }], { at: paths(count) }, (path) => {
        looked += 1;
        return path;
      });
    assert.lengthOf(derive(256), 256);
    looked = 0;
    assert.throws(() => derive(80_000), PolicyError, 'more than 256 targets');
    assert.equal(looked, 256);
  });

  it('[R43] gives at most 65 536 characters of targets, whatever they are of', () => {
    const texts = (count: number) => Array.from({ length: count }, () => 'a'.repeat(4095));
    const both = (count: number, last: string) =>
      deriveTargets(
        [
          { parameter: '/at', kind: 'text' },
          { parameter: '/to', kind: 'path' },
        ],
        { at: texts(count), to: last },
        untouched,
      );
    assert.lengthOf(both(16, `/${'a'.repeat(15)}`), 17);
    assert.throws(() => both(16, `/${'a'.repeat(16)}`), PolicyError, 'more than 65536 characters of targets');
  });

  it('[R43] takes no target of any kind that nobody would write', () => {
    for (const kind of ['text', 'url', 'app', 'unit'] as const) {
      const value = `https://a.example/${'a'.repeat(4096)}`;
      assert.throws(
        () => deriveTargets([{ parameter: '/at', kind }], { at: value }, (path) => path),
        PolicyError,
        'too long',
      );
    }
  });

  describe('path', () => {
    const rows: readonly [given: unknown, expected: string][] = [
      ['/a/b', 'path /a/b'],
      ['//a//./b/', 'path /a/b'],
      ['/', 'path /'],
      ['/a/..b/...', 'path /a/..b/...'],
      ['a/b', `${INVALID}a path must be absolute`],
      ['./a', `${INVALID}a path must be absolute`],
      ['~/a', `${INVALID}a path must be absolute`],
      ['file:///a', `${INVALID}a path must be absolute`],
      ['/a\0b', `${INVALID}a path must be absolute`],
      ['/..', `${INVALID}a path may not contain \`..\`: give the path itself`],
      ['/a/../b', `${INVALID}a path may not contain \`..\`: give the path itself`],
      ['/a/..', `${INVALID}a path may not contain \`..\`: give the path itself`],
      [`/${'a'.repeat(4094)}`, `path /${'a'.repeat(4094)}`],
      [`/${'a'.repeat(4095)}`, `${INVALID}the target is too long`],
      ['', `${INVALID}a target must be a non-empty text`],
      [5, `${INVALID}a target must be a non-empty text`],
      [null, `${INVALID}a target must be a non-empty text`],
      [{}, `${INVALID}a target must be a non-empty text`],
    ];
    for (const [given, expected] of rows) {
      it(`[R43] [R64] ${JSON.stringify(given).slice(0, 30)} is ${expected.slice(0, 60)}`, () => {
        assert.equal(outcome('path', given), expected);
      });
    }

    it('[R43] is what the links lead to', () => {
      assert.equal(
        outcome('path', '/a/./b', (path) => `/real${path}`),
        'path /real/a/b',
      );
    });

    it('[R43] [R64] that leads to no one place is refused', () => {
      assert.equal(
        outcome('path', '/proc/self/cwd/a', () => undefined),
        `${INVALID}the path does not lead to one place: give the path itself`,
      );
    });

    it('[R64] whatever is accepted is absolute and has no dots to climb with', () => {
      const segment = fc.constantFrom('a', '..', '.', '', '...', 'b c');
      fc.assert(
        fc.property(fc.array(segment), fc.boolean(), (segments, absolute) => {
          const found = outcome('path', `${absolute ? '/' : ''}${segments.join('/')}`);
          if (found.startsWith('TargetInvalid')) return;
          assert.match(found, /^path \/(?:[^/]+(?:\/[^/]+)*)?$/);
          assert.notMatch(found, /\/\.\.?(?:\/|$)/);
        }),
      );
    });
  });

  describe('url', () => {
    const start = 'a URL must start with `http://` or `https://` and hold no spaces';
    const stray = 'in a URL, `%` must come before two hex digits: write `%25`';
    const emptyParts = 'the host of a URL may hold no empty parts';
    const rows: readonly [given: string, expected: string][] = [
      ['https://a.example/b?c#d', 'url https://a.example/b?c#d'],
      ['HTTP://A.Example:80', 'url http://a.example/'],
      ['https://a.example/b/../c', 'url https://a.example/c'],
      ['https://b\u00fccher.example/', 'url https://xn--bcher-kva.example/'],
      ['http://0x7f.1/', 'url http://127.0.0.1/'],
      ['https://a.example./b', 'url https://a.example/b'],
      ['https://a.example.:8443/', 'url https://a.example:8443/'],
      ['https://a%2eexample/', 'url https://a.example/'],
      ['http://127.0.0.1./', 'url http://127.0.0.1/'],
      ['https://a.example/%70rivate/%7e%2d%2E%5f%39', 'url https://a.example/private/~-._9'],
      ['https://a.example/%2f%c3%bc?%61=%26#%7A', 'url https://a.example/%2F%C3%BC?a=%26#z'],
      ['https://a.example/b/%2e%2E/c', 'url https://a.example/c'],
      ['https://a.example/%2570', 'url https://a.example/%2570'],
      ['https://a.example/\u00fc', 'url https://a.example/%C3%BC'],
      ['https://a.example/%%37%30', INVALID + stray],
      ['https://a.example/100%', INVALID + stray],
      ['https://a.example/?a=%2', INVALID + stray],
      ['https://a.example../', INVALID + emptyParts],
      ['https://a..example/', INVALID + emptyParts],
      ['https://./', INVALID + emptyParts],
      ['https://.a.example/', INVALID + emptyParts],
      [`https://a.example/${'\u00fc'.repeat(800)}`, `${INVALID}the target is too long`],
      ['ftp://a.example/', INVALID + start],
      ['file:///etc/passwd', INVALID + start],
      ['javascript:alert(1)', INVALID + start],
      ['a.example', INVALID + start],
      ['http://', INVALID + start],
      [' https://a.example/', INVALID + start],
      ['https://a.example/\n', INVALID + start],
      ['ht\ttp://a.example/', INVALID + start],
      ['https://a.example\\@b.example/', INVALID + start],
      ['https://a.example/\u00a0', INVALID + start],
      ['https://u@a.example/', `${INVALID}a URL may not carry a user name or password`],
      ['https://:p@a.example/', `${INVALID}a URL may not carry a user name or password`],
    ];
    for (const [given, expected] of rows) {
      it(`[R43] [R64] ${JSON.stringify(given)} is ${expected.slice(0, 60)}`, () => {
        assert.equal(outcome('url', given), expected);
      });
    }

    it('[R43] [R64] has one spelling, and keeps it', () => {
      const part = fc.constantFrom('%', '7', '0', '2', 'e', 'E', '/', '.', 'ü', '?', '#', 'c', 'F', '"', ':');
      fc.assert(
        fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
          const found = outcome('url', `https://a.example/${parts.join('')}`);
          if (found.startsWith('TargetInvalid')) return;
          assert.equal(outcome('url', found.slice('url '.length)), found);
        }),
      );
    });
  });

  describe('unit', () => {
    for (const name of ['x', 'nginx.service', 'a@b:c_d-e\\x2d.socket', '@x', 'a'.repeat(255)]) {
      it(`[R43] takes ${name.slice(0, 30)}`, () => assert.equal(outcome('unit', name), `unit ${name}`));
    }
    for (const name of ['-H', '--now', 'a/b', 'a b', 'a;b', 'a\n', '\u00fc', 'a'.repeat(256)]) {
      it(`[R43] refuses ${JSON.stringify(name).slice(0, 30)}`, () => {
        assert.equal(outcome('unit', name), `${INVALID}expected a unit name such as \`nginx.service\``);
      });
    }
  });

  describe('app', () => {
    for (const name of ['org.example.Notes', 'io.github._0x.a-b', 'a.1']) {
      it(`[R43] takes ${name}`, () => assert.equal(outcome('app', name), `app ${name}`));
    }
    for (const name of ['notes', '1a.b', 'a..b', '.a', 'a.', 'a/b.c', '../a.b', 'a.b\n', '-a.b']) {
      it(`[R43] refuses ${JSON.stringify(name)}`, () => {
        assert.equal(outcome('app', name), `${INVALID}expected an app id such as \`org.example.Notes\``);
      });
    }
  });

  it('[R43] a text is itself', () => {
    assert.equal(outcome('text', '../ \n'), 'text ../ \n');
  });

  describe('where it is found', () => {
    const at = (parameter: string, params: unknown): Targets =>
      deriveTargets([{ parameter, kind: 'text' }], params, untouched);
    const values = (targets: Targets): unknown =>
      targets === 'undetermined' ? targets : targets.map(({ value }) => value);

    it('[R43] deeper down, and under names with escapes', () => {
      assert.deepEqual(values(at('/a/b/1', { a: { b: ['x', 'y'] } })), ['y']);
      assert.deepEqual(values(at('/a~1b', { 'a/b': 'x' })), ['x']);
      assert.deepEqual(values(at('/a~01', { 'a~1': 'x', 'a/': 'y' })), ['x']);
      assert.deepEqual(values(at('/', { '': 'x' })), ['x']);
    });

    it('[R43] each element of a list is one', () => {
      assert.deepEqual(values(at('/a', { a: ['x', 'y'] })), ['x', 'y']);
      assert.throws(() => at('/a', { a: ['x', 5] }), PolicyError);
    });

    it('[R43] not there, or an empty list: undetermined', () => {
      assert.equal(at('/a', {}), 'undetermined');
      assert.equal(at('/a', { a: [] }), 'undetermined');
      assert.equal(at('/a/b', { a: 'x' }), 'undetermined');
      assert.equal(at('/a/b', { a: null }), 'undetermined');
    });

    it('[R43] what is only inherited is not there', () => {
      assert.equal(at('/constructor', {}), 'undetermined');
      assert.equal(at('/toString/name', {}), 'undetermined');
    });

    it('[R43] nothing declared: undetermined', () => {
      assert.equal(deriveTargets([], { at: 'x' }, untouched), 'undetermined');
    });

    it('[R43] one of several left out: undetermined, so that nothing matches the rest alone', () => {
      const declarations = [
        { parameter: '/a', kind: 'text' },
        { parameter: '/b', kind: 'path' },
      ] as const;
      assert.equal(deriveTargets(declarations, { a: 'x' }, untouched), 'undetermined');
      assert.deepEqual(deriveTargets(declarations, { a: 'x', b: ['/y', '/z'] }, untouched), [
        { kind: 'text', value: 'x' },
        { kind: 'path', value: '/y' },
        { kind: 'path', value: '/z' },
      ]);
    });
  });
});
