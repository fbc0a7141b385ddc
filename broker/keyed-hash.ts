// SPDX-License-Identifier: Apache-2.0
import { createHmac, type KeyObject } from 'node:crypto';
import type { Mac } from '../policy/approval.ts';

/**
 * The keyed hash that approvals are bound with and that the record commits to parameters with. The key is the store's, so
 * that what waited for a person before a restart is still the same thing after it.
 */
export function keyedHash(key: KeyObject): Mac {
  return (bytes) => createHmac('sha256', key).update(bytes).digest('hex');
}
