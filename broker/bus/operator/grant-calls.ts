// SPDX-License-Identifier: Apache-2.0
import type { MethodSpec } from '../../../dbus/serve.ts';
import { parseGlob } from '../../../policy/glob.ts';
import { checkTarget, parseGrantRequest } from '../../../policy/grant.ts';
import { GrantError } from '../../grant/error.ts';
import { definitionOf, grantFindings } from '../../views/grant-view.ts';
import { escapeTexts } from '../../visible.ts';
import { jsonArgument } from '../json-argument.ts';
import { textArgument } from '../options.ts';
import { type OperatorDeps, operatorOf, userOf } from './deps.ts';

/** What may answer in the person's place, and what intelligences ask to be granted. */
export function grantCalls(deps: OperatorDeps): Readonly<Record<string, MethodSpec>> {
  const { ledger, requests } = deps;
  return {
    Grants: {
      in: '',
      out: 's',
      handle: async (_args, call) => {
        (await operatorOf(deps, call)).follows.add('grants');
        return [JSON.stringify(ledger.list())];
      },
    },
    AddGrant: {
      in: 's',
      out: 's',
      handle: async ([grant], call) => {
        const session = await operatorOf(deps, call);
        // What cannot be granted is refused before a person is troubled; that may take minutes, so it is read again then.
        const read = () => readGrant(jsonArgument(grant), deps);
        const before = read().definition.digest;
        const decider = await deps.person(session);
        const { wanted, definition } = read();
        if (definition.digest !== before) {
          throw new GrantError('Stale', 'the capability changed while you authenticated: look at it again');
        }
        const { id } = await ledger.add(wanted, definition.digest, decider);
        return [JSON.stringify({ id, findings: grantFindings(id, wanted, deps.view) })];
      },
    },
    NarrowGrant: {
      in: 'ss',
      out: '',
      handle: async ([id, grant], call) => {
        const session = await operatorOf(deps, call);
        await ledger.narrow(textArgument(id), jsonArgument(grant), userOf(session));
        return [];
      },
    },
    RevokeGrant: {
      in: 's',
      out: '',
      handle: async ([id], call) => {
        await ledger.revoke(textArgument(id), userOf(await operatorOf(deps, call)));
        return [];
      },
    },
    CapabilityRequests: {
      in: '',
      out: 's',
      handle: async (_args, call) => {
        (await operatorOf(deps, call)).follows.add('grants');
        return [JSON.stringify(escapeTexts(requests.list()))];
      },
    },
    DecideRequest: {
      in: 'ss',
      out: 's',
      handle: async ([id, decision], call) => {
        const session = await operatorOf(deps, call);
        const deciders = { denying: userOf(session), granting: () => deps.person(session) };
        const granted = await requests.decide(
          textArgument(id),
          jsonArgument(decision),
          deciders,
          (capability) => definitionOf(capability, deps.view),
        );
        if (granted === undefined) return ['{}'];
        const { target, ...rest } = granted;
        const glob = target === undefined ? undefined : parseGlob(target, deps.world.policyLimits);
        const findings = grantFindings(granted.id, { ...rest, target: glob }, deps.view);
        return [JSON.stringify({ id: granted.id, findings })];
      },
    },
  };
}

function readGrant(value: unknown, { world, view }: Pick<OperatorDeps, 'world' | 'view'>) {
  const wanted = parseGrantRequest(value, world.policyLimits, world.now());
  const definition = definitionOf(wanted.capability, view);
  checkTarget(wanted, definition);
  return { wanted, definition };
}
