// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from '../../../dbus/connection.ts';
import type { Confirmers } from '../../approval/confirmers.ts';
import type { ApprovalDesk } from '../../approval/desk.ts';
import type { AuditDesk } from '../../audit-desk.ts';
import type { Explainer } from '../../explain.ts';
import type { CapabilityRequests } from '../../grant/capability-requests.ts';
import type { Ledger } from '../../grant/ledger.ts';
import { userName } from '../../identity/decider.ts';
import type { Registration } from '../../registration.ts';
import type { PolicyBook } from '../../rules/book.ts';
import type { Suspensions } from '../../suspensions.ts';
import type { PolicyView } from '../../views/policy-view.ts';
import type { World } from '../../world.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { Session, Sessions } from '../sessions.ts';

/** What the operator's calls work with. */
export interface OperatorDeps {
  readonly world: Pick<World, 'now' | 'records' | 'undos' | 'config' | 'policyLimits'>;
  readonly sessions: Sessions;
  readonly confirmers: Confirmers;
  readonly dispatcher: Dispatcher;
  readonly registration: Registration;
  readonly audit: AuditDesk;
  readonly desk: ApprovalDesk;
  readonly ledger: Ledger;
  readonly requests: CapabilityRequests;
  readonly book: PolicyBook;
  readonly view: PolicyView;
  /** Everything an explanation needs; nothing in it acts. */
  readonly explainer: Explainer;
  readonly suspensions: Suspensions;
  /** Told by the compositor whether the person's session is locked. */
  readonly lockSession: (locked: boolean) => void;
  /** Withdraws what a suspended principal waits for and cancels what runs for it. */
  readonly stop: (principal: string) => void;
  /** The person behind a call that widens. @throws CallError `NotAllowed` when there is none */
  readonly person: (session: Session) => Promise<string>;
}

/** An operator's session. @throws CallError `AccessDenied` for another role */
export function operatorOf(deps: Pick<OperatorDeps, 'sessions'>, call: IncomingCall): Promise<Session> {
  return deps.sessions.as(call, 'operate');
}

/** Who narrows something: the user whose tool it is, as the kernel says. */
export function userOf({ principal: { uid } }: Session): string {
  return userName(uid);
}
