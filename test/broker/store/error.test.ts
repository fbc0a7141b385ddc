// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { asStoreError, HistoryError, StoreError } from '../../../broker/store/error.ts';

describe('broker/store/error', () => {
  function failure(fields: Record<string, unknown>): Error {
    return Object.assign(new Error('words'), fields);
  }

  it('knows SQLite results, extended ones too, and the kernel’s', () => {
    const cases: readonly [Record<string, unknown>, string][] = [
      [{ errcode: 5 }, 'StoreLocked'],
      [{ errcode: 517 }, 'StoreLocked'],
      [{ errcode: 8 }, 'StoreReadOnly'],
      [{ errcode: 1032 }, 'StoreReadOnly'],
      [{ errcode: 11 }, 'StoreCorrupt'],
      [{ errcode: 13 }, 'StoreFull'],
      [{ errcode: 26 }, 'StoreCorrupt'],
      [{ errcode: 778 }, 'StoreFailed'],
      [{ code: 'ENOSPC' }, 'StoreFull'],
      [{ code: 'EROFS' }, 'StoreReadOnly'],
      [{ code: 'EACCES' }, 'StoreReadOnly'],
      [{ code: 'EIO' }, 'StoreFailed'],
      [{}, 'StoreFailed'],
    ];
    for (const [fields, code] of cases) {
      assert.equal(asStoreError(failure(fields), 'writing').code, code, JSON.stringify(fields));
    }
    assert.equal(asStoreError('text', 'writing').code, 'StoreFailed');
  });

  it('passes on what already has a code, and keeps the cause', () => {
    const known = new StoreError('StoreFull', 'full');
    assert.equal(asStoreError(known, 'writing'), known);
    const history = new HistoryError('Rollback', 'older');
    assert.equal(asStoreError(history, 'writing'), history);
    const cause = failure({ errcode: 13, errstr: 'database or disk is full' });
    const error = asStoreError(cause, 'writing the store');
    assert.equal(error.cause, cause);
    assert.equal(error.message, 'writing the store failed: database or disk is full');
  });
});
