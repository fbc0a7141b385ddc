// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { boundData, ProviderFailure, parseResult } from '../../../broker/provider/result.ts';

const parse = (text: string) => parseResult(text, 100, 8);
const refused = (step: () => unknown): string => {
  try {
    step();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    return `${error.code} ${error.says}${error.overBound ? ' over' : ''}`;
  }
  return 'taken';
};

describe('parseResult', () => {
  it('[R49] reads the four fields', () => {
    const text = '{"success":true,"data":{"a":1},"state_after":[2],"undo_token":"t"}';
    assert.deepEqual(parse(text), { data: { a: 1 }, stateAfter: [2], undoToken: 't', bytes: text.length });
  });

  it('[R49] what is left out or null is not there', () => {
    const absent = { data: null, stateAfter: null, undoToken: undefined };
    assert.deepInclude(parse('{"success":true}'), absent);
    assert.deepInclude(parse('{"success":true,"data":null,"state_after":null,"undo_token":null}'), absent);
  });

  const rows: readonly [text: string, expected: string][] = [
    ['', 'ResultInvalid nothing over'],
    ['{"success":true}{}', 'ResultInvalid nothing over'],
    ['{"success":true,"data":{"a":1,"a":2}}', 'ResultInvalid nothing over'],
    [`{"success":true,"data":${'['.repeat(9)}${']'.repeat(9)}}`, 'ResultInvalid nothing over'],
    ['"x"', 'ResultInvalid nothing over'],
    ['null', 'ResultInvalid nothing over'],
    ['[]', 'ResultInvalid nothing over'],
    ['{"success":1}', 'ResultInvalid nothing over'],
    ['{"Success":true}', 'ResultInvalid nothing over'],
    ['{"success":true,"error":"x"}', 'ResultInvalid nothing over'],
    ['{"success":true,"undo_token":{}}', 'ResultInvalid nothing over'],
    [`{"success":true,"undo_token":"${'t'.repeat(4097)}"}`, 'ResultInvalid nothing over'],
    [`{"success":true,"undo_token":"${'t'.repeat(9000)}"}`, 'ResultTooLarge nothing over'],
    ['{"success":false}', 'ExecutionFailed failed'],
    ['{"success":false,"more":1}', 'ResultInvalid nothing over'],
  ];
  for (const [text, expected] of rows) {
    it(`[R35] [R49] ${text.slice(0, 40)}: ${expected}`, () =>
      assert.equal(
        refused(() => parse(text)),
        expected,
      ));
  }

  it('[R35] counts bytes and not characters', () => {
    const text = JSON.stringify({ success: true, data: '\u20ac'.repeat(2800) });
    assert.equal(
      refused(() => parse(text)),
      'ResultTooLarge nothing over',
    );
  });
});

describe('boundData', () => {
  it('[R35] [R77] holds what is handed on to its bound, in bytes of JSON', () => {
    assert.equal(
      refused(() => boundData('a'.repeat(8), 10)),
      'taken',
    );
    assert.equal(
      refused(() => boundData('a'.repeat(9), 10)),
      'ResultTooLarge nothing over',
    );
    assert.equal(
      refused(() => boundData('\u20ac\u20ac\u20ac', 10)),
      'ResultTooLarge nothing over',
    );
  });
});
