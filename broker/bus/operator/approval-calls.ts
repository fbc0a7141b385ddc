// SPDX-License-Identifier: Apache-2.0
import type { MethodSpec } from '../../../dbus/serve.ts';
import { Options, textArgument } from '../options.ts';
import { type OperatorDeps, operatorOf, userOf } from './deps.ts';

const MOST_MINUTES = 480;

/** What waits for the person, and the person's answers to it. */
export function approvalCalls(deps: OperatorDeps): Readonly<Record<string, MethodSpec>> {
  const { desk } = deps;
  return {
    Pending: {
      in: 'a{sv}',
      out: 's',
      handle: async ([filter], call) => {
        const session = await operatorOf(deps, call);
        const options = new Options(filter);
        const ended = options.flag('ended');
        options.done();
        session.requirePresent();
        session.follows.add('pending');
        desk.watch(session.connection);
        return [JSON.stringify(desk.list({ ended }))];
      },
    },
    Approve: {
      in: 'ssa{sv}',
      out: '',
      handle: async ([id, digest, given], call) => {
        const session = await operatorOf(deps, call);
        const options = new Options(given);
        const choice = {
          choice: options.oneOf('choice', ['once', 'session'] as const) ?? 'once',
          minutes: options.count('minutes', 1, MOST_MINUTES),
          params: options.longText('params'),
          note: options.text('note'),
        };
        options.done();
        const decider = await deps.person(session);
        await desk.approve(textArgument(id), textArgument(digest), choice, decider);
        return [];
      },
    },
    Deny: {
      in: 'sa{sv}',
      out: '',
      handle: async ([id, given], call) => {
        const session = await operatorOf(deps, call);
        const options = new Options(given);
        const choice = { note: options.text('note'), session: options.flag('session') };
        options.done();
        await desk.deny(textArgument(id), choice, userOf(session));
        return [];
      },
    },
    Later: {
      in: 's',
      out: '',
      handle: async ([id], call) => {
        const session = await operatorOf(deps, call);
        await desk.later(textArgument(id), userOf(session));
        return [];
      },
    },
    Extend: {
      in: 's',
      out: '',
      handle: async ([id], call) => {
        const session = await operatorOf(deps, call);
        await desk.extend(textArgument(id), userOf(session));
        return [];
      },
    },
  };
}
