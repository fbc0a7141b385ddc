// SPDX-License-Identifier: Apache-2.0
import { STAGES } from '../intent/stage.ts';
import type { Durability } from '../store/database.ts';
import { type AuditEvent, ENDINGS } from './event.ts';
import type { Recorder } from './records.ts';

/** Where an attempt can end before anybody was asked and anything was spent: what costs its maker nothing. */
const EARLY_STAGES: ReadonlySet<string> = new Set([
  'call',
  ...STAGES.slice(0, STAGES.indexOf('confirm')),
  'undo', // nothing to take back: a denial is never of what ran
]);

/** The answer for an event that is only counted. */
const NO_NUMBER = Promise.resolve(undefined);

interface Deps {
  readonly records: Recorder;
  /** Equal refusals that are recorded one by one in each interval. */
  readonly mostEqual: number;
  /** Milliseconds. */
  readonly intervalMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly fault: (error: unknown) => void;
}

interface Run {
  /** What its events have in common. */
  readonly common: AuditEvent;
  recorded: number;
  counted: number;
}

/**
 * Keeps those who are refused from filling the disk: of equal refusals of one principal (type, stage and code) the first
 * in each interval are recorded one by one, the others as one event with their count when the interval is over. Nothing
 * that was asked, decided or run is ever counted together.
 */
export class Aggregate implements Recorder {
  readonly #deps: Deps;
  readonly #runs = new Map<string, Run>();
  /** Attempts a person was asked about that have not ended. */
  readonly #asked = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * As `Records.append`; resolves with undefined for a refusal that is counted, which has no number of its own. What
   * something else is done within is never counted.
   */
  append(event: AuditEvent, durability: Durability, within?: () => void): Promise<string | undefined> {
    const { records } = this.#deps;
    if (!this.#isEarlyRefusal(event) || within !== undefined)
      return records.append(event, durability, within);
    const run = this.#runOf(event);
    if (run.recorded < this.#deps.mostEqual) {
      run.recorded += 1;
      return records.append(event, durability);
    }
    run.counted += 1;
    return NO_NUMBER;
  }

  /** Records what has been counted so far. What cannot be recorded now stays counted; the fault is reported. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const runs = [...this.#runs.values()].filter(({ counted }) => counted > 0);
    this.#runs.clear();
    await Promise.all(runs.map((run) => this.#record(run)));
  }

  async #record({ common, counted }: Run): Promise<void> {
    const { records, now, fault, mostEqual } = this.#deps;
    try {
      await records.append({ ...common, time: now(), count: counted }, 'normal');
    } catch (error) {
      fault(error);
      const run = this.#runOf(common);
      run.recorded = mostEqual;
      run.counted += counted;
    }
  }

  #isEarlyRefusal({ type, stage, invocation }: AuditEvent): boolean {
    const asked = invocation !== undefined && this.#asked.has(invocation);
    if (invocation !== undefined && type === 'asked') this.#asked.add(invocation);
    if (invocation !== undefined && ENDINGS.includes(type)) this.#asked.delete(invocation);
    if (type === 'role-refused' || type === 'manifest-rejected') return true;
    return type === 'denied' && !asked && stage !== undefined && EARLY_STAGES.has(stage);
  }

  #runOf(event: AuditEvent): Run {
    const { type, stage, code, principal, uid } = event;
    const key = JSON.stringify([type, stage, code, principal, uid]);
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    // What was named, by which process, in which attempt and by which rule is not the same in all of them.
    const { invocation, pid, appId, capability, version, classification, tier, origin, ...rest } = event;
    const { rule, decider, specificity, considered, consideredCount, grant, ...others } = rest;
    const { commitment, replaced, paramsSize, durationMs, ...common } = others;
    const run = { common, recorded: 0, counted: 0 };
    this.#runs.set(key, run);
    this.#timer ??= setTimeout(() => void this.flush(), this.#deps.intervalMs).unref();
    return run;
  }
}
