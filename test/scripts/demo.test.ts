// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { assert } from 'chai';

const ROOT = join(import.meta.dirname, '../..');

/** Runs the demonstration in a pseudo-terminal and types `answer` once it asks. */
async function demonstrate(answer: string): Promise<{ text: string; code: number | null }> {
  const { DBUS_SESSION_BUS_ADDRESS: _, ...env } = process.env;
  const terminal = spawn(
    'script',
    ['-qefc', `${process.execPath} ${join(ROOT, 'scripts/demo.ts')}`, '/dev/null'],
    {
      env: { ...env, NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let text = '';
  let asked = false;
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (asked || !text.includes('Your answer')) return;
    asked = true;
    terminal.stdin.write(`${answer}\r`);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    terminal.once('close', resolve);
    terminal.once('error', () => reject(new Error('`script` is missing: apt-get install bsdutils')));
  });
  return { text: text.replaceAll('\r', ''), code };
}

describe('the demonstration', () => {
  it('[R3] [R4] [R5] [R6] [R26] [R67] [R72] [R84] runs from a fresh key to a verified record', async () => {
    const { text, code } = await demonstrate('allow');
    assert.equal(code, 0, text);
    const [, read = '', asked = '', undone = '', tampered = '', record = ''] = text.split(/\n(?=[34567]\. )/);
    assert.include(read, 'bread, milk, candles');
    assert.include(asked, 'Allowed, once.');
    assert.include(asked, '"status":"executed"');
    assert.include(undone, 'bread, milk, candles', 'what was deleted is back');
    assert.include(tampered, 'tier 2: the manifest was not accepted');
    assert.include(tampered, 'SignatureWrong at "/signature"');
    assert.include(tampered, 'denied at stage resolve: NotFound');
    assert.match(record, /^intact {2}\d+ records/m);
  }).timeout(60_000);

  it('[R82] deletes nothing when the person says no', async () => {
    const { text, code } = await demonstrate('no');
    assert.equal(code, 0, text);
    assert.include(text, 'PersonDenied');
    assert.include(text, 'nothing was deleted, so there is nothing to take back');
    assert.notInclude(text, '"status":"executed"');
  }).timeout(60_000);
});
