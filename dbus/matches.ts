// SPDX-License-Identifier: Apache-2.0
import type { IncomingSignal } from './messages.ts';
import { BUS_NAME } from './messages.ts';

/** Which signals to receive; what is left out matches everything. */
export interface Match {
  readonly sender?: string;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly arg0?: string;
}

export type SignalListener = (signal: IncomingSignal) => void;

/** Calls a method of the bus that takes one text. */
export type AskBus = (member: string, text: string) => Promise<readonly unknown[]>;

/** The rule text for AddMatch. D-Bus specification, "Match Rules": a quote inside a value is written outside the quotes. */
export function matchRule(match: Match): string {
  const keys = ['sender', 'path', 'interface', 'member', 'arg0'] as const;
  const terms = keys.flatMap((key) => {
    const value = match[key];
    return value === undefined ? [] : [`${key}='${value.replaceAll("'", "'\\''")}'`];
  });
  return ["type='signal'", ...terms].join(',');
}

interface Watcher {
  readonly match: Match;
  readonly isSender: (sender: string) => boolean;
  readonly listener: SignalListener;
}

interface Rule {
  users: number;
  readonly added: Promise<unknown>;
}

/**
 * The match rules of one connection, each added to the bus once however many listeners share it. Every signal is
 * matched again here: a peer can send any signal straight to us, whatever the rules say.
 */
export class Matches {
  readonly #askBus: AskBus;
  readonly #fault: (error: unknown) => void;
  readonly #rules = new Map<string, Rule>();
  readonly #watchers = new Set<Watcher>();

  constructor(askBus: AskBus, fault: (error: unknown) => void) {
    this.#askBus = askBus;
    this.#fault = fault;
  }

  /**
   * Resolves when the bus holds the rule. `isSender` decides about senders where the match names a well-known name,
   * since signals carry the owner's unique name.
   */
  async add(
    match: Match,
    listener: SignalListener,
    isSender: (sender: string) => boolean = (sender) => match.sender === undefined || match.sender === sender,
  ): Promise<() => Promise<void>> {
    const watcher: Watcher = { match, isSender, listener };
    this.#watchers.add(watcher);
    const text = matchRule(match);
    const rule = this.#rules.get(text) ?? { users: 0, added: this.#askBus('AddMatch', text) };
    this.#rules.set(text, rule);
    rule.users += 1;
    let active = true;
    const release = (): boolean => {
      active = false;
      this.#watchers.delete(watcher);
      rule.users -= 1;
      if (rule.users === 0) this.#rules.delete(text);
      return rule.users === 0;
    };
    try {
      await rule.added;
    } catch (error) {
      release();
      throw error;
    }
    return async () => {
      // It fails only where the rule is gone already, with the connection for instance.
      if (active && release()) await this.#askBus('RemoveMatch', text).catch(() => undefined);
    };
  }

  deliver(signal: IncomingSignal): void {
    for (const watcher of [...this.#watchers]) {
      try {
        if (matches(watcher, signal)) watcher.listener(signal);
      } catch (error) {
        this.#fault(error);
      }
    }
  }
}

function matches({ match, isSender }: Watcher, signal: IncomingSignal): boolean {
  return (
    (match.member === undefined || match.member === signal.member) &&
    (match.interface === undefined || match.interface === signal.interface) &&
    (match.path === undefined || match.path === signal.path) &&
    isSender(signal.sender) &&
    (match.arg0 === undefined || (signal.signature.startsWith('s') && signal.body[0] === match.arg0))
  );
}

/** The one subscription that tells about names: of the bus itself, all names, filtered here. */
export const NAME_OWNER_CHANGED: Match = {
  sender: BUS_NAME,
  interface: BUS_NAME,
  member: 'NameOwnerChanged',
};
