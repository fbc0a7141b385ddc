// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { KnownCapability } from '../../policy/lint.ts';
import type { Circumstances } from '../../policy/standing-question.ts';
import { Decisions } from '../approval/decisions.ts';
import type { Recorder } from '../audit/records.ts';
import { CapabilityRequests } from '../grant/capability-requests.ts';
import { Ledger } from '../grant/ledger.ts';
import { PolicyBook } from '../rules/book.ts';
import { SessionLock } from '../session-lock.ts';
import { Suspensions } from '../suspensions.ts';
import type { Parts } from './parts.ts';

/** What decides beside the capability itself, and what the person made of it. */
export interface PolicyParts {
  readonly book: PolicyBook;
  readonly ledger: Ledger;
  readonly requests: CapabilityRequests;
  readonly suspensions: Suspensions;
  readonly decisions: Decisions;
  readonly circumstances: () => Circumstances;
  readonly lockSession: (locked: boolean) => void;
  readonly sessionLocked: () => boolean;
  /** Lets go of what is over. */
  readonly sweep: () => void;
}

/** @throws ConfigError naming file and line where a policy file cannot be used */
export function openPolicy(
  { store, config, log, now }: Parts,
  records: Recorder,
  known: () => readonly KnownCapability[],
): PolicyParts {
  const { policyLimits, profile, allowedWhileLocked } = config;
  const shared = { store, records, now, newId: randomUUID, policyLimits };
  const fault = (error: unknown) => void log.fault(error);
  const decisions = new Decisions(store);
  const book = PolicyBook.open({
    ...shared,
    directories: { root: config.policy.directory, user: config.policy.userDirectory },
    owners: config.owners,
    limits: policyLimits,
    locked: config.locked,
    known,
    fault,
  });
  const ledger = new Ledger({ ...shared, limits: config.grants, fault });
  const requests = new CapabilityRequests({ ...shared, ledger, decisions, limits: config.requests, fault });
  const suspensions = new Suspensions(shared);
  const lock = new SessionLock(store);
  return {
    book,
    ledger,
    requests,
    suspensions,
    decisions,
    circumstances: () => ({
      rules: book.current(),
      profile,
      localHour: new Date(now()).getHours(),
      sessionLocked: lock.locked,
      allowedWhileLocked,
      isSuspended: (principal) => suspensions.isSuspended(principal, now()),
    }),
    lockSession: (locked) => lock.set(locked),
    sessionLocked: () => lock.locked,
    sweep: () => {
      ledger.sweep(now());
      requests.sweep(now());
      suspensions.sweep(now());
    },
  };
}
