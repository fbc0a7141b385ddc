// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream';
import { assert } from 'chai';
import { Keyboard, type Typed } from '../../../../../broker/front/cli/confirm/keyboard.ts';

/** The input side of a terminal, typed into by the test. */
class Keys extends PassThrough {
  raw = false;

  setRawMode(raw: boolean): this {
    this.raw = raw;
    return this;
  }

  /** Resolves once what was typed has been read. */
  async type(...chunks: string[]): Promise<void> {
    for (const chunk of chunks) {
      this.write(chunk);
      await new Promise(setImmediate);
    }
  }
}

function board() {
  const keys = new Keys();
  const echo = new PassThrough();
  const idle: Typed[] = [];
  const keyboard = new Keyboard(keys, echo, (typed) => idle.push(typed));
  const read = () => keyboard.read(new AbortController().signal);
  return { keys, keyboard, idle, read, echoed: () => String(echo.read() ?? '') };
}

describe('[R81] the keyboard of a confirmer', () => {
  it('reads a line and shows what is typed', async () => {
    const { keys, read, echoed } = board();
    const line = read();
    await keys.type('al', 'low', '\r');
    assert.deepEqual(await line, { kind: 'line', text: 'allow' });
    assert.equal(echoed(), 'allow\n');
    assert.isTrue(keys.raw);
  });

  it('forgets what was typed while nobody read, a whole line and the beginning of one', async () => {
    const { keys, read, echoed } = board();
    await keys.type('allow\r', 'allo');
    assert.equal(echoed(), '');
    const line = read();
    await keys.type('w\r');
    assert.deepEqual(await line, { kind: 'line', text: 'w' });
  });

  it('forgets what was pasted behind the end of a line', async () => {
    const { keys, read } = board();
    const first = read();
    await keys.type('v\rallow\r');
    assert.deepEqual(await first, { kind: 'line', text: 'v' });
    const second = read();
    await keys.type('\r');
    assert.deepEqual(await second, { kind: 'line', text: '' });
  });

  it('hears Ctrl-C behind the end of a line', async () => {
    const { keys, read, idle } = board();
    const line = read();
    await keys.type('\r\x03');
    assert.deepEqual(await line, { kind: 'line', text: '' });
    assert.deepEqual(idle, [{ kind: 'interrupt' }]);
  });

  it('forgets a line that was begun when the reading was given up', async () => {
    const { keys, keyboard, read } = board();
    const stop = new AbortController();
    const given = keyboard.read(stop.signal);
    await keys.type('allow');
    stop.abort('withdrawn');
    assert.equal(await given.catch((reason: unknown) => reason), 'withdrawn');
    const next = read();
    await keys.type('\r');
    assert.deepEqual(await next, { kind: 'line', text: '' });
  });

  it('erases a character and a line', async () => {
    const { keys, read, echoed } = board();
    const line = read();
    await keys.type('xy\x7f', 'z\x15', 'b\u202e\x7fc\r');
    assert.deepEqual(await line, { kind: 'line', text: 'bc' });
    assert.match(echoed(), /^xy\x08 \x08z(?:\x08 \x08){2}b\\u\{202e\}(?:\x08 \x08){8}c\n$/);
  });

  it('shows no character that acts or hides', async () => {
    const { keys, read, echoed } = board();
    const line = read();
    await keys.type('a\x07\x9b\u200b\r');
    assert.deepEqual(await line, { kind: 'line', text: 'a\x07\x9b\u200b' });
    assert.equal(echoed(), 'a\\u{7}\\u{9b}\\u{200b}\n');
  });

  it('ignores arrow keys, and stops at a long line', async () => {
    const { keys, read } = board();
    const line = read();
    await keys.type('a', '\x1b[A', 'b', 'x'.repeat(2000), '\r');
    const typed = await line;
    assert.equal(typed.kind === 'line' && typed.text.slice(0, 3), 'abx');
    assert.equal(typed.kind === 'line' && typed.text.length, 1000);
  });

  it('tells Ctrl-C and Ctrl-D from a line, also when nobody reads', async () => {
    const { keys, read, idle } = board();
    const first = read();
    await keys.type('allow\x03');
    assert.deepEqual(await first, { kind: 'interrupt' });
    const second = read();
    await keys.type('allow\x04');
    assert.deepEqual(await second, { kind: 'end' });
    await keys.type('\x03', '\x04');
    assert.deepEqual(idle, [{ kind: 'interrupt' }, { kind: 'end' }]);
  });

  it('ends with its input, and stays ended', async () => {
    const { keys, read } = board();
    const line = read();
    keys.end('allow');
    assert.deepEqual(await line, { kind: 'end' });
    assert.deepEqual(await read(), { kind: 'end' });
  });

  it('gives the terminal back', async () => {
    const { keys, keyboard, idle } = board();
    keyboard.close();
    await keys.type('\x03');
    assert.isFalse(keys.raw);
    assert.deepEqual(idle, []);
  });
});
