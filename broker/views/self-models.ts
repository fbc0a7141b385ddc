// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import { type SelfModel, selfModel } from '../../policy/self-model.ts';
import type { Actions } from '../actions.ts';
import { BROKER, ROOT_PATH } from '../bus/names.ts';
import type { Session } from '../bus/sessions.ts';
import type { CapabilityRequests } from '../grant/capability-requests.ts';
import type { GrantView } from '../grant/grant-form.ts';
import type { Ledger } from '../grant/ledger.ts';
import type { PolicyView } from './policy-view.ts';

interface Deps {
  readonly bus: Pick<Connection, 'emit'>;
  readonly view: Pick<PolicyView, 'subjects' | 'circumstances'>;
  readonly ledger: Pick<Ledger, 'of'>;
  readonly requests: Pick<CapabilityRequests, 'of'>;
  readonly actions: Pick<Actions, 'of'>;
}

/** Each use of a grant is a change, and nobody needs to hear of every one. In milliseconds. */
const SOON_MS = 100;

/**
 * What each intelligence may do, told when it asks and told again when it changed. Who has asked is looked at after each
 * change of anything that bears on it, one after the other, so that many of them do not hold up everybody else.
 */
export class SelfModels {
  readonly #deps: Deps;
  /** What each connection was told last, of abilities alone. */
  readonly #told = new Map<Session, string>();
  #waiting: Session[] = [];
  #soon: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The model of this moment, of what the caller has listed: what it has not seen it cannot mean. */
  tell(session: Session): { epoch: number; text: string } {
    const abilities = this.#abilities(session);
    this.#told.set(session, JSON.stringify(abilities));
    const actions = this.#deps.actions.of(session.owner);
    return { epoch: session.epoch, text: JSON.stringify({ ...abilities, actions }) };
  }

  /** Something changed that abilities depend on. Looked at in a moment, together with what else changes till then. */
  refresh(): void {
    if (this.#told.size === 0) return;
    this.#soon ??= setTimeout(() => this.#begin(), SOON_MS).unref();
  }

  forget(session: Session): void {
    this.#told.delete(session);
  }

  #begin(): void {
    this.#soon = undefined;
    const idle = this.#waiting.length === 0;
    this.#waiting = [...this.#told.keys()];
    if (idle) this.#next();
  }

  #next(): void {
    const session = this.#waiting.shift();
    if (session !== undefined && this.#told.has(session)) this.#lookAgain(session);
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }

  #lookAgain(session: Session): void {
    const abilities = JSON.stringify(this.#abilities(session));
    if (abilities === this.#told.get(session)) return;
    this.#told.set(session, abilities);
    this.#deps.bus.emit({
      destination: session.connection,
      path: ROOT_PATH,
      interface: BROKER,
      member: 'SelfModelChanged',
      signature: 't',
      body: [BigInt(session.epoch)],
    });
  }

  #abilities({ principal, epoch }: Session): Omit<SelfModel<GrantView>, 'actions'> {
    const { view, ledger, requests } = this.#deps;
    const holdings = { grants: ledger.of(principal), requests: requests.of(principal), actions: [] };
    const { actions, ...abilities } = selfModel(
      principal,
      view.subjects(epoch),
      view.circumstances(),
      holdings,
    );
    return abilities;
  }
}
