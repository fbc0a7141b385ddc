// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from '../../dbus/error.ts';
import type { InterfaceSpec } from '../../dbus/serve.ts';
import { asDictionary, variant } from '../../dbus/values.ts';
import { CONFIRMER } from '../bus/names.ts';

/** One row of a question: one invocation, decided for exactly what it shows. */
export interface ConfirmItem {
  readonly invocation: string;
  /** What the decision is bound to; the key of the answer. */
  readonly digest: string;
  /** `invoke`, or `undo` where an earlier invocation is to be taken back. */
  readonly kind: string;
  readonly capability: string;
  readonly version: string;
  /** The app's own words. */
  readonly title: string;
  /** Empty for the broker's own capabilities. */
  readonly appId: string;
  /** What says that the provider is that app; `unbound` where nothing does. */
  readonly binding: string;
  /** Who wants it. */
  readonly principal: string;
  /** What they were recognised by. */
  readonly principalBinding: string;
  readonly risk: string;
  readonly sideEffects: string;
  /** Needs a step of its own and is never decided together with others: it destroys, or reaches into the system. */
  readonly ownTick: boolean;
  /** What it would touch, one per line; empty where that could not be determined. */
  readonly target: string;
  /** JSON text of all parameters. */
  readonly params: string;
  /** The caller's own words, possibly empty. */
  readonly reason: string;
  /** What the caller says its reason rests on; its own words. */
  readonly evidence: readonly string[];
  /** The caller's label for what it wants altogether, or empty; the same in all rows of a question. */
  readonly intention: string;
  /** Why the last answer to this row did not count, in words of the broker; empty at first. */
  readonly problem: string;
  /** Whether it can be taken back and for how long, in words of the broker. */
  readonly undo: string;
  /** The decisions that have an effect: `once`, `session`, `modified`, `later`, `deny`, `deny_session`. */
  readonly choices: readonly string[];
}

export interface ConfirmQuestion {
  readonly id: string;
  readonly items: readonly ConfirmItem[];
  readonly locale: string;
  /** Milliseconds, from now, that an answer is waited for. */
  readonly deadlineMs: number;
  /** Milliseconds for which an answer counts as none. */
  readonly armingMs: number;
  readonly assurance: string;
  /** Aborts when no answer is needed any more. */
  readonly signal: AbortSignal;
}

/** What the person decided about one row: one of its choices. */
export type Decision =
  | { readonly decision: 'once' | 'deny' | 'deny_session'; readonly note?: string | undefined }
  /** The same capability on the same target is not asked about again, for so many minutes at most: 1 to 480, by default 60. */
  | {
      readonly decision: 'session';
      readonly minutes?: number | undefined;
      readonly note?: string | undefined;
    }
  /** Run it with these parameters instead: JSON text. Where they are refused, the row is put again with its `problem`. */
  | { readonly decision: 'modified'; readonly params: string; readonly note?: string | undefined }
  /** Off the screen, and kept in the list. */
  | { readonly decision: 'later' };

/** Asks the person; resolves with a decision per digest. To reject is to give no answer, which allows nothing. */
export type Decide = (question: ConfirmQuestion) => Promise<ReadonlyMap<string, Decision>>;

/** The interface that the broker calls to ask the person. Nobody else is answered. */
export function confirmerInterface(decide: Decide, isBroker: (sender: string) => boolean): InterfaceSpec {
  const open = new Map<string, AbortController>();
  const refuseStranger = (sender: string): void => {
    if (!isBroker(sender))
      throw new DBusError('invalid', ERROR_NAME.accessDenied, 'only the broker may call this');
  };
  return {
    name: CONFIRMER,
    methods: {
      Confirm: {
        in: 'saa{sv}a{sv}',
        out: 'a{sv}',
        handle: async ([id, items, context], { sender }) => {
          refuseStranger(sender);
          const name = text(id);
          if (open.has(name)) throw invalid('this question is open already');
          const controller = new AbortController();
          open.set(name, controller);
          try {
            return [encode(await decide(parseQuestion(name, items, context, controller.signal)))];
          } finally {
            open.delete(name);
          }
        },
      },
      Withdraw: {
        in: 's',
        out: '',
        handle: ([id], { sender }) => {
          refuseStranger(sender);
          open.get(text(id))?.abort(new DOMException('the question was withdrawn', 'AbortError'));
          return [];
        },
      },
    },
  };
}

function encode(decisions: ReadonlyMap<string, Decision>): readonly (readonly [string, unknown])[] {
  return [...decisions].map(([digest, decision]) => [digest, variant('a{sv}', encodeRow(decision))]);
}

function encodeRow(given: Decision): Readonly<Record<string, unknown>> {
  const note = 'note' in given ? given.note : undefined;
  const minutes = 'minutes' in given ? given.minutes : undefined;
  return {
    decision: variant('s', given.decision),
    ...('params' in given ? { params: variant('s', given.params) } : {}),
    ...(minutes === undefined ? {} : { minutes: variant('u', minutes) }),
    ...(note === undefined ? {} : { note: variant('s', note) }),
  };
}

function parseQuestion(id: string, items: unknown, context: unknown, signal: AbortSignal): ConfirmQuestion {
  const entries = new Entries(context);
  return {
    id,
    items: array(items).map(parseItem),
    locale: entries.text('locale'),
    deadlineMs: entries.number('deadline_ms'),
    armingMs: entries.number('arming_ms'),
    assurance: entries.text('assurance'),
    signal,
  };
}

function parseItem(value: unknown): ConfirmItem {
  const entries = new Entries(value);
  return {
    invocation: entries.text('invocation'),
    digest: entries.text('digest'),
    kind: entries.text('kind'),
    capability: entries.text('capability'),
    version: entries.text('version'),
    title: entries.text('title'),
    appId: entries.text('app_id'),
    binding: entries.text('binding'),
    principal: entries.text('principal'),
    principalBinding: entries.text('principal_binding'),
    risk: entries.text('risk'),
    sideEffects: entries.text('side_effects'),
    ownTick: entries.flag('own_tick'),
    target: entries.text('target'),
    params: entries.text('params'),
    reason: entries.text('reason'),
    evidence: entries.texts('evidence'),
    intention: entries.text('intention'),
    problem: entries.text('problem'),
    undo: entries.text('undo'),
    choices: entries.texts('choices'),
  };
}

/** The entries of a received `a{sv}`. A missing one refuses the call: a person must not decide about half a question. */
class Entries {
  readonly #entries: Map<string, unknown>;

  constructor(value: unknown) {
    this.#entries = asDictionary(value);
  }

  text(key: string): string {
    return text(this.#entries.get(key));
  }

  texts(key: string): readonly string[] {
    return array(this.#entries.get(key)).map(text);
  }

  flag(key: string): boolean {
    const value = this.#entries.get(key);
    if (typeof value === 'boolean') return value;
    throw invalid(`the question lacks \`${key}\``);
  }

  number(key: string): number {
    const value = this.#entries.get(key);
    if (typeof value === 'number') return value;
    throw invalid(`the question lacks \`${key}\``);
  }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid('the question lacks a text');
}

function array(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid('the question lacks a list');
}

function invalid(message: string): DBusError {
  return new DBusError('invalid', ERROR_NAME.invalidArgs, message);
}
