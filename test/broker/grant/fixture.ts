// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { DEFAULTS } from '../../../broker/config.ts';
import { type GrantLimits, Ledger } from '../../../broker/grant/ledger.ts';
import { type GrantFacts, parseGrantRequest, sessionGrant } from '../../../policy/grant.ts';
import { RecordFixture } from '../audit/fixture.ts';

export const CAPABILITY = 'files.org.example.files.move';
export const DIGEST = 'd1';
export const HOUR_MS = 3_600_000;

/** A ledger over a real store and record, and what one does with it in a test. */
export class LedgerFixture extends RecordFixture {
  readonly faults: unknown[] = [];
  told = 0;
  ledger: Ledger;

  constructor() {
    super();
    this.ledger = this.openLedger();
  }

  openLedger(limits: GrantLimits = { perPrincipal: 100, sessions: 5 }): Ledger {
    const ledger = new Ledger({
      store: this.store,
      records: this.records,
      now: () => this.clock,
      newId: randomUUID,
      limits,
      policyLimits: DEFAULTS.policyLimits,
      fault: (error) => this.faults.push(error),
    });
    ledger.onChange(() => {
      this.told += 1;
    });
    this.ledger = ledger;
    return ledger;
  }

  /** As after a restart. */
  override reopen(): void {
    super.reopen();
    this.openLedger();
  }

  /** Gives a grant of the usual thing. */
  async give(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const wanted = parseGrantRequest(wish(more), DEFAULTS.policyLimits, this.clock);
    return (await this.ledger.add(wanted, DIGEST, 'user:1000')).id;
  }

  /** The person answers for a session. */
  openSession(connection = ':1.5', target = '/tmp/a', minutes = 60): string {
    const id = randomUUID();
    const bounds = { expiresAt: this.clock + minutes * 60_000, reason: 'answered' };
    const grant = sessionGrant(id, this.facts(target, { connection }), target, bounds, DEFAULTS.policyLimits);
    this.ledger.openSession(grant, 'confirmer');
    return id;
  }

  facts(target = '/tmp/a', more: Partial<GrantFacts> = {}): GrantFacts {
    return {
      principal: { id: 'agent:pid:7:99', name: 'agent' },
      connection: ':1.5',
      session: undefined,
      capability: CAPABILITY,
      definitionDigest: DIGEST,
      targets: [{ kind: 'path', value: target }],
      params: {},
      access: 'write',
      now: this.clock,
      ...more,
    };
  }

  /** Takes one use as the path does: counted within the record of the intent. False where no grant answers. */
  async use(facts = this.facts()): Promise<boolean> {
    const hold = this.ledger.hold(facts);
    if (hold === undefined) return false;
    await this.records.append(
      { type: 'requested', time: this.clock, invocation: randomUUID(), grant: hold.grant },
      'full',
      () => hold.commit(),
    );
    hold.settled();
    return true;
  }

  left(id: string): number | undefined {
    return this.ledger.list().find((grant) => grant.id === id)?.operations_left;
  }

  /** Codes of what was recorded about the policy. */
  codes(): (string | undefined)[] {
    return this.records.query({ type: 'policy' }).map(({ event }) => event?.code);
  }

  rows(): number {
    return Number(this.store.database.prepare('SELECT count(*) AS count FROM grants').get()?.count);
  }
}

export function wish(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    principal: 'agent',
    capability: CAPABILITY,
    target: '/tmp/*',
    access: 'write',
    minutes: 60,
    operations: 3,
    reason: 'sorting the downloads',
    ...more,
  };
}

/** Lets what was appended be committed. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
