// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { PolicyError } from '../../policy/error.ts';
import { matchesGlob } from '../../policy/glob.ts';
import { deriveTargets } from '../../policy/target.ts';
import { refuseUnlikeTargets } from '../../policy/target-glob.ts';
import { glob } from './grants.ts';

/** Why the glob is refused; undefined where it is not. */
function refusalOf(text: string): string | undefined {
  const parsed = glob(text);
  try {
    refuseUnlikeTargets(parsed);
    return undefined;
  } catch (error) {
    if (!(error instanceof PolicyError) || error.code !== 'GlobInvalid') throw error;
    return error.message;
  }
}

describe('refuseUnlikeTargets', () => {
  const refused: readonly [title: string, globs: readonly string[], words: RegExp][] = [
    [
      'climbing',
      ['/a/../b', '/a/..', '/..', '/*/../x', '/a/{b,..}', '/a/{b,../c}', '/a{/..,}/b'],
      /a path has no/,
    ],
    ['standing still', ['/a/./b', '/a/.', '/.', '/{.,a}/b', '/a/.{/b,c}'], /a path has no/],
    ['doubled slashes', ['//a', '/a//b', '/a/{/b,c}', '/a{/,}/b', '/**//b'], /a path has no/],
    ['a slash at the end', ['/a/', '/a/{b/,c}', '/a/{,b}', '/*/', '/a/\\/'], /no `\/` at its end/],
    ['a home that nobody resolves', ['~', '~/x', '~/**'], /stands for no directory/],
    ['other schemes', ['ftp://x/', 'file:///x', 'HTTPS://x/', '://x/', 'httpss://x/'], /starts with `http:/],
    ['no host', ['https:///x', 'http://{/x,y/}'], /has a host/],
    [
      'capitals in the host',
      ['https://Example.org/', 'https://{a,B}.org/**', 'https://a.ORG/'],
      /lower case/,
    ],
    [
      'what no host holds',
      [
        'https://ü.org/',
        'https://a@b/',
        'https://a#/',
        'https://a\\?/',
        'https://a%41/',
        'https://a b/',
        'https://a\0/',
        'https://a\\\\/',
      ],
      /lower case/,
    ],
    [
      'a host left open',
      [
        'https://x',
        'https://x*',
        'https://x**',
        'https://**',
        'https://**.x/',
        'https://x{/,}',
        'https://x?',
      ],
      /names its host up to/,
    ],
    [
      'the usual port',
      ['https://x:443/', 'http://x:80/**', 'https://*:443/', 'https://x{:443,}/'],
      /usual port/,
    ],
    [
      'empty parts of the host',
      ['https://x./', 'https://x.:8443/**', 'https://x..org/', 'https://{x.,y}/', 'https://*./'],
      /no empty parts/,
    ],
    [
      'what a URL percent-encodes',
      ['https://x/ü', 'https://x/a b', 'https://x/{a,"}', 'https://x/\\\\', 'https://x/<*', 'https://x/…'],
      /such characters percent-encoded/,
    ],
    [
      'what a URL does not percent-encode, or otherwise',
      [
        'https://x/%70rivate/**',
        'https://x/%7E',
        'https://x/%2f',
        'https://x/%2{0,d}',
        'https://x/%{20,41}',
        'https://x/%',
        'https://x/%2',
        'https://x/%2/*',
        'https://x/%zz',
        'https://x/%a*',
        'https://x/%/*',
        'https://x/100%{,25}',
      ],
      /two hex digits in capitals/,
    ],
    [
      'climbing in a URL',
      ['https://x/a/../b', 'https://x/a/./**', 'https://x/..', 'https://x/a/{.,b}', 'https://*/../**'],
      /no `.` or `..` between/,
    ],
  ];
  for (const [title, globs, words] of refused) {
    it(`[R95] [R64] refuses ${title}`, () => {
      for (const text of globs) assert.match(refusalOf(text) ?? 'nothing', words, text);
    });
  }

  it('[R95] takes what targets look like', () => {
    const taken = [
      '/',
      '/**',
      '/*',
      '/a/*',
      '/a/.hidden',
      '/a/..b',
      '/a/...',
      '/a/b.',
      '/a/?',
      '/{a,b}',
      '/a{,/b}',
      '/a.',
    ];
    const urls = [
      'https://x/',
      'http://x/**',
      'https://*/**',
      'https://*.x.org/a//b/..c',
      'https://x/%20/%C3%BC/100%25',
      'https://x/%{20,C3%BC,2*,?0}**',
      'https://x/%*',
      'https://x/%?',
      'https://x:8443/',
      'https://x:80/',
      'http://x:443/',
      'https://{a,b}.org/',
      'http{,s}://X',
      'https://[\\:\\:1]/',
      'https://xn--tda.org/A',
      'https://x?/',
    ];
    const others = [
      'nginx.service',
      'org.example.*',
      '**',
      '*',
      'any text // at all/',
      'a:b',
      '~user',
      'x~/y',
    ];
    for (const text of [...taken, ...urls, ...others]) assert.isUndefined(refusalOf(text), text);
  });

  const segment = fc.constantFrom('a', '.', '..', '', 'b.', '*', '**', '?', '{a,..}', '{,b}');

  it('[R95] [R64] what is refused of a path without wildcards matches no path there is, and the rest is one', () => {
    const literal = fc.array(fc.constantFrom('a', '.', '..', '', 'b.', '...'), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(literal, (segments) => {
        const path = `/${segments.join('/')}`;
        const isCanonical = path === '/' || segments.every((one) => !['', '.', '..'].includes(one));
        assert.equal(refusalOf(path) === undefined, isCanonical, path);
      }),
    );
  });

  it('[R95] [R64] what is taken of a path glob matches some path there is, in each of its spellings', () => {
    const paths = ['a', 'b', 'b.', 'c'].flatMap((one) => [
      `/${one}`,
      ...['a', 'b', 'b.', 'c'].flatMap((two) => [
        `/${one}/${two}`,
        `/${one}/${two}/a`,
        `/${one}/${two}/b.`,
        `/${one}/${two}/c`,
      ]),
    ]);
    for (const path of paths) {
      const declaration = { parameter: '/path', kind: 'path' } as const;
      assert.deepEqual(
        deriveTargets([declaration], { path }, (same) => same),
        [{ kind: 'path', value: path }],
      );
    }
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), (segments) => {
        const text = `/${segments.join('/')}`;
        fc.pre(refusalOf(text) === undefined && text !== '/');
        assert.isTrue(
          paths.some((path) => matchesGlob(glob(text), path)),
          text,
        );
      }),
    );
  });
});
