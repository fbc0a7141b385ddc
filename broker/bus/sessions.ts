// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from '../../dbus/connection.ts';
import type { IntentContext } from '../../policy/intent.ts';
import { IdentityError } from '../identity/error.ts';
import type { Peer, Peers } from '../identity/peer.ts';
import { isUnmatched, type Principal } from '../identity/principal.ts';
import type { Duty, Roles } from '../identity/roles.ts';
import type { Caller } from '../intent/attempt.ts';
import { CallError } from './errors.ts';

/** What a connection can hear of changes in, once it has asked for it. */
export type Topic = 'apps' | 'pending' | 'grants' | 'rules';

/** What the broker knows of one connection, from its first call until it leaves the bus. */
export class Session implements Caller {
  readonly connection: string;
  readonly peer: Peer;
  readonly principal: Principal;
  /** The registry's epoch this connection listed last; until it lists, the one it first called in. */
  epoch: number;
  /** Whether it listed, and so wants to hear of changes. */
  listed = false;
  /** What it asked for, and so wants to hear of changes in. */
  readonly follows = new Set<Topic>();
  /** Apps whose events it receives. */
  readonly subscriptions = new Set<string>();
  /** Whether it asks for things to be done. */
  isAsking = false;
  /** Whether the connection has left the bus. */
  gone = false;
  /** What it still waits for, by handle token. */
  readonly requests = new Map<string, { withdraw(): void }>();
  #context: IntentContext = 'live';

  /** Whose actions and outcomes these are: those that nothing tells apart share a name, and nothing else. */
  get owner(): string {
    return isUnmatched(this.principal) ? `${this.principal.id} ${this.connection}` : this.principal.id;
  }

  constructor(peer: Peer, principal: Principal, epoch: number) {
    this.connection = peer.name;
    this.peer = peer;
    this.principal = principal;
    this.epoch = epoch;
  }

  /**
   * Called right before anything is done that lasts, whatever was awaited before. A call and the end of its connection can
   * arrive in one piece: then the handler goes on after everything of this connection was cleaned away, and what it made
   * would stay for good.
   * @throws CallError `AccessDenied` once the connection has left the bus
   */
  requirePresent(): void {
    if (this.gone) throw leftTheBus();
  }

  /** The context that an intent would have, without having it for good: a look at what would be changes nothing. */
  contextIf(said: IntentContext): IntentContext {
    return this.#context === 'live' ? said : this.#context;
  }

  /** A connection that once spoke out of a dream or a replay does so for good: it cannot wake up by saying so. */
  contextOf(said: IntentContext): IntentContext {
    this.#context = this.contextIf(said);
    return this.#context;
  }
}

interface Deps {
  readonly peers: Pick<Peers, 'lookup' | 'onVanished'>;
  readonly recognise: (peer: Peer) => Principal;
  readonly roles: Pick<Roles, 'claim'>;
  readonly epoch: () => number;
  /** Records the attempt. */
  readonly refused: (session: Session, duty: Duty) => Promise<void>;
  readonly gone: (session: Session) => void;
}

/** A connection whose first call waits for its identity. */
interface Arrival {
  readonly session: Promise<Session>;
  /** It left before it was known. */
  left: boolean;
}

/** The connections that call this service, by unique name. */
export class Sessions {
  readonly #deps: Deps;
  readonly #open = new Map<string, Session>();
  readonly #arriving = new Map<string, Arrival>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.peers.onVanished((name) => this.#close(name));
  }

  /** Who made this call. Nothing in its body is asked. */
  of(call: Pick<IncomingCall, 'sender'>): Session | Promise<Session> {
    return (
      this.#open.get(call.sender) ?? this.#arriving.get(call.sender)?.session ?? this.#start(call.sender)
    );
  }

  /**
   * Who made this call, in a role that it takes on with it.
   * @throws CallError as `claim`
   */
  async as(call: Pick<IncomingCall, 'sender'>, duty: Duty): Promise<Session> {
    const session = await this.of(call);
    await this.claim(session, duty);
    return session;
  }

  /** A connection that has called before and is still there. */
  byName(name: string): Session | undefined {
    return this.#open.get(name);
  }

  all(): Iterable<Session> {
    return this.#open.values();
  }

  /**
   * Takes on a role for this connection. A refusal is on record before its caller learns of it.
   * @throws CallError `AccessDenied` when it has one that excludes it, may not have it at all, or left the bus
   */
  async claim(session: Session, duty: Duty): Promise<void> {
    session.requirePresent();
    if (this.#deps.roles.claim(session.connection, session.principal, duty) === 'ok') {
      if (duty === 'dispatch') session.isAsking = true;
      return;
    }
    await this.#deps.refused(session, duty);
    throw new CallError('AccessDenied', DENIED[duty]);
  }

  #start(name: string): Promise<Session> {
    const session = this.#lookUp(name).finally(() => this.#arriving.delete(name));
    this.#arriving.set(name, { session, left: false });
    return session;
  }

  async #lookUp(name: string): Promise<Session> {
    const peer = await this.#deps.peers.lookup(name).catch(refuseUnknown);
    // Whoever left meanwhile will not leave again, so nothing would ever clean up after it.
    if (this.#arriving.get(name)?.left !== false) throw leftTheBus();
    const session = new Session(peer, this.#deps.recognise(peer), this.#deps.epoch());
    this.#open.set(name, session);
    return session;
  }

  #close(name: string): void {
    const arrival = this.#arriving.get(name);
    if (arrival !== undefined) arrival.left = true;
    const session = this.#open.get(name);
    if (session === undefined) return;
    this.#open.delete(name);
    session.gone = true;
    for (const request of session.requests.values()) request.withdraw();
    this.#deps.gone(session);
  }
}

/** Whoever cannot be told apart from others is nobody. That is the caller's doing (it left, say) and no fault of ours. */
function refuseUnknown(error: unknown): never {
  if (!(error instanceof IdentityError)) throw error;
  throw new CallError(
    'AccessDenied',
    `${error.message}: call from a process that stays and can be looked at`,
  );
}

function leftTheBus(): CallError {
  return new CallError('AccessDenied', 'this connection has left the bus: nothing is done for it any more');
}

const DENIED: Readonly<Record<Duty, string>> = {
  dispatch:
    'this connection offers capabilities or decides for the person, so it may not dispatch: use another process',
  provide:
    'this connection has dispatched or decides for the person, so it may not offer capabilities: use another process',
  decide:
    'only a confirmer that the administrator configured may do this, and never one that dispatches or offers capabilities',
  operate:
    "only the person's own tools may do this, and never a process that dispatches or offers capabilities",
};
