// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { PolicyError } from '../../policy/error.ts';
import { matchesGlob } from '../../policy/glob.ts';
import {
  checkTarget,
  covers,
  type Grant,
  type GrantFacts,
  narrows,
  parseGrantRequest,
  sessionGrant,
} from '../../policy/grant.ts';
import { factsOf, glob, grantOf, POLICY_LIMITS, WANTED } from './grants.ts';

const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    assert.instanceOf(error, PolicyError);
    return `${error.code} ${error.at}`;
  }
  return 'none';
};
const path = (value: string) => ({ kind: 'path', value }) as const;

describe('covers', () => {
  const rows: readonly [
    title: string,
    grant: Partial<Grant>,
    facts: Partial<GrantFacts>,
    covered: boolean,
  ][] = [
    ['all that it names', {}, {}, true],
    ['another process of the same name', {}, { principal: { id: 'agent', name: 'agent' } }, true],
    ['another principal', {}, { principal: { id: 'agent', name: 'agent:pid:7:70' } }, false],
    ['another capability', {}, { capability: 'files.org.example.files.open' }, false],
    ['another definition', {}, { definitionDigest: 'd2' }, false],
    ['the moment it expires', {}, { now: 1000 }, false],
    ['after it expired', {}, { now: 1001 }, false],
    ['a clock that is none', {}, { now: Number.NaN }, false],
    ['a read under a grant to write', {}, { access: 'read' }, true],
    ['a read under a grant to read', { access: 'read' }, { access: 'read' }, true],
    ['a write under a grant to read', { access: 'read' }, {}, false],
    ['another target', {}, { targets: [path('/etc/a')] }, false],
    ['a deeper target', {}, { targets: [path('/tmp/a/b')] }, false],
    ['several targets', {}, { targets: [path('/tmp/a'), path('/tmp/b')] }, true],
    ['several targets of which one is another', {}, { targets: [path('/tmp/a'), path('/etc/b')] }, false],
    ['no target where it names one', {}, { targets: [] }, false],
    ['an undetermined target where it names one', {}, { targets: 'undetermined' }, false],
    ['an undetermined target under any pattern', { target: glob('**') }, { targets: 'undetermined' }, false],
    ['a target where it names none', { target: undefined }, {}, false],
    ['no target where it names none', { target: undefined }, { targets: 'undetermined' }, true],
  ];
  for (const [title, grant, facts, covered] of rows) {
    it(`[R107] ${title}: ${covered ? 'covered' : 'not'}`, () => {
      assert.equal(covers(grantOf(grant), factsOf(facts)), covered);
    });
  }

  const bound = (pointer: string, text: string) => grantOf({ params: [{ pointer, glob: glob(text) }] });
  const params: readonly [pointer: string, text: string, params: unknown, covered: boolean][] = [
    ['/name', 'a*', { name: 'abc' }, true],
    ['/name', 'a*', { name: 'b' }, false],
    ['/name', '**', {}, false],
    ['/name', '**', { name: null }, false],
    ['/name', '**', { name: ['a'] }, false],
    ['/name', '**', { name: { a: 1 } }, false],
    ['/name', '**', 'name', false],
    ['/name', '**', null, false],
    ['/n', '5', { n: 5 }, true],
    ['/n', '5', { n: '5' }, true],
    ['/n', '-0.5', { n: -0.5 }, true],
    ['/n', '[0-9]', { n: 5 }, false],
    ['/on', 'true', { on: true }, true],
    ['/on', 'true', { on: false }, false],
    ['/list/1', 'b', { list: ['a', 'b'] }, true],
    ['/list/length', '**', { list: ['a', 'b'] }, false],
    ['/list/2', '**', { list: ['a', 'b'] }, false],
    ['/a~1b/c~0d', 'x', { 'a/b': { 'c~d': 'x' } }, true],
    ['/toString', '**', {}, false],
    ['/name/length', '**', { name: 'abc' }, false],
    ['name', '**', { name: 'abc' }, false],
  ];
  it('[R107] no text is covered that would take long to compare', () => {
    assert.isTrue(covers(bound('/name', '**'), factsOf({ params: { name: 'a'.repeat(4096) } })));
    assert.isFalse(covers(bound('/name', '**'), factsOf({ params: { name: 'a'.repeat(4097) } })));
  });

  for (const [pointer, text, given, covered] of params) {
    it(`[R107] \`${text}\` for \`${pointer}\` of ${JSON.stringify(given)}: ${covered ? 'covered' : 'not'}`, () => {
      assert.equal(covers(bound(pointer, text), factsOf({ params: given })), covered);
    });
  }

  it('[R107] every parameter that it bounds counts', () => {
    const grant = grantOf({
      params: [
        { pointer: '/a', glob: glob('1') },
        { pointer: '/b', glob: glob('2') },
      ],
    });
    assert.isTrue(covers(grant, factsOf({ params: { a: 1, b: 2, c: 3 } })));
    assert.isFalse(covers(grant, factsOf({ params: { a: 1, b: 3 } })));
  });
});

