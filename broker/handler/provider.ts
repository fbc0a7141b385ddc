// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { IncomingCall } from '../../dbus/connection.ts';
import { DBusError, ERROR_NAME } from '../../dbus/error.ts';
import type { Fault, InterfaceSpec, MethodSpec } from '../../dbus/serve.ts';
import { PROVIDER } from '../bus/names.ts';
import { isJsonObject } from '../peer/json.ts';
import { CapabilityError, encodeFailure } from './capability-error.ts';
import { invalid, invocationOf, parseContext } from './context.ts';
import type { CapabilityHandler, CapabilityResult, InvocationContext, Params } from './contract.ts';
import type { Running } from './running.ts';

export interface ProviderParts {
  readonly handler: CapabilityHandler;
  readonly running: Running;
  /** Whether the registered manifest declares this capability. */
  readonly declares: (capabilityId: string) => boolean;
  readonly isBroker: (sender: string) => boolean;
}

/** The interface that the broker calls, over an app's handler. Nobody else is answered. */
export function providerInterface(parts: ProviderParts): InterfaceSpec {
  const { handler, running } = parts;
  const fromBroker = (spec: MethodSpec): MethodSpec => ({
    ...spec,
    handle: (args, call) => {
      refuseStranger(parts, call);
      return spec.handle(args, call);
    },
  });
  return {
    name: PROVIDER,
    methods: {
      Invoke: fromBroker({
        in: 'sssa{sv}',
        out: 's',
        handle: async ([invocation, capability, params, context]) => {
          const id = text(invocation);
          return await running.track(id, async (signal) => {
            const full = parseContext(context, id, signal);
            const call = await checked(parts, capability, params);
            return answer(await handler.invoke(call.id, call.params, full));
          });
        },
      }),
      Cancel: fromBroker({
        in: 's',
        out: '',
        handle: ([invocation]) => {
          running.cancel(text(invocation));
          return [];
        },
      }),
      Undo: fromBroker({
        in: 'sa{sv}',
        out: 's',
        handle: async ([token, context]) => {
          if (handler.undo === undefined) throw notImplemented();
          const undo = handler.undo.bind(handler);
          return await named(running, context, async (full) => answer(await undo(text(token), full)));
        },
      }),
      ValidateParams: fromBroker({
        in: 'ss',
        out: 'bs',
        handle: async ([capability, params]) => await verdict(parts, capability, params),
      }),
      Preview: fromBroker({
        in: 'ssa{sv}',
        out: 's',
        handle: async ([capability, params, context]) => {
          if (handler.preview === undefined) throw notImplemented();
          const preview = handler.preview.bind(handler);
          const call = declared(parts, capability, params);
          return await named(running, context, async (full) => [await preview(call.id, call.params, full)]);
        },
      }),
    },
  };
}

/** What the broker learns of something thrown; what is no `CapabilityError` says nothing about what has happened. */
export function providerFault(report: (error: unknown) => void): (error: unknown) => Fault {
  return (error) => {
    if (error instanceof CapabilityError) return encodeFailure(error);
    if (error instanceof DBusError && error.code === 'invalid')
      return { name: error.name, text: error.message };
    report(error);
    return { name: ERROR_NAME.failed, text: 'the app failed' };
  };
}

function refuseStranger({ isBroker }: ProviderParts, call: IncomingCall): void {
  // Whoever could call this directly would run the app's capabilities past every check, person and record.
  if (!isBroker(call.sender)) {
    throw new DBusError('invalid', ERROR_NAME.accessDenied, 'only the broker may call this');
  }
}

interface DeclaredCall {
  readonly id: string;
  readonly params: Params;
}

function declared({ declares }: ProviderParts, capability: unknown, params: unknown): DeclaredCall {
  const id = text(capability);
  if (!declares(id))
    throw new CapabilityError({ code: 'NotFound', message: 'this app has no such capability' });
  return { id, params: parseParams(text(params)) };
}

async function checked(parts: ProviderParts, capability: unknown, params: unknown): Promise<DeclaredCall> {
  const call = declared(parts, capability, params);
  await parts.handler.validateParams?.(call.id, call.params);
  return call;
}

async function verdict(
  parts: ProviderParts,
  capability: unknown,
  params: unknown,
): Promise<[boolean, string]> {
  try {
    await checked(parts, capability, params);
    return [true, ''];
  } catch (error) {
    if (error instanceof CapabilityError && error.failure.code === 'InvalidParams')
      return [false, error.message];
    throw error;
  }
}

/** For calls whose invocation is named by the context, if at all. */
async function named(
  running: Running,
  context: unknown,
  work: (context: InvocationContext) => Promise<readonly unknown[]>,
): Promise<readonly unknown[]> {
  const id = invocationOf(context) ?? randomUUID();
  return await running.track(id, async (signal) => await work(parseContext(context, id, signal)));
}

function parseParams(json: string): Params {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new CapabilityError({ code: 'InvalidParams', message: 'the parameters are not JSON' }, { cause });
  }
  if (isJsonObject(value)) return value;
  throw new CapabilityError({ code: 'InvalidParams', message: 'the parameters are not a JSON object' });
}

function answer(result: CapabilityResult): [string] {
  const { success, data = null, stateAfter = null, undoToken = null } = result;
  return [JSON.stringify({ success, data, state_after: stateAfter, undo_token: undoToken })];
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid('expected a text');
}

function notImplemented(): DBusError {
  return new DBusError('invalid', ERROR_NAME.unknownMethod, 'this app does not offer that');
}
