// SPDX-License-Identifier: Apache-2.0

import type { Connection } from '../../dbus/connection.ts';
import { KeyError } from '../../keys/error.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import type { EventDeclaration } from '../../manifests/manifest.ts';
import type { SchemaCache } from '../../manifests/schema-cache.ts';
import type { Quotas } from '../config.ts';
import { CallError } from './errors.ts';
import { BROKER, ROOT_PATH } from './names.ts';
import type { Session, Sessions } from './sessions.ts';

/** Events are an app's word: they inform those who asked, and start nothing. */
const TRUST = 'low';
const MAX_DEPTH = 32;
const SECOND_MS = 1000;

interface Deps {
  readonly bus: Pick<Connection, 'emit'>;
  readonly sessions: Pick<Sessions, 'all'>;
  readonly schemas: Pick<SchemaCache, 'validatorForEvent'>;
  readonly quotas: Pick<Quotas, 'eventBytes' | 'eventsPerSecond'>;
  readonly now: () => number;
  /** Whether nobody is told anything: the person's session is locked. */
  readonly sessionLocked: () => boolean;
  /** Whether the person has stopped whoever listens. */
  readonly stopped: (session: Session) => boolean;
}

/** Carries declared events of registered apps to those who subscribed, one by one and to nobody else. */
export class Events {
  readonly #deps: Deps;
  readonly #rates = new Map<string, { since: number; count: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws CallError `NotFound`, `InvalidParams` or `LimitsExceeded` */
  emit(app: { appId: string; events: readonly EventDeclaration[] }, type: string, payload: string): void {
    const declared = app.events.find((event) => event.type === type);
    if (declared === undefined)
      throw new CallError('NotFound', 'the manifest declares no such event: add it there and sign again');
    // The rate first: what is refused anyway is not to cost a reading.
    this.#checkRate(app.appId);
    this.#checkPayload(declared, payload);
    if (this.#deps.sessionLocked()) return;
    for (const session of this.#deps.sessions.all()) {
      if (!session.subscriptions.has(app.appId) || this.#deps.stopped(session)) continue;
      this.#deps.bus.emit({
        destination: session.connection,
        path: ROOT_PATH,
        interface: BROKER,
        member: 'Event',
        signature: 'ssss',
        body: [app.appId, type, payload, TRUST],
      });
    }
  }

  #checkPayload(declared: EventDeclaration, payload: string): void {
    const { eventBytes } = this.#deps.quotas;
    if (Buffer.byteLength(payload, 'utf8') > eventBytes) {
      throw new CallError(
        'LimitsExceeded',
        `an event may have at most ${eventBytes} bytes: send a reference instead`,
      );
    }
    const fault = this.#deps.schemas.validatorForEvent(declared)(parse(payload, eventBytes));
    if (fault !== undefined) {
      throw new CallError(
        'InvalidParams',
        `the payload does not match its schema at \`${fault.pointer}\` (${fault.keyword})`,
      );
    }
  }

  #checkRate(appId: string): void {
    const now = this.#deps.now();
    let rate = this.#rates.get(appId);
    if (rate === undefined || now - rate.since >= SECOND_MS) {
      rate = { since: now, count: 0 };
      this.#rates.set(appId, rate);
    }
    rate.count += 1;
    if (rate.count > this.#deps.quotas.eventsPerSecond) {
      throw new CallError(
        'LimitsExceeded',
        `at most ${this.#deps.quotas.eventsPerSecond} events in a second: send fewer`,
      );
    }
  }
}

function parse(payload: string, maxBytes: number): unknown {
  try {
    return parseStrictJson(Buffer.from(payload, 'utf8'), { maxBytes, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof KeyError) throw new CallError('InvalidParams', 'the payload is not strict JSON');
    throw error;
  }
}