describe('an answer for the session', () => {
  const facts = factsOf();
  const until = { expiresAt: 1000, reason: 'asked' };
  const grant = sessionGrant('s1', facts, '/tmp/a', until, POLICY_LIMITS);

  it('[R85] is for one connection, label, capability and literal target, and not counted', () => {
    assert.isTrue(covers(grant, facts));
    assert.isUndefined(grant.operations);
    const others: readonly Partial<GrantFacts>[] = [
      { targets: [path('/tmp/b')] },
      { capability: 'files.org.example.files.open' },
      { principal: { id: 'agent:pid:8:80', name: 'agent' } },
      { principal: { id: 'agent', name: 'agent:pid:7:70' } },
      { connection: ':1.8' },
      { session: 'evening' },
      { session: undefined },
      { definitionDigest: 'd2' },
      { now: 1000 },
    ];
    for (const other of others) assert.isFalse(covers(grant, factsOf(other)), JSON.stringify(other));
  });

  it('[R85] without a label is for calls without one', () => {
    const unlabelled = sessionGrant('s1', factsOf({ session: undefined }), '/tmp/a', until, POLICY_LIMITS);
    assert.isTrue(covers(unlabelled, factsOf({ session: undefined })));
    assert.isFalse(covers(unlabelled, facts));
  });

  it('[R85] without a session is nobody’s', () => {
    assert.isFalse(covers({ ...grant, session: undefined }, facts));
    assert.isFalse(covers({ ...grant, session: undefined }, factsOf({ session: undefined })));
  });

  it('[R85] takes its access from what was asked', () => {
    const reading = sessionGrant('s1', factsOf({ access: 'read' }), '/tmp/a', until, POLICY_LIMITS);
    assert.isTrue(covers(reading, factsOf({ access: 'read' })));
    assert.isFalse(covers(reading, facts));
  });

  it('[R85] is for the very text of the target, whatever is in it', () => {
    const character = fc.constantFrom(...'\\*?{},ab/');
    const text = fc.string({ unit: character, minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, text, (target, other) => {
        const { target: pattern } = sessionGrant('s1', facts, target, until, POLICY_LIMITS);
        assert.isDefined(pattern);
        assert.isTrue(pattern !== undefined && matchesGlob(pattern, target));
        assert.equal(pattern !== undefined && matchesGlob(pattern, other), other === target);
      }),
    );
  });
});

