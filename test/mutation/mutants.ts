// SPDX-License-Identifier: Apache-2.0

/** One small change of a source text. */
export interface Mutant {
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The whole text with the change in it. */
  readonly text: string;
}

const GATES = ["'automatic'", "'ask'", "'confirm'"];
const RISKS = ["'low'", "'medium'", "'high'", "'critical'"];
const LEVELS = ["'public'", "'user'", "'privileged'"];
const PLACES = ["'local'", "'external'"];
const ACCESS = ["'read'", "'write'"];
const EFFECTS = ["'allow'", "'ask'", "'deny'"];
const RULES = ["'ALLOW'", "'ASK'", "'DENY'"];
const SOURCES = ["'root'", "'person'", "'user'"];
const PROFILES = ["'standard'", "'strict'"];
const STEPS = ['STEP.ONE', 'STEP.RUN', 'STEP.DEEP', 'STEP.FORK', 'STEP.END'];

const others = (family: readonly string[]) => (found: string) => family.filter((one) => one !== found);
const oneOf = (family: readonly string[]): RegExp => new RegExp(family.join('|'), 'g');

/** What is looked for, and what may stand in its place. */
const CHANGES: readonly (readonly [RegExp, (found: string) => readonly string[]])[] = [
  [/===/g, () => ['!==']],
  [/!==/g, () => ['===']],
  [/&&/g, () => ['||']],
  [/\|\|/g, () => ['&&']],
  [/>=/g, () => ['>', '<']],
  [/<=/g, () => ['<', '>']],
  [/(?<=[\w)] )>(?= [\w(])/g, () => ['>=', '<=']],
  [/(?<=[\w)] )<(?= \w)/g, () => ['<=', '>=']],
  [/\b(?:true|false)\b/g, (found) => [found === 'true' ? 'false' : 'true']],
  [/(?<=\bif )\((?:[^()]|\([^()]*\))*\)/g, () => ['(true)', '(false)']],
  [/(?<=[^\w'.#-])\d+\b/g, (found) => [String(Number(found) + 1)]],
  [/(?<= )[+](?= )/g, () => ['-']],
  [/(?<=\w )-(?= \w)/g, () => ['+']],
  [/\?\?/g, () => ['&&']],
  [/\?\.(?=\w)/g, () => ['.']],
  [/\.every\(/g, () => ['.some(']],
  [/\.some\(/g, () => ['.every(']],
  [/\.startsWith\(/g, () => ['.endsWith(']],
  [/\.toSorted\(|\.sort\(/g, () => ['.concat(']],
  [/\.toReversed\(\)/g, () => ['']],
  [/\.flatMap\(/g, () => ['.map(']],
  [/(?<=[ (])!(?=[\w(#])/g, () => ['']],
  [/(?<=\? )([\w.'[\]]+) : ([\w.'()[\]]+)/g, (found) => [found.split(' : ').reverse().join(' : ')]],
  [oneOf(GATES), others(GATES)],
  [oneOf(RISKS), others(RISKS)],
  [oneOf(LEVELS), others(LEVELS)],
  [oneOf(PLACES), others(PLACES)],
  [oneOf(ACCESS), others(ACCESS)],
  [oneOf(EFFECTS), others(EFFECTS)],
  [oneOf(RULES), others(RULES)],
  [oneOf(SOURCES), others(SOURCES)],
  [oneOf(PROFILES), others(PROFILES)],
  [oneOf(STEPS), others(STEPS)],
  [/\b(?:READ|WRITE|EXTERNAL|SYSTEM)\b(?=,| \})/g, others(['READ', 'WRITE', 'EXTERNAL', 'SYSTEM'])],
  [/(?<=: )(?:WRITE|EXTERNAL|SYSTEM)(?=,)/g, () => ['undefined']],
  [
    /(?<=\()(?:a|b)\.(?:gate|level)(?=[,)])/g,
    (found) => [found.replace(/^./, (one) => (one === 'a' ? 'b' : 'a'))],
  ],
  [/^ +(?:view|bytes|offset|found|this\.#?\w+)[^;=]*(?: \+?= |\.set\w*\()[^;]*;$/gm, () => [';']],
];

/** Every mutant of a source text, each with one change. Comments, imports and types are left alone: they do nothing. */
export function mutantsOf(source: string): readonly Mutant[] {
  const code = blank(source);
  const mutants = CHANGES.flatMap(([pattern, replacements]) =>
    [...code.matchAll(pattern)].flatMap(({ 0: before, index }) =>
      replacements(before).map((after) => ({
        line: source.slice(0, index).split('\n').length,
        before: before.trim(),
        after,
        text: source.slice(0, index) + after + source.slice(index + before.length),
      })),
    ),
  );
  return mutants.toSorted((a, b) => a.line - b.line);
}

/** The text with everything that does not run replaced by spaces, so that places stay the same. */
function blank(source: string): string {
  const dead =
    /\/\*[\s\S]*?\*\/|\/\/.*|^import[\s\S]*?;$|^(?:export )?type [\s\S]*?;$|^(?:export )?interface [\s\S]*?^\}$/gm;
  return source.replace(dead, (text) => text.replace(/[^\n]/g, ' '));
}
