// SPDX-License-Identifier: Apache-2.0

/** How much the words of a policy may cost. */
export interface PolicyLimits {
  /** Rules of all files, and as many again of the person's own. */
  readonly maxRules: number;
  /** UTF-16 code units of one glob. */
  readonly maxGlobLength: number;
  /** Texts that the `{a,b}` of one glob stand for. */
  readonly maxExpansion: number;
  /** UTF-16 code units of the reason of a rule, a grant or a request. */
  readonly maxReason: number;
  /** UTF-16 code units of the id of a principal, a capability or an intention. */
  readonly maxId: number;
  /** UTF-16 code units of one further text of a request. */
  readonly maxText: number;
  /** Entries in one list of texts of a request. */
  readonly maxTexts: number;
  /** Parameters that one grant bounds. */
  readonly maxParamBounds: number;
}