describe('parseGrantRequest', () => {
  const parse = (more: object) => parseGrantRequest({ ...WANTED, ...more }, POLICY_LIMITS, 1_000);
  const without = (key: keyof typeof WANTED) => {
    const { [key]: _, ...rest } = WANTED;
    return parseGrantRequest(rest, POLICY_LIMITS, 0);
  };

  it('[R107] reads every field', () => {
    const { target, params, ...rest } = parse({});
    assert.deepEqual(rest, {
      principal: 'agent',
      capability: 'files.org.example.files.trash',
      access: 'write',
      expiresAt: 601_000,
      operations: 3,
      reason: 'tidying up',
    });
    assert.equal(target?.text, '/tmp/*');
    assert.deepEqual(
      params.map(({ pointer, glob: { text } }) => [pointer, text]),
      [['/name', 'a*']],
    );
  });

  it('[R107] needs all but target and parameters', () => {
    for (const key of ['principal', 'capability', 'access', 'minutes', 'operations', 'reason'] as const) {
      assert.equal(
        refusal(() => without(key)),
        `GrantInvalid /${key}`,
      );
    }
    assert.isUndefined(without('target').target);
    assert.deepEqual(without('params').params, []);
  });

  const wrong: readonly [title: string, more: object, at: string][] = [
    ['no operation', { operations: 0 }, '/operations'],
    ['fewer than none', { operations: -1 }, '/operations'],
    ['half an operation', { operations: 1.5 }, '/operations'],
    ['more operations than anybody counts', { operations: 1e20 }, '/operations'],
    ['10001 operations', { operations: 10_001 }, '/operations'],
    ['no time', { minutes: 0 }, '/minutes'],
    ['more than seven days', { minutes: 10_081 }, '/minutes'],
    ['an access that is none', { access: 'system' }, '/access'],
    ['a pattern that is none', { target: '/tmp/{a' }, '/target'],
    ['a target that is no text', { target: 7 }, '/target'],
    ['a target that reaches other hosts', { target: 'https://example.com*' }, '/target'],
    ['a target that no path looks like', { target: '/tmp/../etc/*' }, '/target'],
    ['parameters that are no object', { params: ['/a'] }, '/params'],
    ['a parameter without a pointer', { params: { name: 'a' } }, '/params/name'],
    ['a pattern of a parameter that is none', { params: { '/a': '{' } }, '/params/~1a'],
    ['a pattern of a parameter that is no text', { params: { '/a': 1 } }, '/params/~1a'],
    ['too many parameters', { params: { '/a': '1', '/b': '2', '/c': '3' } }, '/params'],
    ['an unknown field', { decider: 'me' }, '/decider'],
    ['whoever is nobody in particular', { principal: 'unmatched:1000' }, '/principal'],
    ['a single process', { principal: 'agent:pid:7:70' }, '/principal'],
  ];
  for (const [title, more, at] of wrong) {
    it(`[R107] refuses ${title}`, () => {
      assert.equal(
        refusal(() => parse(more)),
        `GrantInvalid ${at}`,
      );
    });
  }

  it('[R104] takes the longest and the most', () => {
    const most = parse({ minutes: 10_080, operations: 10_000, params: { '/b': '2', '/a': '1' } });
    assert.equal(most.expiresAt, 1_000 + 7 * 24 * 60 * 60 * 1000);
    assert.equal(most.operations, 10_000);
    assert.deepEqual(
      most.params.map(({ pointer }) => pointer),
      ['/a', '/b'],
    );
    assert.equal(parse({ access: 'read' }).access, 'read');
    assert.equal(parse({ principal: 'unmatched:1000x', minutes: 1, operations: 1 }).expiresAt, 61_000);
  });

  it('[R104] reads equal bounds alike, in whatever order', () => {
    const pointers = (params: object) => parse({ params }).params.map(({ pointer }) => pointer);
    assert.deepEqual(pointers({ '/a': '1', '/b': '2' }), ['/a', '/b']);
    assert.deepEqual(pointers({ '/b': '2', '/a': '1' }), ['/a', '/b']);
  });

  it('[R71] passes on what is a fault', () => {
    const limits = {
      ...POLICY_LIMITS,
      get maxExpansion(): number {
        throw new RangeError('a fault');
      },
    };
    assert.throws(() => parseGrantRequest(WANTED, limits, 0), RangeError);
  });

  it('says why a pattern is none', () => {
    const error = (() => {
      try {
        parse({ target: '/tmp/{a' });
      } catch (caught) {
        return caught;
      }
      return undefined;
    })();
    assert.instanceOf(error, PolicyError);
    assert.instanceOf(error.cause, PolicyError);
    assert.include(error.message, error.cause.message);
  });
});

describe('checkTarget', () => {
  const targets = [{ parameter: '/path', kind: 'path' }] as const;
  it('[R107] a grant names a target exactly where the capability has one', () => {
    checkTarget({ target: glob('/tmp/*') }, { targets });
    checkTarget({ target: undefined }, { targets: [] });
    assert.equal(
      refusal(() => checkTarget({ target: undefined }, { targets })),
      'GrantInvalid /target',
    );
    assert.equal(
      refusal(() => checkTarget({ target: glob('**') }, { targets: [] })),
      'GrantInvalid /target',
    );
  });
});

