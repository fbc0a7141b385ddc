// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { ApprovalError } from '../../../broker/approval/error.ts';
import type { PendingRow } from '../../../broker/approval/listed.ts';
import { id } from './fixture-app.ts';
import { type Desk, type Ran, useDesk } from './world.ts';

/** Lets everything that is under way come to rest at something that waits. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What waits in the list once everything has come to rest. */
export async function waiting(desk: Desk): Promise<readonly PendingRow[]> {
  await settle();
  return desk.approvals.list({ ended: false });
}

export async function only(desk: Desk): Promise<PendingRow> {
  const [row, ...others] = await waiting(desk);
  assert.isEmpty(others);
  if (row === undefined) throw new Error('nothing waits');
  return row;
}

/** How a decision was refused, or `ok`. */
export function code(decision: Promise<void>): Promise<string> {
  return decision.then(
    () => 'ok',
    (error: unknown) => {
      assert.instanceOf(error, ApprovalError);
      return error instanceof ApprovalError ? error.code : '';
    },
  );
}

export const PERSON = 'user:1000';
export const ONCE = { choice: 'once' } as const;

/** A desk whose person decides from the list alone. */
export function useList(): { readonly desk: Desk; readonly its: ReturnType<typeof useDesk> } {
  const its = useDesk();
  beforeEach(() => {
    its.desk.confirmers.remove(':1.90');
    its.desk.approvals.watch(':1.80');
  });
  return {
    get desk() {
      return its.desk;
    },
    its,
  };
}
export const write = (desk: Desk, path = '/tmp/a', more = {}, as = {}): Promise<Ran> =>
  desk.dispatch(id('write'), { path }, more, as);
