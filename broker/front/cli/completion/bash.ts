// SPDX-License-Identifier: Apache-2.0
import type { Completes } from '../command.ts';
import { firstWords, type Row } from './row.ts';

/** Completion for bash. */
export function bash(table: readonly Row[]): readonly string[] {
  const firsts = firstWords(table);
  const groups = firsts.filter(({ seconds }) => seconds.length > 0);
  return [
    '# completion for bash: source this, or install it as portalctl in the bash-completion directory',
    '_portalctl() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own syntax
    '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words',
    '  COMPREPLY=()',
    `  if ((COMP_CWORD == 1)); then mapfile -t COMPREPLY < <(compgen -W '${firsts.map(({ word }) => word).join(' ')}' -- "$cur"); return; fi`,
    '  case $command in',
    ...groups.map(
      ({ word, seconds }) =>
        `    ${word}) if ((COMP_CWORD == 2)); then mapfile -t COMPREPLY < <(compgen -W '${seconds.map(({ words }) => words[1]).join(' ')}' -- "$cur"); return; fi; command="$command \${COMP_WORDS[2]}" ;;`,
    ),
    '  esac',
    '  case "$command $prev" in',
    ...table.flatMap(({ name, options }) =>
      options
        .filter(({ takes }) => takes !== undefined)
        .map(({ flag, completes }) => `    '${name} ${flag}') ${bashAction(completes)}; return ;;`),
    ),
    '  esac',
    '  if [[ $cur == -* ]]; then',
    '    case $command in',
    ...table.map(
      ({ name, options }) => `      '${name}') words='${options.map(({ flag }) => flag).join(' ')}' ;;`,
    ),
    '    esac',
    '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")',
    '    return',
    '  fi',
    '  case $command in',
    ...table
      .filter(({ operand, passthrough }) => operand !== undefined || passthrough)
      .map(({ name, operand }) => `    '${name}') ${bashAction(operand ?? 'file')} ;;`),
    '  esac',
    '}',
    'complete -F _portalctl portalctl',
  ];
}

export function bashAction(completes: Completes | undefined): string {
  if (completes === undefined) return ':';
  if (typeof completes !== 'string')
    return `mapfile -t COMPREPLY < <(compgen -W '${completes.join(' ')}' -- "$cur")`;
  return `compopt -o filenames; mapfile -t COMPREPLY < <(compgen ${completes === 'directory' ? '-d' : '-f'} -- "$cur")`;
}
