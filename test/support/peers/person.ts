// SPDX-License-Identifier: Apache-2.0
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AuditFilter,
  type ConfirmQuestion,
  connectOperator,
  type Decision,
  type OperatorClient,
} from '../../../broker/client.ts';
import { type Command, tell } from './channel.ts';

/** What the person does with a question. Without `decision`: nothing, until `decide` or for ever. */
export interface Answer {
  readonly decision?: Decision['decision'];
  readonly note?: string;
  /** With `session`. */
  readonly minutes?: number;
  /** With `modified`: JSON text. */
  readonly params?: string;
  readonly afterMs?: number;
  /** Answers for this digest instead of the one that was asked about. */
  readonly digest?: string;
  /** Ends the process in place of an answer. */
  readonly exit?: boolean;
  /** Replies with an error in place of an answer. */
  readonly error?: boolean;
}

let connected: Promise<OperatorClient> | undefined;
/** The answers to the next questions; when only one is left it stays. */
let script: Answer[] = [];
const held = new Map<string, (decision: Decision) => void>();
let unregister: (() => Promise<void>) | undefined;

function operator(): Promise<OperatorClient> {
  connected ??= connectOperator({ onFault: () => undefined });
  return connected;
}

export const personCommands: Readonly<Record<string, Command>> = {
  /** Goes on as another user. Root alone can, and no connection may be open yet. */
  async become({ uid }) {
    process.setgroups?.([]);
    process.setgid?.(Number(uid));
    process.setuid?.(Number(uid));
  },
  async confirm({ answers, fallback, canModify }) {
    script = answers as Answer[];
    const client = await operator();
    unregister = await client.registerConfirmer(decide, {
      fallback: fallback === true,
      canModify: canModify === true,
    });
  },
  /** Calls a method of the operator's client, such as `approvals.approve`. */
  async operate({ method, args }) {
    const path = String(method).split('.');
    const name = path.pop() ?? '';
    const owner = path.reduce<unknown>((part, key) => memberOf(part, key), await operator());
    const call = memberOf(owner, name);
    if (typeof call !== 'function') throw new Error(`no method ${String(method)}`);
    return await call.apply(owner, args as unknown[]);
  },
  /** Tells of every change in what waits, is granted or rules. */
  async followDesk() {
    const client = await operator();
    await client.approvals.onChanged((ids) => tell('pendingChanged', ids));
    await client.approvals.onActing((principal, active) => tell('acting', { principal, active }));
    await client.approvals.onActed((acted) => tell('acted', acted));
    await client.grants.onChanged(() => tell('grantsChanged', {}));
    await client.policy.onChanged(() => tell('rulesChanged', {}));
    await Promise.all([client.approvals.list(), client.grants.list(), client.policy.rules()]);
  },
  async script({ answers }) {
    script = answers as Answer[];
  },
  /** Answers a question that was left open. */
  async decide({ invocation, decision, note }) {
    held.get(String(invocation))?.({ decision, note } as Decision);
  },
  async unregister() {
    await unregister?.();
  },
  async audit({ filter }) {
    return await (await operator()).audit(filter as AuditFilter);
  },
  async verify() {
    return await (await operator()).verifyAudit();
  },
  async apps() {
    return await (await operator()).apps();
  },
  async followApps() {
    const client = await operator();
    await client.onAppsChanged((appIds) => tell('appsChanged', appIds));
    await client.apps();
  },
  async takeBack({ invocation }) {
    return await (await operator()).undo(String(invocation));
  },
};

function memberOf(value: unknown, key: string): unknown {
  return Object(value)[key];
}

async function decide({
  items,
  signal,
  ...question
}: ConfirmQuestion): Promise<ReadonlyMap<string, Decision>> {
  const [item, ...others] = items;
  if (item === undefined) throw new Error('a question without a row');
  signal.addEventListener('abort', () => tell('withdrawn', item.invocation), { once: true });
  tell('asked', { ...question, ...item, rows: items.length });
  if (others.length > 0) return await decideEach(items);
  const answer = (script.length > 1 ? script.shift() : script[0]) ?? {};
  if (answer.afterMs !== undefined) await wait(answer.afterMs);
  if (answer.exit === true) process.exit(4);
  if (answer.error === true) throw new Error('this surface is broken');
  const { decision, note, minutes, params, digest = item.digest } = answer;
  const given = Object.fromEntries(
    Object.entries({ decision, note, minutes, params }).filter(([, value]) => value !== undefined),
  );
  const decided = decision === undefined ? await later(item.invocation) : (given as unknown as Decision);
  return new Map([[digest, decided]]);
}

/** Several rows: each is decided by its own answer of the script, by the text of its parameters; left out where none fits. */
async function decideEach(items: ConfirmQuestion['items']): Promise<ReadonlyMap<string, Decision>> {
  tell('rows', items);
  const decided = new Map<string, Decision>();
  for (const [index, { digest }] of items.entries()) {
    const decision = script[index]?.decision;
    if (decision !== undefined) decided.set(digest, { decision } as Decision);
  }
  return decided;
}

function later(invocation: string): Promise<Decision> {
  return new Promise((resolve) => held.set(invocation, resolve));
}
