// SPDX-License-Identifier: Apache-2.0
import type { Completes } from '../command.ts';
import { firstWords, type Row, shellQuote } from './row.ts';

/** Completion for fish. */
export function fish(table: readonly Row[]): readonly string[] {
  return [
    '# completion for fish: install it as portalctl.fish in ~/.config/fish/completions',
    'function __portalctl_is',
    '  set -l typed (commandline -opc)',
    '  set -e typed[1]',
    '  set -l words (count $argv)',
    '  test (count $typed) -ge $words; and test "$typed[1..$words]" = "$argv"',
    'end',
    'function __portalctl_has',
    '  test (count (commandline -opc)) -eq $argv[1]',
    'end',
    'complete -c portalctl -f',
    ...firstWords(table).flatMap(({ word, summary, seconds }) => [
      `complete -c portalctl -n '__portalctl_has 1' -a ${word} -d ${shellQuote(summary)}`,
      ...seconds.map(
        ({ words, summary }) =>
          `complete -c portalctl -n '__portalctl_has 2; and __portalctl_is ${word}' -a ${words[1]} -d ${shellQuote(summary)}`,
      ),
    ]),
    ...table.flatMap(({ name, options, operand, passthrough }) => [
      ...options.map(
        ({ flag, summary, takes, completes }) =>
          `complete -c portalctl -n '__portalctl_is ${name}' -l ${flag.slice(2)}${takes === undefined ? '' : fishValue(completes)} -d ${shellQuote(summary)}`,
      ),
      ...(operand !== undefined || passthrough
        ? [`complete -c portalctl -n '__portalctl_is ${name}'${fishAction(operand ?? 'file')}`]
        : []),
    ]),
  ];
}

function fishAction(completes: Completes | undefined): string {
  if (completes === undefined) return '';
  if (typeof completes !== 'string') return ` -a ${shellQuote(completes.join(' '))}`;
  return completes === 'directory' ? " -a '(__fish_complete_directories)'" : ' -F';
}

/** `-x` keeps file names out where a value is none. */
function fishValue(completes: Completes | undefined): string {
  return completes === 'file' || completes === 'directory'
    ? ` -r${fishAction(completes)}`
    : ` -x${fishAction(completes)}`;
}
