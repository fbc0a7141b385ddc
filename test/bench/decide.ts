// SPDX-License-Identifier: Apache-2.0
// What a decision costs among many rules, and beside Cedar on the nearest policy that Cedar can say. `node test/bench/decide.ts`.
//
// Not equivalent, so that both are asked only what both can say: Cedar has no specificity (its `forbid` always wins), no
// ASK, no floors of the administrator, and names neither what else matched nor what would change; its `like` knows one
// wildcard, our `**`. The rules for the comparison are such that no ALLOW outranks a DENY, and both must agree on each
// question whether it is allowed. Cedar gets a parsed policy set, a parsed schema in one of two rows, and no entities to
// parse; what is asked and its answer cross into WebAssembly and back, as they do for whoever uses it from here.
import { preparsePolicySet, preparseSchema, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { classify } from '../../policy/classify.ts';
import { decide, type Question } from '../../policy/decide.ts';
import { parseRule, type Rule } from '../../policy/rule.ts';
import { RuleSet } from '../../policy/rule-set.ts';
import { declaring } from '../policy/capabilities.ts';
import { question } from '../policy/questions.ts';
import { quantile, row } from './quantiles.ts';

const LIMITS = {
  maxRules: 10_000,
  maxGlobLength: 1024,
  maxExpansion: 1000,
  maxReason: 500,
  maxId: 255,
  maxText: 1000,
  maxTexts: 20,
  maxParamBounds: 16,
};
const CAPABILITIES = 1000;
const MOST_MATCHING = 20;

interface Words {
  readonly scope?: string;
  readonly capability: string;
  readonly target?: string;
  readonly action?: 'write';
  readonly hours?: { readonly from: number; readonly to: number };
  readonly effect: 'ALLOW' | 'ASK' | 'DENY';
}

const capability = (index: number): string => `files.org.example.app${index % 100}.act${index}`;
const folder = (index: number): string => `/home/somebody/folder${index % 7}`;

/** The n-th rule about the capability: most about some folder, some about one principal or some hours. */
function words(about: number, nth: number): Words {
  const rule = { capability: capability(about), action: 'write' } as const;
  switch (nth % 5) {
    case 0:
      return { ...rule, target: `${folder(nth)}/**`, effect: 'ALLOW' };
    case 1:
      return { ...rule, target: `${folder(nth)}/private/**`, scope: 'agent', effect: 'DENY' };
    case 2:
      return { ...rule, target: '/home/somebody/**', effect: 'ALLOW' };
    case 3:
      return { ...rule, scope: `other${nth}`, effect: 'DENY' };
    default:
      return { ...rule, scope: 'agent', target: '/home/**', hours: { from: 22, to: 6 }, effect: 'DENY' };
  }
}

/** `count` rules, ten for each of the first capabilities. */
function everyWords(count: number): readonly Words[] {
  return Array.from({ length: count }, (_, index) => words(Math.floor(index / 10), index % 10));
}

const ruleSet = (all: readonly Words[]): RuleSet =>
  RuleSet.of(
    all.map(
      (one, index): Rule =>
        parseRule(
          { ...one, reason: 'because' },
          { id: `r${index}`, source: 'person', mayAllow: true },
          LIMITS,
        ),
    ),
    [],
  );

const WRITE = classify(declaring({ sideEffects: 'write' }), 'standard');

/** About the capabilities that there are rules for, in turn, in and beside private folders, around the clock. */
function questions(rules: RuleSet): readonly Question[] {
  const about = rules.rules.length / 10;
  return Array.from({ length: 2000 }, (_, index) => {
    const place = index % 4 === 0 ? `${folder(index)}/private/a.txt` : `${folder(index)}/notes/b${index}.txt`;
    return question({
      rules,
      principal: { id: 'agent', name: 'agent' },
      capability: { id: capability(index % about), appId: `org.example.app${index % 100}`, tier: 1 },
      classification: WRITE,
      targets: [{ kind: 'path', value: place }],
      localHour: index % 24,
    });
  });
}

/** Microseconds of each call, after as many that do not count. */
function times<T>(asked: readonly T[], answer: (one: T) => unknown, rounds: number): readonly number[] {
  const taken: number[] = [];
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const one of asked) {
      const start = process.hrtime.bigint();
      answer(one);
      const end = process.hrtime.bigint();
      if (round >= rounds) taken.push(Number(end - start) / 1000);
    }
  }
  return taken;
}

const shown = (taken: readonly number[]): string =>
  `p50 ${quantile(taken, 0.5).toFixed(1)} us, p99 ${quantile(taken, 0.99).toFixed(1)} us`;

function amongMany(): void {
  const all = questions(ruleSet(everyWords(LIMITS.maxRules)));
  const matching = Math.max(...all.map((one) => decide(one).consideredCount));
  if (matching > MOST_MATCHING) throw new Error(`${matching} rules match one question`);
  const taken = times(all, decide, 20);
  const what = `${LIMITS.maxRules} rules, ${CAPABILITIES} capabilities, up to ${matching} match`;
  row(what, shown(taken), 'p99 under 50 us', quantile(taken, 0.99) < 50);
}

