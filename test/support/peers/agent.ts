// SPDX-License-Identifier: Apache-2.0
import {
  type BrokerClient,
  type CapabilityRequest,
  connectBroker,
  type IntentOptions,
  type ListFilter,
} from '../../../broker/client.ts';
import { type Command, tell } from './channel.ts';

let connected: Promise<BrokerClient> | undefined;
const cancels = new Map<string, AbortController>();
const stops = new Map<string, () => Promise<void>>();

function broker(): Promise<BrokerClient> {
  connected ??= connectBroker({ onFault: () => undefined });
  return connected;
}

export const agentCommands: Readonly<Record<string, Command>> = {
  async connect() {
    await broker();
  },
  /** With a `key`, `cancel` can stop it. */
  async dispatch({ capability, params, options, key }) {
    const controller = new AbortController();
    if (key !== undefined) cancels.set(String(key), controller);
    return await (await broker()).dispatch(String(capability), objectOf(params), {
      ...(options as IntentOptions),
      signal: controller.signal,
      onProgress: (permille, text) => tell('progress', { permille, text }),
    });
  },
  async cancel({ key }) {
    cancels.get(String(key))?.abort();
  },
  async undo({ invocation }) {
    return await (await broker()).undo(String(invocation));
  },
  async outcome({ invocation }) {
    return await (await broker()).outcome(String(invocation));
  },
  async explain({ capability, params, options }) {
    return await (await broker()).explain(String(capability), objectOf(params), options as IntentOptions);
  },
  async list({ filter }) {
    return await (await broker()).list(filter as ListFilter);
  },
  async selfModel() {
    return await (await broker()).selfModel();
  },
  async followSelf() {
    const client = await broker();
    await client.onSelfModelChanged((epoch) => tell('selfModelChanged', epoch));
    return await client.selfModel();
  },
  async requestCapability({ request }) {
    return await (await broker()).requestCapability(request as CapabilityRequest);
  },
  async withdrawRequest({ id }) {
    await (await broker()).withdrawRequest(String(id));
  },
  async properties() {
    return await (await broker()).properties();
  },
  async subscribe({ appId }) {
    const app = String(appId);
    stops.set(app, await (await broker()).subscribe(app, (event) => tell('event', event)));
  },
  async unsubscribe({ appId }) {
    await stops.get(String(appId))?.();
  },
  async follow() {
    const client = await broker();
    await client.onChanged((change) => tell('changed', change));
    await client.list();
  },
};

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return value as Readonly<Record<string, unknown>>;
}
