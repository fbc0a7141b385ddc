// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../../broker/bus/errors.ts';
import { Options, textArgument } from '../../../broker/bus/options.ts';
import { DBusError } from '../../../dbus/error.ts';
import { variant } from '../../../dbus/values.ts';

/** Options as they arrive. */
const given = (...entries: readonly (readonly [key: string, type: string, value: unknown])[]): Options =>
  new Options(entries.map(([key, type, value]) => [key, variant(type, value)]));

function refused(step: () => unknown): string {
  try {
    step();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    assert.equal(error.code, 'InvalidArgs');
    return error.message;
  }
  throw new Error('nothing was refused');
}

describe('options of a call', () => {
  it('are read key by key, and what is left out is undefined', () => {
    const options = given(
      ['a', 's', 'x'],
      ['b', 'b', true],
      ['c', 'u', 7],
      ['d', 't', 8n],
      ['e', 'as', ['y']],
    );
    assert.deepEqual(
      [
        options.text('a'),
        options.flag('b'),
        options.count('c', 0, 9),
        options.count('d', 0, 9),
        options.texts('e', 1),
      ],
      ['x', true, 7, 8, ['y']],
    );
    assert.deepEqual(
      [
        options.text('z'),
        options.flag('z'),
        options.count('z', 0, 9),
        options.texts('z', 1),
        options.oneOf('z', ['q']),
      ],
      [undefined, false, undefined, [], undefined],
    );
    options.done();
  });

  it('[R63] refuse what nobody asked for, and say that identity is never an option', () => {
    assert.match(
      refused(() => given(['caller', 's', 'me']).done()),
      /no option `caller`.*who calls and who approved/,
    );
    const long = 'x'.repeat(1000);
    assert.notInclude(
      refused(() => given([long, 's', '']).done()),
      'x'.repeat(65),
    );
  });

  it('[R62] have the type, form and range that is due', () => {
    const wrong: readonly (() => unknown)[] = [
      () => given(['a', 'u', 1]).text('a'),
      () => given(['a', 's', 'x'.repeat(4097)]).text('a'),
      () => given(['a', 's', 'a b']).text('a', /^\w+$/),
      () => given(['a', 's', 'x']).oneOf('a', ['y', 'z']),
      () => given(['a', 's', 'true']).flag('a'),
      () => given(['a', 'as', ['1', '2', '3']]).texts('a', 2),
      () => given(['a', 'au', [1]]).texts('a', 2),
      () => given(['a', 'as', ['x'.repeat(4097)]]).texts('a', 2),
      () => given(['a', 's', 'x']).texts('a', 2),
      () => given(['a', 'u', 10]).count('a', 0, 9),
      () => given(['a', 'i', -1]).count('a', 0, 9),
      () => given(['a', 'd', 1.5]).count('a', 0, 9),
      () => given(['a', 't', 2n ** 64n - 1n]).count('a', 0, 9),
      () => given(['a', 's', '1']).count('a', 0, 9),
    ];
    for (const step of wrong) assert.match(refused(step), /^the option `a` must/);
    assert.equal(given(['a', 's', 'x'.repeat(4096)]).text('a')?.length, 4096);
  });

  it('[R62] are no dictionary with a key twice, and nothing else', () => {
    const twice = [
      ['a', variant('s', 'x')],
      ['a', variant('s', 'y')],
    ];
    for (const value of [twice, 'text', undefined, [['a', 'bare']]])
      assert.throws(() => new Options(value), DBusError);
  });

  it('a text argument is a text', () => {
    assert.equal(textArgument('x'), 'x');
    assert.match(
      refused(() => textArgument(5)),
      /expected a text/,
    );
  });
});
