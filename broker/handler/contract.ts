// SPDX-License-Identifier: Apache-2.0
/* c8 ignore start -- types only */

/** Parameters as they arrive: a JSON object that the broker found to match the capability's signed schema. */
export type Params = Readonly<Record<string, unknown>>;

/** What an app knows of one invocation. */
export interface InvocationContext {
  /** Names this invocation in `Served.progress`. */
  readonly invocation: string;
  /** The caller's session label, where it gave one. */
  readonly sessionId: string | undefined;
  /** The only source there is. */
  readonly source: 'SystemIntelligence';
  /** When the intent was dispatched. */
  readonly timestamp: Date;
  /** The app's own id. */
  readonly appId: string;
  /** Who dispatched it, as the broker names them. */
  readonly principal: string;
  /** The person's language, such as `de`, where the broker knows it. */
  readonly locale: string | undefined;
  /** Aborts when nobody waits any more: stop where that leaves things whole. */
  readonly signal: AbortSignal;
}

export interface CapabilityResult {
  /** False where the app did as asked and the answer is no. */
  readonly success: boolean;
  /** A JSON value that matches the capability's result schema. */
  readonly data?: unknown;
  /** A JSON value: the state of what was touched, as it is now. */
  readonly stateAfter?: unknown;
  /** What `undo` needs to take it back; at most 4096 characters. */
  readonly undoToken?: string | undefined;
}

/**
 * What an app implements to offer capabilities. It acts on the app's data and never on its surface: no script injected
 * into a web view, no automation of its own widgets.
 *
 * Throw a `CapabilityError` to say how it failed. Anything else that is thrown is reported to `onFault`, and the caller
 * learns only that it failed.
 */
export interface CapabilityHandler {
  /** The signed manifest, byte for byte; or the path of its file, read again at every registration. */
  readonly manifest: Uint8Array | string;
  /** Runs one capability once. A person has agreed where one had to. */
  invoke(capabilityId: string, params: Params, context: InvocationContext): Promise<CapabilityResult>;
  /**
   * Rules that no schema can say, such as those across fields: throw a `CapabilityError` with `InvalidParams`. It runs
   * before every `invoke` and may run without one, so it must have no effect.
   */
  validateParams?(capabilityId: string, params: Params): void | Promise<void>;
  /** Takes back what returned this token. Called at most once per token. */
  undo?(undoToken: string, context: InvocationContext): Promise<CapabilityResult>;
  /** Says what `invoke` would do, in plain words for a person, within 2 seconds and without any effect. */
  preview?(capabilityId: string, params: Params, context: InvocationContext): Promise<string>;
}
/* c8 ignore stop */
