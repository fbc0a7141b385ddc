// SPDX-License-Identifier: Apache-2.0
/* c8 ignore start -- types only */

/** What is odd about a rule or a grant beside the others that hold. */
export interface Finding {
  /** For example `conflict`, `shadowed`, `duplicate`, `no-effect`, `unknown-capability`. */
  readonly kind: string;
  /** The one line for a person. */
  readonly text: string;
  /** Id of the rule it is about. */
  readonly rule?: string;
  /** Id of the rule that stands in its way. */
  readonly by?: string;
  /** A target for which it shows. */
  readonly example?: string;
}
/* c8 ignore stop */
