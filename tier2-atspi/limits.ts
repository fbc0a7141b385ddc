// SPDX-License-Identifier: Apache-2.0

/** How much of us an app may use up by being read. */
export interface AccessibilityLimits {
  /** How long one answer is waited for. */
  readonly callMs: number;
  /** How long a whole reading may take, whatever is still missing then. */
  readonly walkMs: number;
  /** Elements of one app. */
  readonly maxNodes: number;
  /** Levels below the app itself. */
  readonly maxDepth: number;
  /** Children of one element; an element with more is kept without any. */
  readonly maxChildren: number;
  /** UTF-16 code units of a name or a description; what is longer is cut. */
  readonly maxNameLength: number;
  /** Actions of one element. */
  readonly maxActions: number;
  /** Elements of one app that are asked about at once. */
  readonly pipeline: number;
  /** Elements on one level that are asked about one by one; with more, the app's own list of all is asked for first. */
  readonly askAtMost: number;
  /** Bytes of one answer. */
  readonly maxAnswerBytes: number;
  /** Values in one answer; an element takes about 25 in the app's own list. */
  readonly maxAnswerValues: number;
  /** How long an app that did not answer is left alone before it is tried again; doubled each time it stays silent. */
  readonly probeAfterMs: number;
  readonly probeAtMostMs: number;
  /** Apps on the accessibility bus. */
  readonly maxApps: number;
  /** How long events are gathered before they are applied. */
  readonly settleMs: number;
  /** Events of one app in a second; with more it is not listened to for a while, and then read anew. */
  readonly eventsPerSecond: number;
  readonly deafMs: number;
  /** How long it takes at most until the accessibility bus is looked for again. */
  readonly reconnectAtMostMs: number;
}

export const DEFAULT_ACCESSIBILITY_LIMITS: AccessibilityLimits = {
  callMs: 1500,
  walkMs: 2000,
  maxNodes: 5000,
  maxDepth: 100,
  maxChildren: 200,
  maxNameLength: 200,
  maxActions: 16,
  pipeline: 16,
  askAtMost: 8,
  maxAnswerBytes: 4 * 2 ** 20,
  maxAnswerValues: 2 ** 18,
  probeAfterMs: 2000,
  probeAtMostMs: 60_000,
  maxApps: 100,
  settleMs: 20,
  eventsPerSecond: 1000,
  deafMs: 1000,
  reconnectAtMostMs: 10_000,
};
