// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { wireForm } from '../../../broker/audit/wire.ts';

describe('broker/audit/wire', () => {
  it('[R116] names fields as the contract does, at every depth, and leaves values alone', () => {
    const event = {
      auditId: '7',
      classification: { sideEffects: 'none' },
      problems: [{ firstBad: null }],
      code: 'NotFound',
    };
    assert.deepEqual(wireForm(event), {
      audit_id: '7',
      classification: { side_effects: 'none' },
      problems: [{ first_bad: null }],
      code: 'NotFound',
    });
  });
});
