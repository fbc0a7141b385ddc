// SPDX-License-Identifier: Apache-2.0
import type { Entry } from '../manifests/registry.ts';
import type { Classification } from '../policy/classify.ts';
import type { Subject } from '../policy/standing-question.ts';
import type { BrokerConfig } from './config.ts';

/** A capability as policy looks at it, but for who provides it: that can depend on the target. */
export function subjectOf(
  { capability, appId, source }: Entry,
  classification: Classification,
  { locked, enabledExternal }: Pick<BrokerConfig, 'locked' | 'enabledExternal'>,
): Omit<Subject, 'provider'> {
  return {
    capability,
    appId,
    tier: source === 'app' ? 1 : 'builtin',
    classification,
    locked: locked.includes(capability.id),
    enabled:
      source === 'app' || classification.network === 'local' || enabledExternal.includes(capability.id),
  };
}
