// SPDX-License-Identifier: Apache-2.0
import type { MethodSpec } from '../../../dbus/serve.ts';
import { decodeUndo } from '../decode.ts';
import { Options, textArgument } from '../options.ts';
import { type OperatorDeps, operatorOf } from './deps.ts';

/** What there is, what was done, and taking it back. */
export function lookBackCalls(deps: OperatorDeps): Readonly<Record<string, MethodSpec>> {
  const { world, dispatcher, registration, audit } = deps;
  return {
    Undo: {
      in: 'sa{sv}',
      out: 'oss',
      handle: async ([invocation, given], call) => {
        const session = await operatorOf(deps, call);
        const reply = decodeUndo(given);
        const id = textArgument(invocation);
        session.epoch = registration.epoch; // the person takes back what ran, whatever they have listed
        const undo = world.undos.find(id, world.now());
        return await dispatcher.run(session, { kind: 'undo', invocation: id, undo, byPerson: true }, reply);
      },
    },
    Apps: {
      in: '',
      out: 's',
      handle: async (_args, call) => {
        (await operatorOf(deps, call)).follows.add('apps');
        return [JSON.stringify(registration.apps())];
      },
    },
    Audit: {
      in: 'a{sv}',
      out: 's',
      handle: async ([filter], call) => {
        await operatorOf(deps, call);
        return [JSON.stringify(await audit.query(new Options(filter)))];
      },
    },
    VerifyAudit: {
      in: '',
      out: 's',
      handle: async (_args, call) => {
        await operatorOf(deps, call);
        return [JSON.stringify(await audit.verify())];
      },
    },
  };
}
