// SPDX-License-Identifier: Apache-2.0
import { mayReorder, visible } from '../escape.ts';
import { jsonLines } from '../json-lines.ts';
import { type CutLimits, cut } from './cut.ts';
import type { Row } from './row.ts';
import { ASSURANCE, BINDING, EFFECT, PROVIDER_BINDING, wordsFor } from './words.ts';
import { wrap } from './wrap.ts';

export interface View {
  /** Columns of the terminal. */
  readonly columns: number;
  readonly assurance: string;
  /** Which row of how many. */
  readonly position: number;
  readonly of: number;
  /** Undefined to show everything. */
  readonly limits: CutLimits | undefined;
}

export interface Drawing {
  readonly lines: readonly string[];
  /** Something is not shown in full, so it may not be allowed yet. */
  readonly isCut: boolean;
}

/** One row as plain lines: a label and a value each, nothing that only a colour or a place on the screen says. */
export function draw(row: Row, view: View): Drawing {
  const fields: readonly Field[] = [
    {
      label: 'who asks',
      value: [`${said(row.principal)}, known by ${wordsFor(BINDING, row.principalBinding)}`],
    },
    { label: 'assurance', value: [wordsFor(ASSURANCE, view.assurance)] },
    {
      label: row.kind === 'undo' ? 'would take back' : 'would run',
      value: [`${said(row.capability)} ${said(row.version)}`],
    },
    { label: 'in the app', value: [provider(row)] },
    { label: 'the app calls it', value: [theirs(row.title)] },
    { label: 'risk', value: [said(row.risk)] },
    { label: 'what it can do', value: [wordsFor(EFFECT, row.sideEffects)] },
    { label: 'target', value: targets(row.targets) },
    { label: 'afterwards', value: [said(row.undo)] },
    {
      label: row.changed ? 'parameters, as you changed them' : 'parameters',
      value: jsonLines(row.params),
    },
    { label: 'the caller says', value: [row.reason === '' ? 'nothing' : theirs(row.reason)] },
    ...(row.evidence.length === 0 ? [] : [{ label: 'and points to', value: row.evidence.map(theirs) }]),
    ...(row.intention === '' ? [] : [{ label: 'all of it for', value: [theirs(row.intention)] }]),
    ...(row.problem === '' ? [] : [{ label: 'your last answer did not count', value: [said(row.problem)] }]),
    ...(row.earlier.length === 0 ? [] : [{ label: 'you decided before', value: row.earlier.map(said) }]),
  ];
  const rank = view.of === 1 ? '' : ` ${view.position} of ${view.of}`;
  const title = `Question${rank}: may this ${row.kind === 'undo' ? 'be taken back' : 'run'}, this once?`;
  const drawn = fields.map((field) => drawField(field, view));
  return {
    lines: [...wrap(title, view.columns), ...drawn.flatMap(({ lines }) => lines)],
    isCut: drawn.some(({ isCut }) => isCut),
  };
}

interface Field {
  readonly label: string;
  readonly value: readonly string[];
}

function drawField({ label, value }: Field, { columns, limits }: View): Drawing {
  const { lines, isCut } = limits === undefined ? { lines: value, isCut: false } : cut(value, limits);
  const [only = ''] = lines;
  const laidOut =
    lines.length === 1 ? [`  ${label}: ${only}`] : [`  ${label}:`, ...lines.map((line) => `      ${line}`)];
  const warned = lines.some(mayReorder) ? [...laidOut, RIGHT_TO_LEFT] : laidOut;
  return { lines: warned.flatMap((line) => wrap(line, columns)), isCut };
}

const RIGHT_TO_LEFT =
  '    (holds letters written from right to left: a terminal may show them in another order)';

function provider({ appId, providerBinding }: Row): string {
  if (appId === '') return 'none: it is part of the broker';
  return `${said(appId)}, known by ${wordsFor(PROVIDER_BINDING, providerBinding)}`;
}

function targets(found: readonly string[]): readonly string[] {
  return found.length === 0 ? ['not determined: it may touch anything'] : found.map(theirs);
}

/** The broker's own word. It holds nothing invisible; should it do so after all, that shows. */
function said(text: string): string {
  return visible(text);
}

/** Somebody else's words as the broker escaped them, between quotes that the words cannot close. */
function theirs(text: string): string {
  return `"${visible(text).replaceAll('"', '\\"')}"`;
}
