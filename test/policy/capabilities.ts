// SPDX-License-Identifier: Apache-2.0
import type { AuthLevel, Capability, Category, SideEffects } from '../../manifests/capability.ts';
import { AUTH_LEVELS, CATEGORIES } from '../../manifests/capability.ts';
import { capability } from '../manifests/fixtures.ts';

/** What an author can declare that bears on the class. */
export interface Declared {
  readonly sideEffects: SideEffects;
  readonly category: Category;
  readonly network: 'external' | undefined;
  readonly confirmationRequired: boolean;
  readonly authLevel: AuthLevel;
}

export const SIDE_EFFECTS: readonly SideEffects[] = [
  'none',
  'read',
  'write',
  'destructive',
  'network',
  'system',
  'unknown',
];

const base = capability();

export const declaring = (declared: Partial<Declared>): Capability => ({
  ...base,
  category: 'STATE_QUERY',
  sideEffects: 'read',
  network: undefined,
  confirmationRequired: false,
  authLevel: 'user',
  ...declared,
});

/** Everything an author can declare: the whole domain. */
export const EVERYTHING: readonly Declared[] = SIDE_EFFECTS.flatMap((sideEffects) =>
  CATEGORIES.flatMap((category) =>
    ([undefined, 'external'] as const).flatMap((network) =>
      [false, true].flatMap((confirmationRequired) =>
        AUTH_LEVELS.map((authLevel) => ({ sideEffects, category, network, confirmationRequired, authLevel })),
      ),
    ),
  ),
);
