// SPDX-License-Identifier: Apache-2.0
import { setTimeout as wait } from 'node:timers/promises';
import {
  CapabilityError,
  type CapabilityFailure,
  type CapabilityHandler,
  type CapabilityResult,
  type InvocationContext,
  type Served,
  serveCapabilities,
} from '../../../broker/handler.ts';
import { type Command, tell } from './channel.ts';

/** How the app behaves when a capability is invoked. What is left out is the honest case: an answer at once. */
export interface Behaviour {
  /** Milliseconds before anything else happens. */
  readonly delayMs?: number;
  readonly result?: CapabilityResult;
  readonly failure?: CapabilityFailure;
  /** Thrown as an ordinary error. */
  readonly crash?: string;
  readonly hang?: boolean;
  /** Ends the process. */
  readonly exit?: boolean;
}

const behaviours = new Map<string, Behaviour>();
const refusals = new Map<string, string>();
let served: Served | undefined;

const UNDO = 'undo';

export const appCommands: Readonly<Record<string, Command>> = {
  async serve({ manifest }) {
    served = await serveCapabilities(handlerOf(String(manifest)), {
      onStanding: (standing) => tell('standing', standing),
      onFault: () => undefined,
    });
    return served.standing;
  },
  async behave({ capability, behaviour }) {
    behaviours.set(String(capability), behaviour as Behaviour);
  },
  /** Makes the app's own `validateParams` refuse a capability with these words. */
  async refuse({ capability, message }) {
    refusals.set(String(capability), String(message));
  },
  async emit({ type, payload }) {
    await served?.emitEvent(String(type), payload);
  },
  async progress({ invocation, permille, text }) {
    await served?.progress(String(invocation), Number(permille), String(text));
  },
  async leave() {
    await served?.close();
  },
};

function handlerOf(manifest: string): CapabilityHandler {
  return {
    manifest: Buffer.from(manifest),
    validateParams(capability) {
      const message = refusals.get(capability);
      if (message !== undefined) throw new CapabilityError({ code: 'InvalidParams', message });
    },
    async invoke(capability, params, context) {
      tell('invoked', { capability, params, context: shown(context) });
      return await act(behaviours.get(capability) ?? {}, params, context);
    },
    async undo(token, context) {
      tell('undone', { token, context: shown(context) });
      return await act(behaviours.get(UNDO) ?? {}, {}, context);
    },
  };
}

function shown({ signal, ...rest }: InvocationContext): unknown {
  signal.addEventListener('abort', () => tell('cancelled', rest.invocation), { once: true });
  return { ...rest, timestamp: rest.timestamp.toISOString() };
}

async function act(
  behaviour: Behaviour,
  params: unknown,
  { invocation }: InvocationContext,
): Promise<CapabilityResult> {
  const { delayMs = 0, result, failure, crash, hang, exit } = behaviour;
  if (delayMs > 0) await wait(delayMs);
  if (exit === true) process.exit(3);
  if (hang === true) await new Promise(() => undefined);
  if (failure !== undefined) throw new CapabilityError(failure);
  if (crash !== undefined) throw new Error(crash);
  tell('answering', invocation);
  return result ?? { success: true, data: { echo: params } };
}
