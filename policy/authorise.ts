// SPDX-License-Identifier: Apache-2.0
import type { Capability } from '../manifests/capability.ts';
import type { Classification } from './classify.ts';
import { higher, type Principal, reaches } from './principal.ts';

/**
 * Whether a principal may use, and so may see, a capability: its level reaches what the author asks for and what the
 * class demands, and its categories, where it is limited to some, hold this one.
 */
export function mayUse(
  principal: Principal,
  capability: Capability,
  classification: Classification,
): boolean {
  const { level, categories } = principal;
  const needed = higher(capability.authLevel, classification.level);
  return reaches(level, needed) && (categories === undefined || categories.includes(capability.category));
}
