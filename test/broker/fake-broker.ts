// SPDX-License-Identifier: Apache-2.0
import { BROKER, BUS_NAME, OPERATOR, REGISTRY, REQUEST, ROOT_PATH } from '../../broker/bus/names.ts';
import type { Connection, IncomingCall } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { type InterfaceSpec, ObjectTree } from '../../dbus/serve.ts';
import type { TestBus } from '../support/bus.ts';

type Answer = (
  args: readonly unknown[],
  call: IncomingCall,
) => readonly unknown[] | Promise<readonly unknown[]>;

const SIGNATURES: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  [BROKER]: {
    Dispatch: ['ssa{sv}', 'oss'],
    Outcome: ['s', 'ss'],
    Explain: ['ssa{sv}', 's'],
    List: ['a{sv}', 'ts'],
    Undo: ['sa{sv}', 'oss'],
    Subscribe: ['s', ''],
    Unsubscribe: ['s', ''],
    SelfModel: ['', 'ts'],
    RequestCapability: ['s', 's'],
    WithdrawRequest: ['s', ''],
  },
  [REGISTRY]: {
    Register: ['soa{sv}', 'us'],
    Unregister: ['', ''],
    EmitEvent: ['ss', ''],
    Progress: ['sus', ''],
  },
  [OPERATOR]: {
    RegisterConfirmer: ['oa{sv}', ''],
    UnregisterConfirmer: ['', ''],
    Pending: ['a{sv}', 's'],
    Approve: ['ssa{sv}', ''],
    Deny: ['sa{sv}', ''],
    Later: ['s', ''],
    Extend: ['s', ''],
    Suspend: ['su', ''],
    Resume: ['s', ''],
    Suspensions: ['', 's'],
    SetSession: ['a{sv}', ''],
    Grants: ['', 's'],
    AddGrant: ['s', 's'],
    NarrowGrant: ['ss', ''],
    RevokeGrant: ['s', ''],
    CapabilityRequests: ['', 's'],
    DecideRequest: ['ss', 's'],
    Rules: ['', 's'],
    AddRule: ['s', 's'],
    RemoveRule: ['s', ''],
    Matrix: ['a{sv}', 's'],
    Simulate: ['sa{sv}', 's'],
    Explain: ['sssa{sv}', 's'],
    Undo: ['sa{sv}', 'oss'],
    Apps: ['', 's'],
    Audit: ['a{sv}', 's'],
    VerifyAudit: ['', 's'],
  },
};

export interface RecordedCall {
  readonly interface: string;
  readonly member: string;
  readonly args: readonly unknown[];
  readonly sender: string;
}

/**
 * The broker's side of the bus, where a test says what it answers: so that refusals, restarts and lost outcomes can be
 * had at will. It decides nothing.
 */
export class FakeBroker {
  readonly connection: Connection;
  readonly calls: RecordedCall[] = [];
  /** By `Member`, or `Interface.Member` where two interfaces share one. */
  readonly answers: Record<string, Answer> = {};
  readonly tree: ObjectTree;

  /** With `answers` it has them before anybody can call it. */
  static async start(bus: TestBus, answers: FakeBroker['answers'] = {}): Promise<FakeBroker> {
    const broker = new FakeBroker(await bus.connect());
    Object.assign(broker.answers, answers);
    await broker.connection.requestName(BUS_NAME);
    return broker;
  }

  private constructor(connection: Connection) {
    this.connection = connection;
    this.tree = new ObjectTree(connection, {
      introspect: () => undefined,
      fault: (error) =>
        error instanceof DBusError
          ? { name: error.name, text: error.message }
          : { name: 'org.portal.Broker1.Error.Failed', text: String(error) },
    });
    this.tree.add(
      ROOT_PATH,
      Object.entries(SIGNATURES).map(([name, methods]) => this.#serve(name, methods)),
    );
  }

  /** Accepts whatever registers, as tier 1. */
  acceptApps(): void {
    this.answers.Register = () => [
      1,
      JSON.stringify({
        app_id: 'org.example.App',
        capabilities: ['x.org.example.app.do'],
        binding: 'test',
        warnings: [],
      }),
    ];
    this.answers.Unregister = () => [];
  }

  /** Calls an object of a peer, as the broker does. */
  async call(
    destination: string,
    path: string,
    on: string,
    member: string,
    signature: string,
    body: readonly unknown[],
  ) {
    return await this.connection.call({ destination, path, interface: on, member, signature, body });
  }

  /** A Request signal, as the broker sends it to the caller of the request. */
  tell(destination: string, path: string, member: string, signature: string, body: readonly unknown[]): void {
    this.connection.emit({ destination, path, interface: REQUEST, member, signature, body });
  }

  called(member: string): RecordedCall[] {
    return this.calls.filter((call) => call.member === member);
  }

  /** Leaves the bus. When it resolves, everyone has been told, though not everyone may have read it yet. */
  async stop(): Promise<void> {
    await this.#callBus('ReleaseName').catch(() => undefined);
    await this.connection.close();
  }

  async #callBus(member: string): Promise<void> {
    const bus = 'org.freedesktop.DBus';
    const call = { destination: bus, path: '/org/freedesktop/DBus', interface: bus, member };
    await this.connection.call({ ...call, signature: 's', body: [BUS_NAME] });
  }

  #serve(name: string, methods: Readonly<Record<string, readonly [string, string]>>): InterfaceSpec {
    return {
      name,
      methods: Object.fromEntries(
        Object.entries(methods).map(([member, [signature, out]]) => [
          member,
          {
            in: signature,
            out,
            handle: async (args: readonly unknown[], call: IncomingCall) => {
              this.calls.push({ interface: name, member, args, sender: call.sender });
              const answer = this.answers[`${name}.${member}`] ?? this.answers[member];
              if (answer === undefined) throw new Error(`the test says nothing about ${member}`);
              return await answer(args, call);
            },
          },
        ]),
      ),
      ...(name === BROKER
        ? {
            properties: {
              Version: { type: 's', get: () => '9.9.9' },
              Epoch: { type: 't', get: () => 7n },
              Profile: { type: 's', get: () => 'standard' },
              Assurance: { type: 's', get: () => 'advisory' },
            },
          }
        : {}),
    };
  }
}

/** The path that the caller of Dispatch or Undo expects its request at. */
export function requestPath(sender: string, options: ReadonlyMap<string, unknown>): string {
  return `${ROOT_PATH}/request/${sender.slice(1).replaceAll('.', '_')}/${String(options.get('handle_token'))}`;
}
