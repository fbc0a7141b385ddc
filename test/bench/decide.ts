// SPDX-License-Identifier: Apache-2.0
// What a decision costs among many rules, and beside Cedar on the nearest policy that Cedar can say. `node test/bench/decide.ts`.
//
// Not equivalent, so that both are asked only what both can say: Cedar has no specificity (its `forbid` always wins), no
// ASK, no floors of the administrator, and names neither what else matched nor what would change; its `like` knows one
// wildcard, our `**`. The rules for the comparison are such that no ALLOW outranks a DENY, and both must agree on each
// question whether it is allowed. Cedar gets a parsed policy set and no entities, and its answer crosses from WebAssembly.
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
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
function withTwentyMatching(): void {
  const few = everyWords(LIMITS.maxRules - MOST_MATCHING);
  const same = { capability: capability(0), effect: 'ALLOW' } as const;
  const globs = [
    '/home/**',
    '/home/*/folder0/**',
    '/home/somebody/{folder0,folder1}/**',
    '/**/notes/*',
    '**.txt',
  ];
  const many = Array.from({ length: MOST_MATCHING - 1 }, (_, index) => ({
    ...same,
    target: globs[index % globs.length] ?? '',
  }));
  const [first] = questions(ruleSet([...few, ...many, ...few.slice(0, 1)]));
  if (first === undefined) throw new Error('there is no question');
  const asked = { ...first, targets: [{ kind: 'path', value: `${folder(0)}/notes/b.txt` } as const] };
  const matching = decide(asked).consideredCount;
  const taken = times([asked], decide, 20_000);
  row(
    `${LIMITS.maxRules} rules, ${matching} match one question`,
    shown(taken),
    'p99 under 50 us',
    quantile(taken, 0.99) < 50,
  );
}

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

function besideCedar(count: number): void {
  const all = everyWords(count);
  const parsed = preparsePolicySet('bench', { staticPolicies: all.map(cedarPolicy).join('\n') });
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors[0]));
  const ours = questions(ruleSet(all));
  const theirs = ours.map(({ principal, capability: { id, appId }, targets, localHour }) => ({
    principal: { type: 'Principal', id: principal.id },
    action: { type: 'Action', id },
    resource: { type: 'App', id: appId ?? '' },
    context: {
      target: targets === 'undetermined' ? '' : (targets[0]?.value ?? ''),
      hour: localHour,
      access: 'write',
    },
    preparsedPolicySetId: 'bench',
    entities: [],
  }));
  const isAllowed = (call: (typeof theirs)[number]): boolean => {
    const answer = statefulIsAuthorized(call);
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors[0]));
    return answer.response.decision === 'allow';
  };
  const allowed = ours.filter((one, index) => {
    const [call] = theirs.slice(index, index + 1);
    const effect = decide(one).effect === 'allow';
    if (call !== undefined && isAllowed(call) !== effect)
      throw new Error(`not one opinion: ${JSON.stringify(call)}`);
    return effect;
  });
  const [own, cedar] = [times(ours, decide, 5), times(theirs, isAllowed, 1)];
  process.stdout.write(`asked about ${ours.length}, of which ${allowed.length} are allowed by both\n`);
  row(`${count} rules, this policy`, shown(own), '', true);
  row(`${count} rules, Cedar, parsed before`, shown(cedar), '', true);
  const ratio = quantile(cedar, 0.5) / quantile(own, 0.5);
  row('Cedar takes longer (p50)', `${ratio.toFixed(1)} times`, 'at least 10 times', ratio >= 10);
}

amongMany();
withTwentyMatching();
besideCedar(1000);
