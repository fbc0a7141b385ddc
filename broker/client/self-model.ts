// SPDX-License-Identifier: Apache-2.0
import { type Fields, readObject } from './fields.ts';
import type { GrantRow } from './grants.ts';

/** What a caller may do, true when it was asked for. To be spoken from, in place of memory. */
export interface SelfModel {
  /** Number of the registry's state that it shows. */
  readonly epoch: number;
  readonly principal: string;
  /** Ids of capabilities that would run at once. */
  readonly may: readonly string[];
  /** A person or a grant answers. */
  readonly asks: readonly string[];
  /** A person answers each time. */
  readonly confirms: readonly string[];
  readonly forbidden: readonly string[];
  /** Where the target decides. */
  readonly depends?: readonly { readonly capability: string; readonly possible: readonly string[] }[];
  /** What the person has granted. */
  readonly grants: readonly GrantRow[];
  readonly requests: readonly {
    readonly id: string;
    readonly capability: string;
    /** `open`, `granted`, `denied`, `expired` or `withdrawn`. */
    readonly state: string;
    /** The person's words with it. */
    readonly note?: string;
  }[];
  /** The latest. */
  readonly actions: readonly {
    readonly invocation: string;
    readonly capability: string;
    readonly status: string;
  }[];
}

const MODEL: Fields<SelfModel> = {
  principal: 'text',
  may: 'texts',
  asks: 'texts',
  confirms: 'texts',
  forbidden: 'texts',
  grants: 'list',
  requests: 'list',
  actions: 'list',
};

/** Reads the answer of SelfModel. Throws a BrokerError `Protocol`. */
export function parseSelfModel(epoch: unknown, text: string): SelfModel {
  return { ...readObject(text, MODEL), epoch: Number(epoch) };
}
