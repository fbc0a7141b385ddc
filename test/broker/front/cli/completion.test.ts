// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { assert } from 'chai';
import { completionScript, SHELLS } from '../../../../broker/front/cli/completion.ts';
import { COMMANDS } from '../../../../broker/front/cli/table.ts';
import { portalctl, portalctlJson } from './run.ts';

const bash = completionScript('bash', COMMANDS).join('\n');

/** What a real bash offers for the last of `words`. */
function offered(...words: string[]): readonly string[] {
  const script = `${bash}
    compopt() { :; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _portalctl
    ((\${#COMPREPLY[@]} == 0)) || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const cwd = import.meta.dirname;
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', 'portalctl', ...words], {
    cwd,
    encoding: 'utf8',
  });
  return out.split('\n').filter((line) => line !== '');
}

describe('[R144] completion', () => {
  describe('in bash', () => {
    it('offers commands', () => assert.deepEqual(offered('di'), ['dispatch']));
    it('offers second words', () => assert.deepEqual(offered('trust', ''), ['install', 'list', 'revoke']));
    it('offers what the person may decide', () => {
      assert.include(offered('approvals', 'ap'), 'approve');
      assert.deepEqual(offered('policy', 's'), ['simulate']);
      assert.deepEqual(offered('policy', 'add', '--effect', 'D'), ['DENY']);
      assert.deepEqual(offered('grants', 'add', '--access', 'r'), ['read']);
      assert.deepEqual(offered('approvals', 'approve', '--s'), ['--session']);
      assert.deepEqual(offered('policy', 'check', 'fixture-man'), ['fixture-manifest.json']);
      assert.deepEqual(offered('suspend', '--a'), ['--all']);
    });
    it('offers the options of a command', () => assert.deepEqual(offered('sign', '--k'), ['--key']));
    it('offers the options of a two-word command and not those of its namesake', () => {
      assert.include(offered('trust', 'list', '--'), '--trusted');
      assert.notInclude(offered('list', '--'), '--trusted');
    });
    it('offers files where a file is meant', () =>
      assert.deepEqual(offered('verify', 'fixture-man'), ['fixture-manifest.json']));
    it('offers the words an option knows', () =>
      assert.deepEqual(offered('list', '--side-effects', 'des'), ['destructive']));
    it('offers the words an operand knows', () => assert.deepEqual(offered('completion', 'f'), ['fish']));
    it('offers nothing where it cannot know', () => assert.deepEqual(offered('undo', '--wait', 'x'), []));
  });

  it('names every command and option in every shell', () => {
    for (const shell of SHELLS) {
      const script = completionScript(shell, COMMANDS).join('\n');
      for (const { name, options } of COMMANDS) {
        for (const word of name.split(' ')) assert.include(script, word);
        for (const option of Object.keys(options)) {
          assert.include(script, shell === 'fish' ? `-l ${option}` : `--${option}`);
        }
      }
    }
  });

  it('is printed by the command as it is', async () => {
    for (const shell of SHELLS) {
      const { code, stdout } = await portalctl(['completion', shell]);
      assert.equal(code, 0);
      assert.equal(stdout, `${completionScript(shell, COMMANDS).join('\n')}\n`);
    }
  });

  it('is refused for a shell that it does not know', async () => {
    const { code, json } = await portalctlJson(['completion', 'csh']);
    assert.equal(code, 2);
    assert.propertyVal(json.error, 'code', 'BadOperand');
  });
});