describe('narrows', () => {
  const wide = grantOf({ params: [{ pointer: '/name', glob: glob('a*') }] });
  const rows: readonly [title: string, Partial<Grant>, expected: string | true][] = [
    ['the same', {}, true],
    ['a narrower target', { target: glob('/tmp/a*') }, true],
    ['a wider target', { target: glob('/tmp/**') }, '/target'],
    ['no target', { target: undefined }, '/target'],
    ['a narrower parameter', { params: [{ pointer: '/name', glob: glob('ab') }] }, true],
    ['a wider parameter', { params: [{ pointer: '/name', glob: glob('*') }] }, '/params/~1name'],
    ['a parameter let go', { params: [{ pointer: '/other', glob: glob('a') }] }, '/params/~1name'],
    ['a further parameter', { params: [...wide.params, { pointer: '/other', glob: glob('a') }] }, true],
    ['reading only', { access: 'read' }, true],
    ['an earlier end', { expiresAt: 999 }, true],
    ['a later end', { expiresAt: 1001 }, '/minutes'],
    ['an end that is none', { expiresAt: Number.NaN }, '/minutes'],
    ['fewer operations', { operations: 2 }, true],
    ['more operations', { operations: 4 }, '/operations'],
    ['uncounted operations', { operations: undefined }, '/operations'],
    ['another principal', { principal: 'other' }, '/principal'],
    ['another kind', { kind: 'session' }, '/principal'],
    ['a connection of its own', { session: { connection: ':1.7', label: undefined } }, '/principal'],
    ['another capability', { capability: 'files.org.example.files.open' }, '/capability'],
    ['another definition', { definitionDigest: 'd2' }, '/capability'],
  ];
  for (const [title, more, expected] of rows) {
    it(`[R108] ${title}`, () => {
      const found = narrows({ ...wide, ...more }, wide);
      assert.equal(found === true ? found : found.at, expected);
    });
  }

  it('[R108] to write is wider than to read', () => {
    assert.deepEqual(narrows(wide, { ...wide, access: 'read' }), { at: '/access' });
  });

  it('[R108] what has no target has none when narrowed; what is not counted may be', () => {
    const open = { ...wide, target: undefined, operations: undefined };
    assert.isTrue(narrows(open, open));
    assert.deepEqual(narrows(wide, open), { at: '/target' });
    assert.isTrue(narrows({ ...open, operations: 1 }, open));
    assert.deepEqual(narrows(open, { ...open, operations: 1 }), { at: '/operations' });
  });

  it('[R108] an answer for a session stays with it', () => {
    const session = grantOf({ kind: 'session', session: { connection: ':1.7', label: 'a' } });
    const other = { ...session, session: { connection: ':1.7', label: 'b' } };
    assert.isTrue(narrows(session, structuredClone(session)));
    assert.deepEqual(narrows(other, session), { at: '/principal' });
  });

  it('[R108] [R128] takes no longer for many patterns, and what it has not seen is wider', () => {
    const hard = (char: string) => glob(`**${char}${'?'.repeat(150)}`);
    const bounds = (target: string, char: string) =>
      grantOf({ target: glob(target), params: [{ pointer: '/name', glob: hard(char) }] });
    assert.isTrue(narrows(bounds('/tmp/a*', 'a'), bounds('/tmp/*', 'a')));
    assert.deepEqual(narrows(bounds('/tmp/a*', 'a'), bounds('/tmp/*', 'b')), { at: '/params/~1name' });
    const params = (names: readonly string[], text: string) =>
      names.map((name) => ({ pointer: `/${name}`, glob: glob(text) }));
    const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
    const found = narrows(
      grantOf({ params: params(names, 'a{b,c}d*') }),
      grantOf({ params: params(names, 'a*') }),
    );
    assert.notEqual(found, true);
  });

  it('[R108] works on what is only wanted', () => {
    const wanted = parseGrantRequest(WANTED, POLICY_LIMITS, 0);
    assert.isTrue(narrows({ ...wanted, operations: 1 }, wanted));
    assert.deepEqual(narrows({ ...wanted, operations: 4 }, wanted), { at: '/operations' });
  });

  /** Every grant and every invocation of a small world. */
  const GLOBS = [undefined, glob('**'), glob('a*'), glob('{a,b}'), glob('ab'), glob('b')];
  const GRANTS: readonly Grant[] = GLOBS.flatMap((target) =>
    [[], [{ pointer: '/p', glob: glob('*') }], [{ pointer: '/p', glob: glob('1') }]].flatMap((params) =>
      (['read', 'write'] as const).flatMap((access) =>
        [10, 20].flatMap((expiresAt) =>
          [1, undefined].map((operations) => grantOf({ target, params, access, expiresAt, operations })),
        ),
      ),
    ),
  );
  const FACTS: readonly GrantFacts[] = ['a', 'b', 'ab', 'c', undefined].flatMap((value) =>
    [{ p: 1 }, { p: 2 }, {}].flatMap((params) =>
      (['read', 'write'] as const).flatMap((access) =>
        [9, 10, 20].map((now) =>
          factsOf({ targets: value === undefined ? 'undetermined' : [path(value)], params, access, now }),
        ),
      ),
    ),
  );

  it('[R108] is reflexive, and what the narrower covers the wider covers', () => {
    const covered = new Map(GRANTS.map((grant) => [grant, FACTS.map((facts) => covers(grant, facts))]));
    let proper = 0;
    for (const [narrower, some] of covered) {
      assert.isTrue(narrows(narrower, narrower));
      for (const [wider, all] of covered) {
        if (narrows(narrower, wider) !== true) continue;
        proper += narrower === wider ? 0 : 1;
        assert.isFalse(some.some((one, index) => one && all[index] !== true));
      }
    }
    assert.isAbove(proper, 100);
  });

  it('[R108] is transitive', () => {
    const within = GRANTS.map(
      (a) => new Set(GRANTS.flatMap((b, index) => (narrows(a, b) === true ? [index] : []))),
    );
    for (const wider of within) {
      for (const one of wider) for (const other of within[one] ?? []) assert.isTrue(wider.has(other));
    }
  });
});
