// SPDX-License-Identifier: Apache-2.0
import type { Completes } from '../command.ts';
import { firstWords, type Row, shellQuote } from './row.ts';

/** Completion for zsh. */
export function zsh(table: readonly Row[]): readonly string[] {
  const firsts = firstWords(table);
  return [
    '#compdef portalctl',
    '# completion for zsh: install it as _portalctl in a directory of $fpath, or source it after compinit',
    '_portalctl() {',
    '  local command=$words[2]',
    '  local -a names',
    '  if (( CURRENT == 2 )); then',
    `    names=(${firsts.map(({ word, summary }) => shellQuote(`${word}:${summary.replaceAll(':', '\\:')}`)).join(' ')})`,
    '    _describe command names',
    '    return',
    '  fi',
    '  case $command in',
    ...firsts
      .filter(({ seconds }) => seconds.length > 0)
      .flatMap(({ word, seconds }) => [
        `    (${word})`,
        `      names=(${seconds.map(({ words, summary }) => shellQuote(`${words[1]}:${summary.replaceAll(':', '\\:')}`)).join(' ')})`,
        '      if (( CURRENT == 3 )); then _describe command names; return; fi',
        '      command="$command $words[3]"; shift words; (( CURRENT-- )) ;;',
      ]),
    '  esac',
    '  shift words; (( CURRENT-- ))',
    '  case $command in',
    ...table.map(({ name, options, operand, passthrough }) => {
      const specs = options.map(
        ({ flag, summary, takes, completes }) =>
          `${flag}${takes === undefined ? '' : '='}[${summary.replace(/[[\]\\]/g, '\\$&')}]${takes === undefined ? '' : `:${takes.replaceAll(':', '\\:')}:${zshAction(completes)}`}`,
      );
      const rest = operand !== undefined || passthrough ? [`*:argument:${zshAction(operand ?? 'file')}`] : [];
      return `    (${shellQuote(name)}) _arguments ${[...specs, ...rest].map(shellQuote).join(' ')} ;;`;
    }),
    '  esac',
    '}',
    'if [ "$funcstack[1]" = _portalctl ]; then _portalctl "$@"; else compdef _portalctl portalctl; fi',
  ];
}

function zshAction(completes: Completes | undefined): string {
  if (completes === undefined) return ' ';
  if (typeof completes !== 'string') return `(${completes.join(' ')})`;
  return completes === 'directory' ? '_files -/' : '_files';
}
