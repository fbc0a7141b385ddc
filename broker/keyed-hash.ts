// SPDX-License-Identifier: Apache-2.0
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Mac } from '../policy/approval.ts';

/** An approval does not outlive the process, so neither does the key that it is bound with. */
export function keyedHash(): Mac {
  const key = createSecretKey(randomBytes(32));
  return (bytes) => createHmac('sha256', key).update(bytes).digest('hex');
}
