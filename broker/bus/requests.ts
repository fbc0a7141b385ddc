// SPDX-License-Identifier: Apache-2.0
import type { Connection, IncomingCall } from '../../dbus/connection.ts';
import type { InterfaceSpec, ObjectTree } from '../../dbus/serve.ts';
import { isUnmatched } from '../identity/principal.ts';
import type { Attempt } from '../intent/attempt.ts';
import type { Outcome, Status } from '../intent/outcome.ts';
import { CallError } from './errors.ts';
import { Lingering } from './lingering.ts';
import { REQUEST, ROOT_PATH } from './names.ts';
import type { Session } from './sessions.ts';

const PREFIX = `${ROOT_PATH}/request/`;

interface Deps {
  readonly bus: Pick<Connection, 'emit'>;
  readonly tree: Pick<ObjectTree, 'add'>;
  readonly newToken: () => string;
  readonly mostPerConnection: number;
  /** How long a request can be looked at after its outcome, in milliseconds. */
  readonly lingerMs: number;
  /** For all peers that no configuration names, of one uid together. */
  readonly mostUnmatched: number;
}

/** The Request objects: one per intent, seen by its caller alone. */
export class Requests {
  readonly #deps: Deps;
  readonly #byInvocation = new Map<string, Request>();
  readonly #byPath = new Map<string, Request>();
  readonly #served = [requestInterface((path) => this.#byPath.get(path))];
  readonly #unmatched = new Map<string, number>();
  readonly #lingering: Lingering;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#lingering = new Lingering({ lingerMs: deps.lingerMs, most: deps.mostPerConnection });
  }

  /** @throws CallError `AccessDenied` for a connection that left, `InvalidArgs` for a token in use, `LimitsExceeded` */
  open(session: Session, token: string | undefined, invocation: string): Request {
    session.requirePresent();
    const handle = token ?? this.#deps.newToken();
    if (session.requests.has(handle)) {
      throw new CallError('InvalidArgs', 'this handle_token is in use: choose a new one for each request');
    }
    const shared = isUnmatched(session.principal) ? session.principal.id : undefined;
    const together = shared === undefined ? 0 : (this.#unmatched.get(shared) ?? 0);
    if (session.requests.size >= this.#deps.mostPerConnection || together >= this.#deps.mostUnmatched) {
      throw new CallError('LimitsExceeded', 'too many requests at once: wait for outcomes first');
    }
    const { connection } = session;
    this.#lingering.drop(connection, handle);
    const path = `${PREFIX}${owner(connection)}/${handle}`;
    const request = new Request(path, session, this.#deps.bus);
    const removeObject = this.#deps.tree.add(path, this.#served);
    this.#byPath.set(path, request);
    const remove = () => {
      removeObject();
      this.#byPath.delete(path);
    };
    if (shared !== undefined) this.#unmatched.set(shared, together + 1);
    session.requests.set(handle, request);
    this.#byInvocation.set(invocation, request);
    request.onFinish = (lingers) => {
      this.#byInvocation.delete(invocation);
      session.requests.delete(handle);
      if (shared !== undefined) this.#release(shared);
      if (lingers && !session.gone) this.#lingering.keep(connection, handle, remove);
      else remove();
    };
    return request;
  }

  /** The connection is gone. What it still waited for was withdrawn; what is over, nobody else may see. */
  forget(connection: string): void {
    this.#lingering.forget(connection);
  }

  byInvocation(invocation: string): Request | undefined {
    return this.#byInvocation.get(invocation);
  }

  /** The request that a provider is at work on. */
  runningAt(invocation: string, provider: string): Request | undefined {
    const request = this.#byInvocation.get(invocation);
    const attempt = request?.attempt;
    return attempt?.stage === 'dispatch' && attempt.entry?.provider === provider ? request : undefined;
  }

  #release(shared: string): void {
    const left = (this.#unmatched.get(shared) ?? 1) - 1;
    if (left > 0) this.#unmatched.set(shared, left);
    else this.#unmatched.delete(shared);
  }
}

/** One description for all requests: which one is meant, the path says. */
export function requestInterface(at: (path: string) => Request | undefined): InterfaceSpec {
  return {
    name: REQUEST,
    methods: {
      Cancel: {
        in: '',
        out: '',
        handle: (_args, { path }) => {
          at(path)?.withdraw();
          return [];
        },
      },
    },
    properties: {
      Status: { type: 's', get: ({ path }) => at(path)?.status ?? 'pending' },
      Outcome: { type: 's', get: ({ path }) => at(path)?.outcome ?? '' },
    },
    signals: { Progress: 'us', Completed: 'ss' },
  };
}

/** Whether a caller may see an object: its own requests, and everything that is no request. */
export function seesPath(path: string, call: IncomingCall): boolean {
  return !path.startsWith(PREFIX) || path.startsWith(`${PREFIX}${owner(call.sender)}/`);
}

/** A unique name as an element of an object path. */
function owner(connection: string): string {
  return connection.slice(1).replaceAll('.', '_');
}

/** One intent on its way, as its caller sees it. */
export class Request {
  readonly path: string;
  readonly session: Session;
  onFinish: (lingers: boolean) => void = () => undefined;
  /** The intent on its way. */
  attempt: Attempt | undefined;
  readonly #bus: Pick<Connection, 'emit'>;
  readonly #abort = new AbortController();
  #status: Status | 'pending' = 'pending';
  #outcome = '';
  #pendingReplied = false;

  constructor(path: string, session: Session, bus: Pick<Connection, 'emit'>) {
    this.path = path;
    this.session = session;
    this.#bus = bus;
  }

  get status(): Status | 'pending' {
    return this.#status;
  }

  get outcome(): string {
    return this.#outcome;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The caller no longer waits for it, or no longer exists. */
  withdraw(): void {
    this.#abort.abort();
  }

  /** The call is answered before there is an outcome: it will follow as a signal. */
  replyPending(): readonly [path: string, status: string, outcome: string] {
    if (this.#status !== 'pending') return [this.path, this.#status, this.#outcome]; // it came just now
    this.#pendingReplied = true;
    return [this.path, 'pending', ''];
  }

  finish(outcome: Outcome, text: string): readonly [path: string, status: string, outcome: string] {
    this.#status = outcome.status;
    this.#outcome = text;
    if (this.#pendingReplied) this.#tell('Completed', 'ss', [outcome.status, text]);
    this.onFinish(this.#pendingReplied);
    return [this.path, outcome.status, text];
  }

  progress(permille: number, text: string): void {
    this.#tell('Progress', 'us', [permille, text]);
  }

  #tell(member: string, signature: string, body: readonly unknown[]): void {
    this.#bus.emit({
      destination: this.session.connection,
      path: this.path,
      interface: REQUEST,
      member,
      signature,
      body,
    });
  }
}
