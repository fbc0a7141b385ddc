// SPDX-License-Identifier: Apache-2.0
import { OPERATOR } from '../bus/names.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { WITH_PERSON_MS } from './approvals.ts';
import { type Fields, readObject, readObjects } from './fields.ts';
import { MADE, type Made } from './grants.ts';
import { type Explanation, parseExplanation } from './listing.ts';
import { dictionary, type IntentOptions, intentOptions } from './options.ts';
import { onSignal, type Stop } from './signals.ts';

/** A rule as in files and in `org.portal.Broker1.Operator.AddRule`. */
export interface NewRule {
  /** A principal; all by default. */
  readonly scope?: string | undefined;
  /** A capability's id, or `*`. */
  readonly capability?: string | undefined;
  /** In place of `capability`: all of one app. */
  readonly app?: string | undefined;
  /** A glob. */
  readonly target?: string | undefined;
  readonly action?: string | undefined;
  readonly effect: string;
  /** Local hours; the first included and the last not. */
  readonly hours?: { readonly from: number; readonly to: number } | undefined;
  readonly reason: string;
}

/** A rule that holds. */
export interface RuleRow extends NewRule {
  readonly id: string;
  /** `root`, `person` or `user`. */
  readonly source: string;
  readonly specificity: number;
}

export interface RuleFile {
  readonly path: string;
  readonly source: string;
  readonly rules: number;
  /** Set where its last reading was refused and what was read before still holds. */
  readonly refused?: { readonly line: number; readonly at: string; readonly reason: string };
}

export interface PolicyInForce {
  readonly rules: readonly RuleRow[];
  /** Capability ids that nothing allows. */
  readonly locked: readonly string[];
  readonly files: readonly RuleFile[];
}

/** What one principal may do with one capability now, for no particular target. */
export interface MatrixRow {
  readonly principal: string;
  readonly capability: string;
  /** `allow`, `ask` or `deny`. */
  readonly effect: string;
  readonly gate: string;
  readonly rule?: string;
  readonly decider: string;
  readonly depends_on_target: boolean;
  /** The effects that a target can lead to. */
  readonly possible: readonly string[];
}

export interface MatrixFilter {
  readonly principal?: string | undefined;
  readonly capability?: string | undefined;
  readonly appId?: string | undefined;
}

export interface SimulateRange {
  /** Milliseconds since the epoch, as is `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The newest so many records. */
  readonly limit?: number | undefined;
}

/** What recorded decisions would be under other rules. */
export interface Simulation {
  readonly decisions: number;
  readonly same: number;
  readonly flips: number;
  /** A target that was not recorded would matter. */
  readonly depends: number;
  readonly examples: readonly {
    readonly audit_id: string;
    readonly principal: string;
    readonly capability: string;
    readonly before: string;
    readonly after: string;
    readonly verdict: string;
  }[];
}

/** An explanation with what only the operator may know. */
export interface PolicyExplanation extends Explanation {
  readonly stages?: readonly { readonly stage: string; readonly result: string }[];
  readonly decider?: string;
  readonly rule?: string;
  readonly specificity?: number;
  /** Ids of the rules that matched. */
  readonly considered?: readonly string[];
  /** Id of the grant that would answer. */
  readonly grant?: string;
  readonly targets?: readonly string[];
  /** What would change the outcome, in closed words. */
  readonly would_change?: readonly string[];
}

const IN_FORCE: Fields<PolicyInForce> = { rules: 'list', locked: 'texts', files: 'list' };
const MATRIX_ROW: Fields<MatrixRow> = {
  principal: 'text',
  capability: 'text',
  effect: 'text',
  gate: 'text',
  depends_on_target: 'boolean',
  possible: 'texts',
};
const SIMULATION: Fields<Simulation> = {
  decisions: 'number',
  same: 'number',
  flips: 'number',
  depends: 'number',
  examples: 'list',
};

/**
 * The policy. Every call rejects with a BrokerError: `RuleInvalid` with the place, `NotFound`, and `NotAllowed` where no
 * person stands behind a call that widens.
 */
export class Policy {
  readonly #link: BrokerLink;

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  async rules(): Promise<PolicyInForce> {
    const [rules] = await this.#link.call(OPERATOR, 'Rules');
    return readObject(textOf(rules), IN_FORCE);
  }

  /** Adds a rule of the person's. An ALLOW widens. */
  async add(rule: NewRule): Promise<Made> {
    const body = [JSON.stringify(rule)];
    const [made] = await this.#link.call(OPERATOR, 'AddRule', 's', body, undefined, WITH_PERSON_MS);
    return readObject(textOf(made), MADE);
  }

  /** Removes one of the person's rules. Removing one that denies or asks widens. */
  async remove(id: string): Promise<void> {
    await this.#link.call(OPERATOR, 'RemoveRule', 's', [id], undefined, WITH_PERSON_MS);
  }

  async matrix(filter: MatrixFilter = {}): Promise<readonly MatrixRow[]> {
    const options = dictionary({
      principal: ['s', filter.principal],
      capability: ['s', filter.capability],
      app_id: ['s', filter.appId],
    });
    const [matrix] = await this.#link.call(OPERATOR, 'Matrix', 'a{sv}', [options]);
    return readObjects(textOf(matrix), MATRIX_ROW);
  }

  /**
   * Decides what was recorded again, with `rules` in place of the person's. Nothing is dispatched, asked or spent.
   * @param rules a JSON value, an array of rules; whether they are is for the broker to say
   */
  async simulate(rules: unknown, range: SimulateRange = {}): Promise<Simulation> {
    const options = dictionary({
      since: ['t', range.since],
      until: ['t', range.until],
      limit: ['u', range.limit],
    });
    const [report] = await this.#link.call(OPERATOR, 'Simulate', 'sa{sv}', [JSON.stringify(rules), options]);
    return readObject(textOf(report), SIMULATION);
  }

  /** What would happen if `principal` dispatched this now, and why. */
  async explain(
    principal: string,
    capability: string,
    params: Readonly<Record<string, unknown>>,
    options: IntentOptions = {},
  ): Promise<PolicyExplanation> {
    const body = [principal, capability, JSON.stringify(params), intentOptions(options)];
    const [explanation] = await this.#link.call(OPERATOR, 'Explain', 'sssa{sv}', body);
    return parseExplanation(textOf(explanation));
  }

  /** Calls `listener` when the rules changed; needs one `rules()` before. */
  async onChanged(listener: () => void): Promise<Stop> {
    return await onSignal(
      this.#link,
      { interface: OPERATOR, member: 'RulesChanged', signature: '' },
      listener,
    );
  }
}
