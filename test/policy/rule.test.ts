// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { PolicyError } from '../../policy/error.ts';
import { ACTIONS, EFFECTS, parseRule, type Rule, ruleJson } from '../../policy/rule.ts';
import { POLICY_LIMITS } from './grants.ts';

const ROOT = { id: 'r1', source: 'root', mayAllow: true } as const;
const USER = { id: 'u1', source: 'user', mayAllow: false } as const;
const DENY = { effect: 'DENY', reason: 'because' };

const read = (value: unknown, as: Parameters<typeof parseRule>[1] = ROOT): Rule =>
  parseRule(value, as, POLICY_LIMITS);

function refusalOf(value: unknown, as: Parameters<typeof parseRule>[1] = ROOT): PolicyError {
  try {
    read(value, as);
  } catch (error) {
    if (error instanceof PolicyError && error.code === 'RuleInvalid') return error;
    throw error;
  }
  return assert.fail(`${JSON.stringify(value)} was not refused`);
}

const whole = {
  scope: 'agent',
  capability: 'files.org.example.files.trash',
  target: '/home/u/*',
  action: 'write',
  hours: { from: 22, to: 6 },
  effect: 'ALLOW',
  reason: 'at night',
};

describe('parseRule', () => {
  it('[R95] reads every part', () => {
    const { target, ...rest } = read(whole);
    assert.equal(target?.text, '/home/u/*');
    assert.deepEqual(rest, {
      id: 'r1',
      source: 'root',
      scope: 'agent',
      capability: 'files.org.example.files.trash',
      app: undefined,
      action: 'write',
      hours: { from: 22, to: 6 },
      effect: 'ALLOW',
      reason: 'at night',
      specificity: 16,
    });
  });

  it('[R95] what is not named is not limited, and `global` and `*` name nothing', () => {
    for (const value of [DENY, { ...DENY, scope: 'global', capability: '*' }]) {
      const { scope, capability, app, target, action, hours, specificity } = read(value);
      assert.deepEqual([scope, capability, app, target, action, hours], Array(6).fill(undefined));
      assert.equal(specificity, 0);
    }
  });

  it('[R97] weighs scope 8, capability or app 4, target 2, action 1, hours 1: every combination', () => {
    const weights = { scope: 8, capability: 4, target: 2, action: 1, hours: 1 } as const;
    const keys = ['scope', 'capability', 'target', 'action', 'hours'] as const;
    fc.assert(
      fc.property(fc.subarray([...keys]), fc.boolean(), (named, byApp) => {
        const parts = named.map((key): [string, unknown] =>
          key === 'capability' && byApp ? ['app', 'org.example.Files'] : [key, whole[key]],
        );
        const expected = named.reduce((sum, key) => sum + weights[key], 0);
        assert.equal(read({ ...DENY, ...Object.fromEntries(parts) }).specificity, expected);
      }),
    );
  });

  it('[R95] takes every effect and every kind of action', () => {
    for (const effect of EFFECTS) assert.equal(read({ ...DENY, effect }).effect, effect);
    for (const action of ACTIONS) assert.equal(read({ ...DENY, action }).action, action);
    assert.sameMembers([...EFFECTS], ['ALLOW', 'ASK', 'DENY']);
    assert.sameMembers([...ACTIONS], ['read', 'write', 'destructive', 'external', 'system']);
  });

  it('[R95] takes ids as principals, capabilities and apps have them', () => {
    for (const scope of ['agent:pid:12:345', 'unmatched:1000', 'agent-one', 'desk']) {
      assert.equal(read({ ...DENY, scope }).scope, scope);
    }
    for (const capability of ['system.health', 'atspi.org.example.app.main.press.ok-1f', 'a.b2.c_d']) {
      assert.equal(read({ ...DENY, capability }).capability, capability);
    }
    assert.equal(read({ ...DENY, app: 'com.visualstudio.code-oss' }).app, 'com.visualstudio.code-oss');
  });

  it('[R95] its JSON form is read as the same rule', () => {
    const { app: _, ...named } = { ...whole, app: 'org.example.Files' };
    const optional = fc.record(
      {
        scope: fc.constantFrom('global', named.scope),
        capability: fc.constantFrom('*', named.capability),
        target: fc.constantFrom('/home/u/*', '/{a,b}/**'),
        action: fc.constantFrom(...ACTIONS),
        hours: fc.record({ from: fc.nat(23), to: fc.nat(23) }),
        effect: fc.constantFrom(...EFFECTS),
        reason: fc.constant('because'),
      },
      { requiredKeys: ['effect', 'reason'] },
    );
    fc.assert(
      fc.property(optional, fc.boolean(), ({ capability, ...others }, byApp) => {
        const subject = byApp ? { app: 'org.example.Files' } : capability === undefined ? {} : { capability };
        const rule = read({ ...others, ...subject });
        const { id, source, specificity, ...json } = ruleJson(rule);
        assert.deepEqual([id, source, specificity], [rule.id, rule.source, rule.specificity]);
        assert.deepEqual(read(JSON.parse(JSON.stringify(json))), rule);
      }),
    );
  });

  it('the JSON form says what is not limited, and leaves out the rest', () => {
    const form = { id: 'r1', source: 'root', specificity: 0, scope: 'global', capability: '*', ...DENY };
    assert.deepEqual(ruleJson(read(DENY)), form);
    assert.deepEqual(ruleJson(read({ ...DENY, app: 'org.example.Files' })), {
      id: 'r1',
      source: 'root',
      specificity: 4,
      scope: 'global',
      app: 'org.example.Files',
      ...DENY,
    });
  });

  const refused: readonly [title: string, value: unknown, at: string][] = [
    ['what is no object', [], ''],
    ['nothing', null, ''],
    ['an unknown field', { ...DENY, tagret: '/a' }, '/tagret'],
    ['no effect', { reason: 'because' }, '/effect'],
    ['another effect', { ...DENY, effect: 'deny' }, '/effect'],
    ['no reason', { effect: 'DENY' }, '/reason'],
    ['a blank reason', { ...DENY, reason: ' ' }, '/reason'],
    ['a long reason', { ...DENY, reason: 'x'.repeat(501) }, '/reason'],
    ['a scope that is no text', { ...DENY, scope: 7 }, '/scope'],
    ['a scope that no id can be', { ...DENY, scope: 'two words' }, '/scope'],
    ['a scope too long', { ...DENY, scope: 'x'.repeat(256) }, '/scope'],
    ['a capability with a wildcard', { ...DENY, capability: 'files.*' }, '/capability'],
    ['a capability that no id can be', { ...DENY, capability: 'Files.Open' }, '/capability'],
    ['a capability of one part', { ...DENY, capability: 'files' }, '/capability'],
    ['a capability behind something', { ...DENY, capability: ' a.b' }, '/capability'],
    ['a capability before something', { ...DENY, capability: 'a.b/' }, '/capability'],
    ['a capability that is no text', { ...DENY, capability: null }, '/capability'],
    ['an app that no id can be', { ...DENY, app: '../x' }, '/app'],
    ['an app that is no text', { ...DENY, app: 7 }, '/app'],
    ['app and capability', { ...DENY, app: 'org.example.Files', capability: 'a.b' }, '/app'],
    ['app and every capability', { ...DENY, app: 'org.example.Files', capability: '*' }, '/app'],
    ['an empty target', { ...DENY, target: '' }, '/target'],
    ['a target that is no text', { ...DENY, target: ['/a'] }, '/target'],
    ['a target that is no glob', { ...DENY, target: '{a' }, '/target'],
    ['a target too long', { ...DENY, target: 'x'.repeat(201) }, '/target'],
    ['[R128] a target that stands for too much', { ...DENY, target: '{a,b}'.repeat(7) }, '/target'],
    ['[R64] a target that no path is', { ...DENY, target: '/a/../b' }, '/target'],
    ['[R64] a target that no URL is', { ...DENY, target: 'ftp://x/' }, '/target'],
    ['an unknown action', { ...DENY, action: 'network' }, '/action'],
    ['hours that are no object', { ...DENY, hours: '22-6' }, '/hours'],
    ['hours with more', { ...DENY, hours: { from: 1, to: 2, zone: 'UTC' } }, '/hours/zone'],
  ];
  for (const [title, value, at] of refused) {
    it(`[R95] refuses ${title}`, () => assert.equal(refusalOf(value).at, at));
  }

  const hours: readonly [from: unknown, to: unknown, at: string][] = [
    [25, 6, '/hours/from'],
    [24, 6, '/hours/from'],
    [-1, 5, '/hours/from'],
    [9, 25, '/hours/to'],
    [9.5, 17, '/hours/from'],
    ['nine', 17, '/hours/from'],
    [Number.NaN, 17, '/hours/from'],
    [9, undefined, '/hours/to'],
    [undefined, 9, '/hours/from'],
    [9, null, '/hours/to'],
  ];
  for (const [from, to, at] of hours) {
    it(`[R95] refuses hours from ${from} to ${to}`, () => {
      for (const effect of EFFECTS) {
        assert.equal(refusalOf({ ...DENY, effect, hours: { from, to } }).at, at);
      }
    });
  }

  it('[R95] an inherited field is no field', () => {
    assert.equal(refusalOf(Object.create(DENY)).at, '/effect');
  });

  it('a fault of the reader stays one, and is no refusal', () => {
    const limits = Object.defineProperty({ ...POLICY_LIMITS }, 'maxExpansion', {
      get: () => {
        throw new RangeError('a fault');
      },
    });
    assert.throws(() => parseRule({ ...DENY, target: '/a' }, ROOT, limits), RangeError);
  });

  it('[R102] a user may tighten and never allow', () => {
    const { at, message } = refusalOf({ ...DENY, effect: 'ALLOW' }, USER);
    assert.equal(at, '/effect');
    assert.match(message, /`ASK` or `DENY`/);
    for (const effect of ['ASK', 'DENY']) assert.equal(read({ ...DENY, effect }, USER).source, 'user');
  });

  it('whatever comes in is a rule or refused with a place', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        assert.isString(refusalOf(value).at);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(whole)), fc.anything(), (key, value) => {
        try {
          read({ ...whole, [key]: value });
        } catch (error) {
          assert.instanceOf(error, PolicyError);
        }
      }),
    );
  });
});
