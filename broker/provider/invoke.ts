// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import { DBusError, ERROR_NAME } from '../../dbus/error.ts';
import { variant } from '../../dbus/values.ts';
import { ERROR_PREFIX, PROVIDER } from '../bus/names.ts';
import type { Attempt } from '../intent/attempt.ts';
import type { Action } from '../intent/handle.ts';
import type { Prepared } from '../intent/prepare.ts';
import type { Code } from '../intent/stage.ts';
import type { CallProvider, Provider } from './providers.ts';
import { ProviderFailure, parseResult } from './result.ts';

interface Deps {
  readonly bus: Pick<Connection, 'call'>;
  readonly now: () => number;
  readonly maxDepth: number;
}

/**
 * Makes the call to a provider: to its unique name, bounded in time and size, cancelled when nobody waits any more or the
 * provider is none any more.
 */
export function providerCaller({ bus, now, maxDepth }: Deps): CallProvider {
  return async (provider, action, ready, attempt, left) => {
    try {
      const [text] = await bus.call({
        destination: provider.connection,
        path: provider.path,
        interface: PROVIDER,
        ...message(provider, action, ready, attempt, now()),
        timeoutMs: ready.timeoutMs,
        signal: [attempt.signal, left],
      });
      if (typeof text !== 'string') {
        throw new ProviderFailure('ResultInvalid', "the app's answer is no text", {
          says: 'nothing',
          overBound: true,
        });
      }
      return parseResult(text, ready.entry.capability.bounds.maxResultBytes, maxDepth);
    } catch (error) {
      if (!(error instanceof DBusError)) throw error;
      if (error.code === 'timeout' || error.code === 'aborted') cancel(bus, provider, attempt);
      if (left.aborted && error.code === 'aborted') throw providerLeft(error);
      throw failureOf(error, ready);
    }
  };
}

function message(provider: Provider, action: Action, ready: Prepared, attempt: Attempt, now: number) {
  const { principal } = attempt.caller;
  const context = {
    source: variant('s', 'SystemIntelligence'),
    timestamp: variant('s', new Date(now).toISOString()),
    app_id: variant('s', provider.appId),
    principal: variant('s', principal.id),
    invocation: variant('s', attempt.invocation),
    ...(action.kind === 'invoke' && action.intent.session !== undefined
      ? { session_id: variant('s', action.intent.session) }
      : {}),
  };
  if (ready.undo !== undefined)
    return { member: 'Undo', signature: 'sa{sv}', body: [ready.undo.token, context] };
  const body = [attempt.invocation, ready.entry.capability.id, ready.params, context];
  return { member: 'Invoke', signature: 'sssa{sv}', body };
}

/** Tells the app that nobody waits any more. What it answers later finds no call to answer. */
function cancel(bus: Pick<Connection, 'call'>, provider: Provider, attempt: Attempt): void {
  const call = {
    destination: provider.connection,
    path: provider.path,
    interface: PROVIDER,
    member: 'Cancel',
    signature: 's',
    body: [attempt.invocation],
  };
  bus.call(call).catch(() => undefined);
}

/** The provider's own errors, by the last word of their bus name. */
const SAID: ReadonlyMap<string, Code> = new Map<string, Code>([
  ['NotFound', 'NotFound'],
  ['InvalidParams', 'InvalidParams'],
  ['ExecutionFailed', 'ExecutionFailed'],
  ['PermissionDenied', 'PermissionDenied'],
  ['Timeout', 'Timeout'],
  ['AppUnresponsive', 'AppUnresponsive'],
]);
/** An app that says so does not say how it ended: what it began may still go on. */
const UNSURE: ReadonlySet<Code> = new Set<Code>(['Timeout', 'AppUnresponsive']);
const MAX_MESSAGE = 500;

function failureOf(error: DBusError, ready: Prepared): ProviderFailure {
  switch (error.code) {
    case 'timeout':
      return new ProviderFailure(
        'Timeout',
        `no answer within ${ready.timeoutMs} ms; the app was told to stop`,
        {
          says: 'nothing',
          // A caller that would not wait as long as was declared must not be able to put the app out of service.
          overBound: ready.timeoutMs >= ready.entry.capability.bounds.timeoutMs,
        },
      );
    case 'aborted':
      return new ProviderFailure('Cancelled', 'cancelled while it ran; the app was told to stop', {
        says: 'nothing',
      });
    case 'limit':
      return new ProviderFailure(
        'ResultTooLarge',
        "the app's answer is larger than the bus connection takes",
        { says: 'nothing', overBound: true },
        { cause: error },
      );
    case 'invalid':
      return new ProviderFailure(
        'Failed',
        'the parameters cannot be sent over the bus',
        { says: 'failed' },
        { cause: error },
      );
    case 'protocol':
      return new ProviderFailure(
        'ResultInvalid',
        "the app's answer cannot be read",
        { says: 'nothing', overBound: true },
        { cause: error },
      );
    case 'disconnected':
      return new ProviderFailure(
        'ProviderGone',
        'the connection was lost while it ran',
        { says: 'nothing' },
        { cause: error },
      );
    case 'remote':
      return remoteFailure(error);
  }
}

/** What it had begun may have happened; that it was told to stop, only a provider that is still there has heard. */
function providerLeft(cause: DBusError): ProviderFailure {
  return new ProviderFailure(
    'ProviderGone',
    'the app is no longer registered; it was told to stop while it ran',
    { says: 'nothing' },
    { cause },
  );
}

function remoteFailure(error: DBusError): ProviderFailure {
  const said = error.name.startsWith(ERROR_PREFIX)
    ? SAID.get(error.name.slice(ERROR_PREFIX.length))
    : undefined;
  if (said !== undefined) {
    const { message, recoverable } = appsWords(error.message);
    return new ProviderFailure(said, message, { says: UNSURE.has(said) ? 'nothing' : 'failed', recoverable });
  }
  // The bus answers so for a peer that never got the call; any other unnamed error may have come half-way through.
  if (error.name === NEVER_DELIVERED) {
    return new ProviderFailure('ProviderGone', 'the app is gone', { says: 'failed' });
  }
  if (error.name === ERROR_NAME.noReply) {
    return new ProviderFailure('ProviderGone', 'the app went away while it ran', { says: 'nothing' });
  }
  return new ProviderFailure('ExecutionFailed', 'the app failed and did not say how', { says: 'nothing' });
}

const NEVER_DELIVERED = 'org.freedesktop.DBus.Error.ServiceUnknown';

/** The app's own words about its failure, labelled and bounded: JSON with a reason or message, or plain text. */
function appsWords(text: string): { message: string; recoverable: boolean } {
  let reason = text;
  let recoverable = false;
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said === 'object' && said !== null) {
      if ('message' in said && typeof said.message === 'string') reason = said.message;
      if ('reason' in said && typeof said.reason === 'string') reason = said.reason;
      recoverable = 'recoverable' in said && said.recoverable === true;
    }
  } catch {
    // Plain text is as good.
  }
  return { message: `the app says: ${reason.slice(0, MAX_MESSAGE)}`, recoverable };
}
