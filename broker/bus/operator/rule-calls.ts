// SPDX-License-Identifier: Apache-2.0
import type { MethodSpec } from '../../../dbus/serve.ts';
import { parseRule, type Rule, ruleJson } from '../../../policy/rule.ts';
import { explainFully } from '../../explain.ts';
import { whatIf } from '../../views/what-if.ts';
import { decodeIntent } from '../decode.ts';
import { CallError } from '../errors.ts';
import { jsonArgument } from '../json-argument.ts';
import { Options, textArgument } from '../options.ts';
import type { Session } from '../sessions.ts';
import { type OperatorDeps, operatorOf, userOf } from './deps.ts';

const MOST_RECORDS = 1000;

/** The policy: looking at it, changing the person's part of it, and trying a change out. */
export function ruleCalls(deps: OperatorDeps): Readonly<Record<string, MethodSpec>> {
  const { book, view, explainer, dispatcher, audit, world } = deps;
  const decider = async (session: Session, takesPerson: boolean): Promise<string> =>
    takesPerson ? await deps.person(session) : userOf(session);
  return {
    Rules: {
      in: '',
      out: 's',
      handle: async (_args, call) => {
        (await operatorOf(deps, call)).follows.add('rules');
        const { rules, locked } = book.current();
        return [JSON.stringify({ rules: rules.map(ruleJson), locked, files: book.status() })];
      },
    },
    AddRule: {
      in: 's',
      out: 's',
      handle: async ([given], call) => {
        const session = await operatorOf(deps, call);
        const value = jsonArgument(given);
        // Read before a person is troubled with what is no rule.
        const as = { id: 'candidate', source: 'person', mayAllow: true } as const;
        const candidate = parseRule(value, as, world.policyLimits);
        const by = await decider(session, widens(candidate, book.current().rules));
        const { rule, findings } = await book.add(value, by);
        return [JSON.stringify({ id: rule.id, findings })];
      },
    },
    RemoveRule: {
      in: 's',
      out: '',
      handle: async ([given], call) => {
        const session = await operatorOf(deps, call);
        const id = textArgument(given);
        const isMeant = (rule: Rule) => rule.id === id && rule.source === 'person';
        const rule = book.current().rules.find(isMeant);
        // What is not there is for the book to say; what is there and tightens takes a person to remove.
        const tightens = rule !== undefined && rule.effect !== 'ALLOW';
        await book.remove(id, await decider(session, tightens));
        return [];
      },
    },
    Matrix: {
      in: 'a{sv}',
      out: 's',
      handle: async ([filter], call) => {
        await operatorOf(deps, call);
        const options = new Options(filter);
        const wanted = {
          principal: options.text('principal'),
          capability: options.text('capability'),
          appId: options.text('app_id'),
        };
        options.done();
        return [JSON.stringify(view.matrix(wanted))];
      },
    },
    Simulate: {
      in: 'sa{sv}',
      out: 's',
      handle: async ([rules, range], call) => {
        await operatorOf(deps, call);
        const options = new Options(range);
        const wanted = {
          since: options.count('since', 0, Number.MAX_SAFE_INTEGER),
          until: options.count('until', 0, Number.MAX_SAFE_INTEGER),
          limit: options.count('limit', 1, MOST_RECORDS) ?? MOST_RECORDS,
        };
        options.done();
        const decisions = (of: typeof wanted) => audit.decisions(of);
        return [
          JSON.stringify(await whatIf(jsonArgument(rules), wanted, { judge: explainer, view, decisions })),
        ];
      },
    },
    Explain: {
      in: 'sssa{sv}',
      out: 's',
      handle: async ([principal, capability, params, given], call) => {
        await operatorOf(deps, call);
        const { intent } = decodeIntent(textArgument(capability), textArgument(params), given);
        const session = view.sessionOf(textArgument(principal));
        if (session === undefined) {
          throw new CallError(
            'NotFound',
            'nobody of that name is connected and has asked for anything: see who has in the matrix',
          );
        }
        const meant = { ...intent, context: session.contextIf(intent.context) };
        return [JSON.stringify(explainFully(meant, dispatcher.lookAhead(session, meant), explainer))];
      },
    },
  };
}

/** An ALLOW does; so does an ASK that is more specific than somebody's DENY, which then no longer decides. */
function widens({ effect, specificity }: Rule, rules: readonly Rule[]): boolean {
  if (effect !== 'ASK') return effect === 'ALLOW';
  return rules.some(
    (other) => other.effect === 'DENY' && other.source !== 'root' && other.specificity < specificity,
  );
}
