// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { type ApprovalEvent, type ApprovalState, next, waits } from '../../policy/approval-state.ts';

const EVENTS = [
  'approve',
  'deny',
  'later',
  'extend',
  'expire',
  'withdraw',
  'void',
  'execute',
  'fail',
  'lose',
] as const satisfies readonly ApprovalEvent[];
const ENDED = ['executed', 'denied', 'expired', 'withdrawn', 'void', 'failed', 'unknown'] as const;
const STATES: readonly ApprovalState[] = ['pending', 'later', 'executing', ...ENDED];

const after = (state: ApprovalState, event: ApprovalEvent): string => {
  const step = next(state, event);
  return 'state' in step ? step.state : `refused: ${step.refused}`;
};
const row = (state: ApprovalState): readonly string[] => EVENTS.map((event) => after(state, event));

describe('the state of an approval', () => {
  it('[R82] [R89] [R90] waits for an answer, and takes the first', () => {
    const undecided = ['refused: undecided', 'refused: undecided', 'refused: undecided'];
    const answers = ['executing', 'denied', 'later'];
    const endings = ['expired', 'withdrawn', 'void'];
    assert.deepEqual(row('pending'), [...answers, 'pending', ...endings, ...undecided]);
    assert.deepEqual(row('later'), [...answers, 'later', ...endings, ...undecided]);
  });

  it('[R88] once approved, ends as the execution does or as the checks before it', () => {
    const decided = 'refused: decided';
    assert.deepEqual(row('executing'), [
      decided,
      'denied',
      decided,
      decided,
      decided,
      decided,
      'void',
      'executed',
      'failed',
      'unknown',
    ]);
  });

  for (const state of ENDED) {
    it(`[R84] stays ${state}`, () => {
      for (const event of EVENTS) assert.equal(after(state, event), 'refused: over', event);
    });
  }

  it('[R84] no sequence of five events executes twice', () => {
    const walk = (state: ApprovalState, runs: number, left: number): number => {
      if (left === 0) return runs;
      const reached = EVENTS.map((event) => {
        const step = next(state, event);
        if (!('state' in step)) return runs;
        const started = step.state === 'executing' ? 1 : 0;
        return walk(step.state, runs + started, left - 1);
      });
      return Math.max(...reached);
    };
    assert.equal(walk('pending', 0, 5), 1);
  });

  it('says which a person can still answer', () => {
    assert.deepEqual(STATES.filter(waits), ['pending', 'later']);
  });
});
