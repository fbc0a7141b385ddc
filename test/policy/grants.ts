// SPDX-License-Identifier: Apache-2.0
import { type Glob, parseGlob } from '../../policy/glob.ts';
import type { Grant, GrantFacts } from '../../policy/grant.ts';
import type { PolicyLimits } from '../../policy/limits.ts';

export const POLICY_LIMITS: PolicyLimits = {
  maxRules: 100,
  maxGlobLength: 200,
  maxExpansion: 100,
  maxReason: 500,
  maxId: 255,
  maxText: 50,
  maxTexts: 2,
  maxParamBounds: 2,
};

export const glob = (text: string): Glob => parseGlob(text, POLICY_LIMITS);

/** What a grant can be asked for with. */
export const WANTED = {
  principal: 'agent',
  capability: 'files.org.example.files.trash',
  target: '/tmp/*',
  params: { '/name': 'a*' },
  access: 'write',
  minutes: 10,
  operations: 3,
  reason: 'tidying up',
} as const;

export const grantOf = (more: Partial<Grant> = {}): Grant => ({
  id: 'g1',
  kind: 'scoped',
  principal: 'agent',
  capability: WANTED.capability,
  definitionDigest: 'd1',
  target: glob('/tmp/*'),
  params: [],
  access: 'write',
  expiresAt: 1000,
  operations: 3,
  reason: 'tidying up',
  session: undefined,
  ...more,
});

export const factsOf = (more: Partial<GrantFacts> = {}): GrantFacts => ({
  principal: { id: 'agent:pid:7:70', name: 'agent' },
  connection: ':1.7',
  session: 'morning',
  capability: WANTED.capability,
  definitionDigest: 'd1',
  targets: [{ kind: 'path', value: '/tmp/a' }],
  params: { name: 'a' },
  access: 'write',
  now: 999,
  ...more,
});
