// SPDX-License-Identifier: Apache-2.0
import type { Principal } from '../identity/principal.ts';
import type { AuditEvent } from './event.ts';

/** Who it was, as every record of somebody's doing says it. */
export function who({
  id,
  binding,
  assurance,
  pid,
  uid,
}: Principal): Pick<AuditEvent, 'principal' | 'binding' | 'assurance' | 'pid' | 'uid'> {
  return { principal: id, binding, assurance, pid, uid };
}
