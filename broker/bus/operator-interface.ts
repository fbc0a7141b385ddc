// SPDX-License-Identifier: Apache-2.0
import type { InterfaceSpec } from '../../dbus/serve.ts';
import { OPERATOR } from './names.ts';
import { approvalCalls } from './operator/approval-calls.ts';
import { confirmerCalls } from './operator/confirmer-calls.ts';
import type { OperatorDeps } from './operator/deps.ts';
import { grantCalls } from './operator/grant-calls.ts';
import { lookBackCalls } from './operator/look-back-calls.ts';
import { ruleCalls } from './operator/rule-calls.ts';
import { stopCalls } from './operator/stop-calls.ts';

/** `org.portal.Broker1.Operator`: for the person's own tools. Documented in dbus-policy/org.portal.Broker1.Operator.xml. */
export function operatorInterface(deps: OperatorDeps): InterfaceSpec {
  return {
    name: OPERATOR,
    methods: {
      ...confirmerCalls(deps),
      ...approvalCalls(deps),
      ...stopCalls(deps),
      ...grantCalls(deps),
      ...ruleCalls(deps),
      ...lookBackCalls(deps),
    },
    signals: {
      AppsChanged: 'as',
      PendingChanged: 'as',
      GrantsChanged: '',
      RulesChanged: '',
      Acting: 'sb',
      Acted: 'sst',
    },
  };
}
