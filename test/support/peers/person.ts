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
  readonly decision?: 'once' | 'deny';
  readonly note?: string;
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
  async confirm({ answers, fallback }) {
    script = answers as Answer[];
    const client = await operator();
    unregister = await client.registerConfirmer(decide, { fallback: fallback === true });
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

async function decide({
  items,
  signal,
  ...question
}: ConfirmQuestion): Promise<ReadonlyMap<string, Decision>> {
  const [item] = items;
  if (item === undefined) throw new Error('a question without a row');
  signal.addEventListener('abort', () => tell('withdrawn', item.invocation), { once: true });
  tell('asked', { ...question, ...item });
  const answer = (script.length > 1 ? script.shift() : script[0]) ?? {};
  if (answer.afterMs !== undefined) await wait(answer.afterMs);
  if (answer.exit === true) process.exit(4);
  if (answer.error === true) throw new Error('this surface is broken');
  const { decision, note, digest = item.digest } = answer;
  const decided = decision === undefined ? await later(item.invocation) : { decision, note };
  return new Map([[digest, decided]]);
}

function later(invocation: string): Promise<Decision> {
  return new Promise((resolve) => held.set(invocation, resolve));
}
