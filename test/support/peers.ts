// SPDX-License-Identifier: Apache-2.0
import type {
  AuditFilter,
  ConfirmItem,
  Decision,
  Explanation,
  IntentOptions,
  ListFilter,
  Listing,
  Outcome,
  PendingRow,
  SelfModel,
} from '../../broker/client.ts';
import type { Standing } from '../../broker/handler.ts';
import type { Match, MethodCall } from '../../dbus/connection.ts';
import type { Json } from './fixture-app.ts';
import type { PeerProcess } from './peer-process.ts';
import type { Behaviour } from './peers/app.ts';
import type { Answer } from './peers/person.ts';

export interface Invoked {
  readonly capability: string;
  readonly params: Json;
  readonly context: Readonly<Record<string, string | undefined>>;
}

/** A peer that offers capabilities through the handler library. */
export class AppPeer {
  readonly process: PeerProcess;

  constructor(process: PeerProcess) {
    this.process = process;
  }

  async serve(manifest: string): Promise<Standing> {
    return await this.process.ask('serve', { manifest });
  }

  async behave(capability: string, behaviour: Behaviour): Promise<void> {
    await this.process.ask('behave', { capability, behaviour });
  }

  async emit(type: string, payload: unknown): Promise<void> {
    await this.process.ask('emit', { type, payload });
  }

  /** Every invocation that reached the app so far. */
  get invoked(): readonly Invoked[] {
    return this.process.tellings.all('invoked');
  }

  timesInvoked(capability: string): number {
    return this.invoked.filter((one) => one.capability === capability).length;
  }

  async nextInvoked(capability?: string): Promise<Invoked> {
    return await this.process.tellings.next<Invoked>(
      'invoked',
      (one) => capability === undefined || one.capability === capability,
    );
  }
}

/** A peer that dispatches through the client library. */
export class AgentPeer {
  readonly process: PeerProcess;

  constructor(process: PeerProcess) {
    this.process = process;
  }

  async dispatch(
    capability: string,
    params: Json = {},
    options: IntentOptions = {},
    key?: string,
  ): Promise<Outcome> {
    return await this.process.ask('dispatch', { capability, params, options, key });
  }

  async undo(invocation: string): Promise<Outcome> {
    return await this.process.ask('undo', { invocation });
  }

  async explain(capability: string, params: Json = {}, options: IntentOptions = {}): Promise<Explanation> {
    return await this.process.ask('explain', { capability, params, options });
  }

  async list(filter: ListFilter = {}): Promise<Listing> {
    return await this.process.ask('list', { filter });
  }

  async selfModel(): Promise<SelfModel> {
    return await this.process.ask('selfModel');
  }

  async requestCapability(request: Json): Promise<string> {
    return await this.process.ask('requestCapability', { request });
  }

  async outcome(invocation: string): Promise<Outcome | undefined> {
    return (await this.process.ask<Outcome | null>('outcome', { invocation })) ?? undefined;
  }
}

export type Asked = ConfirmItem & { readonly id: string };
export type AuditRow = Readonly<Record<string, unknown>> & { readonly type: string };

/** A peer that answers confirmations, looks back and takes back. */
export class PersonPeer {
  readonly process: PeerProcess;

  constructor(process: PeerProcess) {
    this.process = process;
  }

  /** Registers as the confirmation surface; the last answer stays for all questions after it. */
  async confirm(answers: readonly Answer[], fallback = false, canModify = false): Promise<void> {
    await this.process.ask('confirm', { answers, fallback, canModify });
  }

  async script(...answers: readonly Answer[]): Promise<void> {
    await this.process.ask('script', { answers });
  }

  async decide(invocation: string, decision: Decision['decision'], note?: string): Promise<void> {
    await this.process.ask('decide', { invocation, decision, note });
  }

  /** Calls a method of the operator's client, such as `approvals.approve`. */
  async operate<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    return await this.process.ask('operate', { method, args });
  }

  async pending(ended = false): Promise<readonly PendingRow[]> {
    return await this.operate('approvals.list', { ended });
  }

  /** Resolves with the one entry that waits, once there is one. */
  async nextPending(capability?: string): Promise<PendingRow> {
    for (;;) {
      const rows = await this.pending();
      const found = rows.find((row) => capability === undefined || row.capability === capability);
      if (found !== undefined) return found;
    }
  }

  get asked(): readonly Asked[] {
    return this.process.tellings.all('asked');
  }

  async nextAsked(capability?: string): Promise<Asked> {
    return await this.process.tellings.next<Asked>(
      'asked',
      (one) => capability === undefined || one.capability === capability,
    );
  }

  async audit(filter: AuditFilter = {}): Promise<readonly AuditRow[]> {
    return await this.process.ask('audit', { filter: { limit: 1000, ...filter } });
  }

  async verify(): Promise<Json> {
    return await this.process.ask('verify');
  }

  async apps(): Promise<readonly Json[]> {
    return await this.process.ask('apps');
  }
}

/** A peer that says what it likes on the bus. */
export class RawPeer {
  readonly process: PeerProcess;

  constructor(process: PeerProcess) {
    this.process = process;
  }

  async name(connection?: string): Promise<string> {
    return await this.process.ask('name', { connection });
  }

  async call(call: MethodCall, connection?: string): Promise<readonly unknown[]> {
    return await this.process.ask('call', { call, connection });
  }

  async hear(match: Match, connection?: string): Promise<void> {
    await this.process.ask('hear', { match, connection });
  }

  get heard(): readonly Json[] {
    return this.process.tellings.all('heard');
  }
}
