// SPDX-License-Identifier: Apache-2.0
import type { ShapeCheck } from './shape.ts';

/** The published schema of one capability. */
export const validateCapability: ShapeCheck;
/** The published schema of a manifest. */
export const validateManifest: ShapeCheck;
/** Every field known in a manifest, closed. */
export const validateExtension: ShapeCheck;
/** Every field known in a capability, closed. */
export const validateCapabilityExtension: ShapeCheck;
