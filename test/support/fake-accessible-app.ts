// SPDX-License-Identifier: Apache-2.0
import type { Connection, IncomingCall } from '../../dbus/connection.ts';
import { ERROR_NAME } from '../../dbus/error.ts';
import { variant } from '../../dbus/values.ts';
import { CACHE_PATH, DESKTOP_PATH, EVENT_OBJECT, REGISTRY } from '../../tier2-atspi/names.ts';

const ACCESSIBLE = 'org.a11y.atspi.Accessible';
const ACTION = 'org.a11y.atspi.Action';
const ITEMS = 'a((so)(so)(so)iiassusau)';

export const ROLE = {
  application: 75,
  frame: 23,
  'push button': 43,
  'password text': 40,
  table: 55,
} as const;
/** `AtspiStateType`, as bits of the lower word. */
export const STATE = {
  enabled: 1 << 8,
  sensitive: 1 << 24,
  showing: 1 << 25,
  manages: -(2 ** 31) >>> 0,
} as const;

export interface FakeElement {
  readonly name?: string;
  readonly role?: number;
  readonly states?: readonly number[];
  readonly interfaces?: readonly string[];
  /** Object paths, or a path with the bus name of somebody else. */
  readonly children?: readonly (string | readonly [bus: string, path: string])[];
  /** What it says of their number, where that is not the truth. */
  readonly count?: number;
  readonly actions?: readonly string[];
}

/** Answers a call in place of the app; `undefined` leaves it to the app, `silence` leaves it unanswered. */
export type Misbehaviour = (
  call: IncomingCall,
) => 'silence' | { signature: string; body: unknown[] } | undefined;

export interface FakeOptions {
  readonly misbehave?: Misbehaviour;
  /** Whether it lists all of its elements at once, in the present form or the older one, or not at all. */
  readonly cache?: 'none' | 'present' | 'older';
}

/** An app on the accessibility bus that consists of whatever a test says, however unlikely. */
export class FakeApp {
  readonly connection: Connection;
  readonly root = DESKTOP_PATH;
  readonly #elements: (path: string) => FakeElement | undefined;
  readonly #options: FakeOptions;
  /** Of calls, by member (for properties: by name), so that a test sees what was asked. */
  readonly asked = new Map<string, number>();
  /** The paths that the present form of the list holds. */
  listed: readonly string[] = [];
  /** Another process's elements that it lists before its own. */
  listedOf: readonly (readonly [bus: string, path: string])[] = [];

  static async start(
    connection: Connection,
    elements: (path: string) => FakeElement | undefined,
    options: FakeOptions = {},
  ): Promise<FakeApp> {
    const app = new FakeApp(connection, elements, options);
    connection.onCall((call) => app.#answer(call));
    await connection.call({
      destination: REGISTRY,
      path: DESKTOP_PATH,
      interface: 'org.a11y.atspi.Socket',
      member: 'Embed',
      signature: '(so)',
      body: [[connection.name, DESKTOP_PATH]],
    });
    return app;
  }

  private constructor(
    connection: Connection,
    elements: (path: string) => FakeElement | undefined,
    options: FakeOptions,
  ) {
    this.connection = connection;
    this.#elements = elements;
    this.#options = options;
  }

  childrenChanged(path: string, child: string, how: 'add' | 'remove'): void {
    this.#emit(path, 'ChildrenChanged', how, 0, variant('(so)', [this.connection.name, child]));
  }

  stateChanged(path: string, state: string, on: boolean): void {
    this.#emit(path, 'StateChanged', state, on ? 1 : 0, variant('i', 0));
  }

  nameChanged(path: string, name: string): void {
    this.#emit(path, 'PropertyChange', 'accessible-name', 0, variant('s', name));
  }

  #emit(path: string, member: string, detail: string, first: number, value: unknown): void {
    const body = [detail, first, 0, value, []];
    this.connection.emit({ path, interface: EVENT_OBJECT, member, signature: 'siiva{sv}', body });
  }

