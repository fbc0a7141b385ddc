// SPDX-License-Identifier: Apache-2.0
import type { Classification, Gate } from '../../policy/classify.ts';
import type { Decision, Question } from '../../policy/decide.ts';
import type { Rule, RuleEffect } from '../../policy/rule.ts';
import { EMPTY_RULES, RuleSet } from '../../policy/rule-set.ts';
import type { Targets } from '../../policy/target.ts';
import { glob } from './grants.ts';
import { rule } from './rules.ts';

export const GATES = ['automatic', 'ask', 'confirm'] as const;
export const EFFECTS: readonly RuleEffect[] = ['ALLOW', 'ASK', 'DENY'];
export const SOURCES = ['root', 'person', 'user'] as const;

export const CAPABILITY = 'files.org.example.files.trash';
export const APP = 'org.example.Files';

export const classification = (access: 'read' | 'write', gate: Gate): Classification => ({
  sideEffects: access,
  access,
  network: 'local',
  gate,
  risk: 'low',
  level: 'public',
});

/** An agent asks something harmless of an app that nothing is said against. */
export const question = (more: Partial<Question> = {}): Question => ({
  principal: { id: 'agent:pid:7:70', name: 'agent' },
  capability: { id: CAPABILITY, appId: APP, tier: 1 },
  targets: paths('/home/u/a'),
  localHour: 9,
  rules: EMPTY_RULES,
  classification: classification('read', 'automatic'),
  profile: 'standard',
  provider: { bound: true, signed: true },
  requireApproval: false,
  locked: false,
  enabled: true,
  takenBackByPerson: false,
  suspended: false,
  sessionLocked: false,
  allowedWhileLocked: [],
  deniedForSession: false,
  ...more,
});

export const paths = (...values: readonly string[]): Targets =>
  values.map((value) => ({ kind: 'path', value }));

export const ruleSet = (...rules: readonly Rule[]): RuleSet => RuleSet.of(rules, []);

/** From what runs to what does not. */
export const strictness = ({ effect }: Pick<Decision, 'effect'>): number =>
  ['allow', 'ask', 'deny'].indexOf(effect);

/**
 * One rule of every kind that matters to a decision: whom and what it names, whether and where it has a target, what it
 * says and who made it. 'other' names match nothing that `question` asks.
 */
export const EVERY_RULE: readonly Rule[] = [undefined, 'agent', 'other'].flatMap((scope) =>
  [{}, { capability: CAPABILITY }, { app: APP }, { app: 'org.example.Other' }].flatMap((subject) =>
    [undefined, '/home/**', '/home/u/*', '/etc/**'].flatMap((target) =>
      EFFECTS.flatMap((effect) =>
        SOURCES.filter((source) => source !== 'user' || effect !== 'ALLOW').map((source) =>
          rule(`${scope ?? ''}/${JSON.stringify(subject)}/${target ?? ''}/${effect}/${source}`, {
            scope,
            ...subject,
            target: target === undefined ? undefined : glob(target),
            effect,
            source,
          }),
        ),
      ),
    ),
  ),
);

/** One target in either place, several, and none that is known. */
export const EVERY_TARGETS: readonly Targets[] = [
  paths('/home/u/a'),
  paths('/home/v/b'),
  paths('/etc/passwd'),
  paths('/home/u/a', '/etc/passwd'),
  paths('/home/v/b', '/home/u/a'),
  'undetermined',
];
