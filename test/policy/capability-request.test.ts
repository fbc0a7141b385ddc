// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { parseCapabilityRequest } from '../../policy/capability-request.ts';
import { PolicyError } from '../../policy/error.ts';
import { POLICY_LIMITS } from './grants.ts';

const LEAST = {
  capability: 'files.org.example.files.trash',
  access: 'write' as const,
  minutes: 10,
  operations: 3,
  reason: 'tidying up',
};
const MOST = {
  ...LEAST,
  target: '/tmp/*',
  params: { '/name': 'a*' },
  evidence: ['the disk is full', 'nobody opened them'],
  risk: 'one may be wanted',
  mitigation: 'the newest stay',
  fallback: 'asking each time',
  alternatives: ['compressing them'],
  intention: 'tidy-1',
};
const parse = (value: unknown) => parseCapabilityRequest(value, POLICY_LIMITS);
const place = (value: unknown): string => {
  try {
    parse(value);
  } catch (error) {
    assert.instanceOf(error, PolicyError);
    return `${error.code} ${error.at}`;
  }
  return 'none';
};

describe('parseCapabilityRequest', () => {
  it('[R104] reads every field', () => {
    const { target, params, ...rest } = parse(MOST);
    const { target: _target, params: _params, ...expected } = MOST;
    assert.deepEqual(rest, expected);
    assert.equal(target?.text, '/tmp/*');
    assert.deepEqual(
      params.map(({ pointer, glob }) => [pointer, glob.text]),
      [['/name', 'a*']],
    );
  });

  it('[R104] needs what bounds the grant, and why', () => {
    for (const key of Object.keys(LEAST)) {
      const rest = Object.fromEntries(Object.entries(LEAST).filter(([name]) => name !== key));
      assert.equal(place(rest), `RequestInvalid /${key}`);
    }
    const { target, params, evidence, risk, mitigation, fallback, alternatives, intention } = parse(LEAST);
    assert.deepEqual([evidence, params, alternatives], [[], [], []]);
    assert.deepEqual([target, risk, mitigation, fallback, intention], Array(5).fill(undefined));
  });

  const long = 'x'.repeat(51);
  const wrong: readonly [title: string, more: object, at: string][] = [
    ['a request for somebody', { principal: 'other' }, '/principal'],
    ['more than seven days', { minutes: 10_081 }, '/minutes'],
    ['a count that is none', { operations: 1.5 }, '/operations'],
    ['an access that is none', { access: 'any' }, '/access'],
    ['a pattern that is none', { target: '{' }, '/target'],
    ['a pattern of a parameter that is none', { params: { '/a': '{' } }, '/params/~1a'],
    ['a blank reason', { reason: ' ' }, '/reason'],
    ['a reason that is too long', { reason: 'x'.repeat(501) }, '/reason'],
    ['evidence that is no list', { evidence: 'x' }, '/evidence'],
    ['too much evidence', { evidence: ['a', 'b', 'c'] }, '/evidence'],
    ['evidence that is too long', { evidence: ['a', long] }, '/evidence/1'],
    ['a risk that is too long', { risk: long }, '/risk'],
    ['a mitigation that is too long', { mitigation: long }, '/mitigation'],
    ['a fallback that is too long', { fallback: long }, '/fallback'],
    ['an alternative that is too long', { alternatives: [long] }, '/alternatives/0'],
    ['an intention that is too long', { intention: 'x'.repeat(256) }, '/intention'],
    ['a capability that is too long', { capability: 'x'.repeat(256) }, '/capability'],
  ];
  for (const [title, more, at] of wrong) {
    it(`[R104] refuses ${title}`, () => {
      assert.equal(place({ ...MOST, ...more }), `RequestInvalid ${at}`);
    });
  }
});
