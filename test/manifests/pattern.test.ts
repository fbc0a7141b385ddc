// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { patternFault } from '../../manifests/pattern.ts';

describe('manifests/pattern', () => {
  it('[R20] takes what runs in linear time', () => {
    for (const text of [
      '',
      '^[a-z]+$',
      '^(a+)+$',
      '\\d{4}-\\d{2}',
      '(?:a|b)',
      '(?<year>\\d+)',
      'a{1000}',
      'a{1,1000}',
      '\\\\1',
      '[(?=]',
      '\\(?=',
      '[{9999}]',
      '\\{9999}',
    ]) {
      assert.isUndefined(patternFault(text, 100), text);
    }
  });

  it('[R20] says what it cannot run', () => {
    const faults: [string, RegExp][] = [
      ['(?=a)', /look-around/],
      ['(?!a)', /look-around/],
      ['(?<=a)', /look-around/],
      ['(?<!a)', /look-around/],
      ['(a)\\1', /back-reference/],
      ['(?<n>a)\\k<n>', /back-reference/],
      ['\\\\(a)\\1', /back-reference/],
      ['a{1001}', /repeats/],
      ['a{1,2000}', /repeats/],
      ['[a', /regular expression/],
      ['*', /regular expression/],
      ['a'.repeat(101), /100 characters/],
    ];
    for (const [text, expected] of faults) assert.match(patternFault(text, 100) ?? '', expected, text);
  });
});
