// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { FORMATS } from '../../manifests/format.ts';

const CASES: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ['2026-11-30', '2024-02-29'],
    bad: ['', '2026-02-30', '2023-02-29', '2026-13-01', '26-11-30', '2026-11-30T'],
  },
  'date-time': {
    good: ['2026-11-30T12:00:00Z', '2026-11-30t12:00:00.123+01:00'],
    bad: [
      '',
      '2026-11-30',
      '2026-11-30 12:00:00Z',
      '2026-11-30T12:00:00',
      '2026-11-30T24:00:00Z',
      '2026-02-30T12:00:00Z',
    ],
  },
  time: {
    good: ['00:00:00Z', '23:59:59.9-12:30'],
    bad: ['', '24:00:00Z', '12:00Z', '12:00:00', '12:60:00Z', '12:00:00+24:00'],
  },
  email: {
    good: ['a@b.example', "o'x+tag@localhost"],
    bad: ['', 'a', '@b', 'a@', 'a b@c', 'a@b@c d', 'a@-b', `${'a'.repeat(65)}@b`],
  },
  hostname: {
    good: ['a', 'a-b.example', '1.2'],
    bad: ['', '-a', 'a-', 'a..b', 'ä.de', `${'a'.repeat(64)}`, `${'a.'.repeat(130)}a`],
  },
  ipv4: { good: ['127.0.0.1'], bad: ['', '127.1', '256.0.0.1', '01.2.3.4'] },
  ipv6: { good: ['::1', '2001:db8::1'], bad: ['', ':::', '127.0.0.1', 'fe80::1%eth0'] },
  uri: {
    good: ['https://a.example/b?c#d', 'mailto:a@b', 'urn:x:y'],
    bad: ['', 'a', '//a', 'http:// a', 'http://a b', 'http://a\n', 'http://[', 'https://ä.de/'],
  },
  uuid: {
    good: ['123e4567-e89b-12d3-a456-426614174000'],
    bad: ['', '123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-42661417400g'],
  },
};

describe('manifests/format', () => {
  it('covers every format of the dialect', () => assert.sameMembers(Object.keys(CASES), [...FORMATS.keys()]));

  for (const [name, { good, bad }] of Object.entries(CASES)) {
    it(`[R20] \`${name}\` takes what it names and nothing else`, () => {
      for (const text of good) assert.isTrue(FORMATS.get(name)?.(text), text);
      for (const text of bad) assert.isFalse(FORMATS.get(name)?.(text), text);
    });

    it(`\`${name}\` takes no longer than the text does`, () => {
      for (const unit of ['a', '1', '-', '.', '@', ':', '0:', 'a@', '%41', '1-']) {
        // Half a million characters: a check that backtracks would not come back.
        assert.isBoolean(FORMATS.get(name)?.(`${unit.repeat(500_000 / unit.length)}!`));
      }
    });
  }
});
