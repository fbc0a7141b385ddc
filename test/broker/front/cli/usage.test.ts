// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { parseArguments } from '../../../../broker/front/cli/arguments.ts';
import { CliError } from '../../../../broker/front/cli/error.ts';
import { EXIT_MEANINGS } from '../../../../broker/front/cli/exit.ts';
import { findCommand } from '../../../../broker/front/cli/find-command.ts';
import { helpFor, usage } from '../../../../broker/front/cli/help.ts';
import { suggest } from '../../../../broker/front/cli/suggest.ts';
import { COMMANDS } from '../../../../broker/front/cli/table.ts';
import { PORTALCTL, portalctl, portalctlJson } from './run.ts';

describe('[R144] the command line', () => {
  describe('help', () => {
    it('lists every command, the exit codes and nothing on standard error', async () => {
      const { code, stdout, stderr } = await portalctl(['--help']);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      for (const { name, summary } of COMMANDS) assert.include(stdout, `${name} `, summary);
      for (const [exit, meaning] of EXIT_MEANINGS)
        assert.match(stdout, new RegExp(`^  ${exit} +${meaning}`, 'm'));
    });

    it('is there for each command, with usage, every option and an example that its own parser accepts', () => {
      for (const command of COMMANDS) {
        const text = helpFor(command)
          .map((line) =>
            typeof line === 'string'
              ? line
              : line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join(''),
          )
          .join('\n');
        assert.include(text, usage(command));
        for (const option of Object.keys(command.options)) assert.include(text, `--${option}`);
        assert.isNotEmpty(command.examples);
      }
    });

    it('comes after a command, before it, for a group and for programs', async () => {
      const [after, before, group, json] = await Promise.all([
        portalctl(['sign', '--help']),
        portalctl(['help', 'sign']),
        portalctl(['trust', '--help']),
        portalctlJson(['sign', '--help']),
      ]);
      assert.equal(after.code, 0);
      assert.equal(before.stdout, after.stdout);
      assert.include(group.stdout, 'trust revoke');
      assert.notInclude(group.stdout, 'dispatch');
      assert.equal(json.json.usage, 'portalctl sign MANIFEST [options]');
    });

    it('is shown on standard error, with exit code 2, when nothing was asked', async () => {
      const { code, stdout, stderr } = await portalctl([]);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.include(stderr, 'usage: portalctl COMMAND');
    });

    it('has the same exit codes in the README', () => {
      const readme = readFileSync(
        join(import.meta.dirname, '..', '..', '..', '..', 'broker', 'front', 'cli', 'README.md'),
        'utf8',
      );
      for (const [exit, meaning] of EXIT_MEANINGS)
        assert.match(readme, new RegExp(`^\\| ${exit} *\\| ${meaning} *\\|$`, 'm'));
    });
  });

  it('ends quietly when the reader of its output has seen enough', () => {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', `'${PORTALCTL}' --help | head -n 1; exit "\${PIPESTATUS[0]}"`],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(status, 0);
    assert.match(stdout, /^portalctl: /);
    assert.equal(stderr, '');
  });

  it('says its version', async () => {
    const root = join(import.meta.dirname, '..', '..', '..', '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.equal((await portalctl(['--version'])).stdout, `portalctl ${version}\n`);
  });

  describe('what is not understood', () => {
    const refused = async (args: string[], code: string, ...words: string[]): Promise<void> => {
      const { code: exit, json, stderr } = await portalctlJson(args);
      assert.equal(exit, 2);
      assert.propertyVal(json.error, 'code', code);
      for (const word of words) assert.include(stderr, word);
      assert.include(stderr, 'to go on: ');
    };

    it('is refused with the nearest command', () =>
      refused(['sgin'], 'UnknownCommand', 'no command `sgin`', 'did you mean `sign`'));
    it('is refused with the nearest second word', () =>
      refused(['trust', 'instal'], 'UnknownCommand', 'did you mean `trust install`'));
    it('is refused with the possible second words', () =>
      refused(['audit'], 'UnknownCommand', 'tail, verify, export, stats'));
    it('is refused with the nearest option', () =>
      refused(['list', '--ful'], 'UnknownOption', 'no option `--ful`', 'did you mean `--full`'));
    it('is refused when it is a property of every object', () =>
      refused(['list', '--constructor'], 'UnknownOption', '--constructor'));
    it('is refused without a guess when nothing is near', async () => {
      const { code, stderr } = await portalctl(['list', '--zzzzzzzz']);
      assert.equal(code, 2);
      assert.notInclude(stderr, 'did you mean');
    });
    it('is refused when a value is missing', () =>
      refused(['sign', 'm.json', '--key'], 'BadOption', '`--key` needs a value'));
    it('is refused when the value would be the next option', () =>
      refused(['sign', 'm.json', '--key', '--out', 'x'], 'BadOption', '`--key` needs a value'));
    it('is refused when a switch has a value', () =>
      refused(['list', '--full=yes'], 'BadOption', '`--full` takes no value'));
    it('is refused when an option is given twice', () =>
      refused(['sign', 'm.json', '--key', 'a', '--key', 'b'], 'BadOption', '`--key` is given twice'));
    it('is refused when an operand is missing', () =>
      refused(['verify'], 'BadOperand', '`verify` needs MANIFEST'));
    it('is refused when there is one too many', () =>
      refused(['apps', 'x'], 'BadOperand', '`x` is one argument too many'));
    it('is refused when `--` is missing', () =>
      refused(['dev', './app'], 'BadOperand', '`-- ./app ARGUMENTS...`'));
    it('is refused when nothing follows `--`', () =>
      refused(['dev', '--'], 'BadOperand', '`-- ./app ARGUMENTS...`'));
    it('is escaped when it is shown', async () => {
      const { stderr } = await portalctl(['\x1b[2J\u202ex']);
      assert.include(stderr, '`\\u{1b}[2J\\u{202e}x`');
    });
  });

  it('keeps what follows `--` for the other program, its options too', () => {
    const { command, args } = findCommand(COMMANDS, [
      'dev',
      '--watch',
      'src',
      '--',
      './app',
      '--help',
      '--json',
    ]);
    const { rest, options } = parseArguments(command, args);
    assert.deepEqual(rest, ['./app', '--help', '--json']);
    assert.isFalse(options.on('help'));
    assert.deepEqual(options.texts('watch'), ['src']);
  });

  it('takes an option twice where it may be repeated', () => {
    const { command, args } = findCommand(COMMANDS, ['dispatch', 'a.b.c', '--param', 'x=--y', '--param=z=1']);
    assert.deepEqual(parseArguments(command, args).options.texts('param'), ['x=--y', 'z=1']);
  });

  it('throws when code asks for an option that the table does not list', () => {
    const { command, args } = findCommand(COMMANDS, ['apps']);
    assert.throws(() => parseArguments(command, args).options.on('nonsense'), TypeError);
  });

  it('knows a typing error from another word', () => {
    const words = ['list', 'sign', 'verify', 'dispatch'];
    assert.equal(suggest('sing', words), 'sign');
    assert.equal(suggest('veirfy', words), 'verify');
    assert.equal(suggest('disp', words), 'dispatch');
    assert.equal(suggest('lists', words), 'list');
    assert.isUndefined(suggest('', words));
    assert.isUndefined(suggest('frobnicate', words));
  });

  it('has a code for each error and an exit for each code', () => {
    assert.equal(new CliError('NotATerminal', 'x').exit, 2);
    assert.equal(new CliError('BrokerUnreachable', 'x').exit, 3);
  });
});