/** A question of which as many rules match as there may be, which the spread above does not come to. */
function withMostMatching(what: string, globs: readonly string[]): void {
  const { capability: asked, targets, ...more } = question({ classification: WRITE });
  const about = Array.from({ length: MOST_MATCHING }, (_, index): Words => {
    const [target = '**'] = globs.slice(index % globs.length);
    return { capability: asked.id, effect: 'ALLOW', target };
  });
  const rules = ruleSet([...everyWords(LIMITS.maxRules - MOST_MATCHING), ...about]);
  const value = `${folder(0)}/notes/b.txt`;
  const one = { ...more, capability: asked, rules, targets: [{ kind: 'path', value } as const] };
  const { consideredCount } = decide(one);
  if (consideredCount !== MOST_MATCHING)
    throw new Error(`${consideredCount} rules match, not ${MOST_MATCHING}`);
  const taken = times([one], decide, 20_000);
  row(
    `${LIMITS.maxRules} rules, ${consideredCount} match, ${what}`,
    shown(taken),
    'p99 under 50 us',
    quantile(taken, 0.99) < 50,
  );
}

/** Most globs have one wildcard; those with more, or with braces, have to be walked through. */
const USUAL = [
  '/home/somebody/**',
  `${folder(0)}/**`,
  `${folder(0)}/notes/*`,
  '/home/**',
  '/home/*/folder0/**',
];
const WALKED = ['/home/*/folder0/**', '/home/somebody/{folder0,folder1}/**', '/**/notes/*', '**/b.???'];

function cedarPolicy({ scope, capability: about, target, hours, effect }: Words): string {
  const principal = scope === undefined ? 'principal' : `principal == Principal::"${scope}"`;
  const when = [
    ...(target === undefined ? [] : [`context.target like "${target.replaceAll('**', '*')}"`]),
    ...(hours === undefined ? [] : [`(context.hour >= ${hours.from} || context.hour < ${hours.to})`]),
    'context.access == "write"',
  ];
  const head = effect === 'ALLOW' ? 'permit' : 'forbid';
  return `${head}(${principal}, action == Action::"${about}", resource) when { ${when.join(' && ')} };`;
}

interface CedarCall {
  readonly principal: { readonly type: string; readonly id: string };
  readonly action: { readonly type: string; readonly id: string };
  readonly resource: { readonly type: string; readonly id: string };
  readonly context: Record<string, string | number>;
}

function cedarCall({ principal, capability: { id, appId }, targets, localHour }: Question): CedarCall {
  const [target] = targets === 'undetermined' ? [] : targets;
  return {
    principal: { type: 'Principal', id: principal.id },
    action: { type: 'Action', id },
    resource: { type: 'App', id: appId ?? '' },
    context: { target: target?.value ?? '', hour: localHour, access: 'write' },
  };
}

function cedarSchema(capabilities: readonly string[]): string {
  const actions = capabilities.map((id) => `"${id}"`).join(', ');
  const context = '{ target: String, hour: Long, access: String }';
  return `entity Principal; entity App; action ${actions} appliesTo { principal: Principal, resource: App, context: ${context} };`;
}

const isAllowedBy =
  (schema: { readonly preparsedSchemaName?: string }) =>
  (call: CedarCall): boolean => {
    const answer = statefulIsAuthorized({ ...call, ...schema, preparsedPolicySetId: 'bench', entities: [] });
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors[0]));
    return answer.response.decision === 'allow';
  };

function besideCedar(count: number): void {
  const all = everyWords(count);
  const ours = questions(ruleSet(all));
  const theirs = ours.map(cedarCall);
  const schema = cedarSchema([...new Set(ours.map(({ capability: { id } }) => id))]);
  for (const parsed of [
    preparsePolicySet('bench', { staticPolicies: all.map(cedarPolicy).join('\n') }),
    preparseSchema('bench', schema),
  ]) {
    if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors[0]));
  }
  const [bare, withSchema] = [isAllowedBy({}), isAllowedBy({ preparsedSchemaName: 'bench' })];
  const opinions = theirs.map(bare);
  const allowed = ours.map((one) => decide(one).effect === 'allow');
  const differing = allowed.findIndex((one, index) => one !== opinions[index]);
  if (differing >= 0) throw new Error(`not of one opinion about ${JSON.stringify(theirs[differing])}`);
  process.stdout.write(`${count} rules: both allow ${allowed.filter(Boolean).length} of ${ours.length}\n`);
  const own = times(ours, decide, 5);
  const cedar = [bare, withSchema].map((answer) => times(theirs.slice(0, 300), answer, 1));
  const best = Math.min(...cedar.map((taken) => quantile(taken, 0.5)));
  const ratio = best / quantile(own, 0.5);
  process.stdout.write(`this policy ${shown(own)}; Cedar ${cedar.map(shown).join('; with a schema ')}\n`);
  row(
    'Cedar’s faster way, p50 to p50',
    `${ratio.toFixed(1)} times as long`,
    'at least 10 times',
    ratio >= 10,
  );
}

amongMany();
withMostMatching('usual globs', USUAL);
withMostMatching('worst case: all walked', WALKED);
besideCedar(1000);
