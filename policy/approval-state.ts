// SPDX-License-Identifier: Apache-2.0

/** Where the question about one invocation has come to. `pending` and `later` wait for a person; `executing` is answered. */
export type ApprovalState = 'pending' | 'later' | 'executing' | Ending;
type Ending = 'executed' | 'denied' | 'expired' | 'withdrawn' | 'void' | 'failed' | 'unknown';

/**
 * What can happen to it. `void`: something that it was bound to is no longer so. `lose`: whether it ran cannot be known,
 * for example since the broker was killed.
 */
export type ApprovalEvent =
  | 'approve'
  | 'deny'
  | 'later'
  | 'extend'
  | 'expire'
  | 'withdraw'
  | 'void'
  | 'execute'
  | 'fail'
  | 'lose';

/** Why an event changes nothing: `undecided`, nobody has approved it; `decided`, it runs; `over`, it has ended. */
export type NoStep = 'undecided' | 'decided' | 'over';

export type Step = { readonly state: ApprovalState } | { readonly refused: NoStep };

type Steps = Readonly<Partial<Record<ApprovalEvent, ApprovalState>>>;

const WAITING: Steps = {
  approve: 'executing',
  deny: 'denied',
  later: 'later',
  expire: 'expired',
  withdraw: 'withdrawn',
  void: 'void',
};
// What runs is no longer the question's to withdraw or to let expire: its own bounds end it. Everything is checked again
// between the answer and the execution, so that it may still be denied or void.
const RUNNING: Steps = { execute: 'executed', fail: 'failed', lose: 'unknown', deny: 'denied', void: 'void' };

const STEPS: Readonly<Partial<Record<ApprovalState, Steps>>> = {
  pending: { ...WAITING, extend: 'pending' },
  later: { ...WAITING, extend: 'later' },
  executing: RUNNING,
};

/**
 * The state after an event. The first answer counts: whatever comes after it is refused, so that two surfaces, a double
 * click or a sweep at the same moment lead to one execution at most. What has ended stays as it ended.
 */
export function next(state: ApprovalState, event: ApprovalEvent): Step {
  const steps = STEPS[state];
  if (steps === undefined) return { refused: 'over' };
  const after = steps[event];
  if (after !== undefined) return { state: after };
  return { refused: state === 'executing' ? 'decided' : 'undecided' };
}

/** Whether a person can still answer. */
export function waits(state: ApprovalState): boolean {
  return state === 'pending' || state === 'later';
}