  #answer(call: IncomingCall): void {
    const name = call.member === 'Get' ? String(call.body[1]) : call.member;
    this.asked.set(name, (this.asked.get(name) ?? 0) + 1);
    const instead = this.#options.misbehave?.(call);
    if (instead === 'silence') return;
    const answer = instead ?? this.#honest(call, name);
    if (answer === undefined) this.connection.replyError(call, ERROR_NAME.unknownMethod, 'no such thing');
    else this.connection.reply(call, answer.signature, answer.body);
  }

  #honest(call: IncomingCall, name: string): { signature: string; body: unknown[] } | undefined {
    if (call.path === CACHE_PATH) return this.#list();
    const element = this.#elements(call.path);
    if (element === undefined) return undefined;
    const { children = [], count = children.length, actions = [] } = element;
    const refs = children.map((child) =>
      typeof child === 'string' ? [this.connection.name, child] : [...child],
    );
    switch (call.member === 'Get' ? `${String(call.body[0])} ${name}` : `${call.interface} ${name}`) {
      case `${ACCESSIBLE} GetState`:
        return {
          signature: 'au',
          body: [element.states ?? [STATE.enabled | STATE.sensitive | STATE.showing, 0]],
        };
      case `${ACCESSIBLE} GetRole`:
        return { signature: 'u', body: [element.role ?? ROLE['push button']] };
      case `${ACCESSIBLE} GetInterfaces`:
        return { signature: 'as', body: [element.interfaces ?? [ACCESSIBLE]] };
      case `${ACCESSIBLE} GetChildren`:
        return { signature: 'a(so)', body: [refs] };
      case `${ACCESSIBLE} Name`:
        return { signature: 'v', body: [variant('s', element.name ?? call.path)] };
      case `${ACCESSIBLE} Description`:
        return { signature: 'v', body: [variant('s', '')] };
      case `${ACCESSIBLE} ChildCount`:
        return { signature: 'v', body: [variant('i', count)] };
      case `${ACTION} NActions`:
        return { signature: 'v', body: [variant('i', actions.length)] };
      case `${ACTION} GetName`:
        return { signature: 's', body: [actions[Number(call.body[0])] ?? ''] };
      default:
        return undefined;
    }
  }

  #list(): { signature: string; body: unknown[] } | undefined {
    const { cache = 'none' } = this.#options;
    if (cache === 'none') return undefined;
    if (cache === 'older') return { signature: 'a((so)(so)(so)a(so)assusau)', body: [[]] };
    const bus = this.connection.name;
    const parents = new Map<string, readonly [parent: string, index: number]>();
    for (const path of this.listed) {
      for (const [index, child] of (this.#elements(path)?.children ?? []).entries())
        if (typeof child === 'string' && !parents.has(child)) parents.set(child, [path, index]);
    }
    const items = this.listed.map((path) => {
      const { name = path, role = ROLE['push button'], children = [], ...rest } = this.#elements(path) ?? {};
      const [parent, index] = parents.get(path) ?? ['/org/a11y/atspi/null', -1];
      const states = rest.states ?? [STATE.enabled | STATE.sensitive | STATE.showing, 0];
      const interfaces = rest.interfaces ?? [ACCESSIBLE];
      const refs = [
        [bus, path],
        [bus, DESKTOP_PATH],
        [bus, parent],
      ];
      return [...refs, index, rest.count ?? children.length, interfaces, name, role, '', states];
    });
    const others = this.listedOf.map((ref) => [ref, ref, ref, 0, 0, [ACCESSIBLE], 'Another', 0, '', [0, 0]]);
    return { signature: ITEMS, body: [[...others, ...items]] };
  }
}

/** Elements by their object paths. */
export function fixed(
  elements: Readonly<Record<string, FakeElement>>,
): (path: string) => FakeElement | undefined {
  const byPath = new Map(Object.entries(elements));
  return (path) => byPath.get(path);
}
