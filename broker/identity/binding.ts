// SPDX-License-Identifier: Apache-2.0

/**
 * By what a peer was recognised. The first four are the kernel's or the bus's word about something that another process
 * of the same user cannot have; the rest it can arrange: show any sandbox id from a user namespace, choose a user unit's
 * name, exec a trusted program while a child keeps the socket.
 */
export const BINDINGS = ['uid', 'gid', 'label', 'system-unit', 'sandbox', 'unit', 'exe', 'pid'] as const;
export type BindingKind = (typeof BINDINGS)[number];

const RANK: Readonly<Record<BindingKind, number>> = {
  uid: 4,
  gid: 4,
  label: 4,
  'system-unit': 4,
  sandbox: 3,
  unit: 2,
  exe: 1,
  pid: 0,
};

/** Whether the same uid cannot fake this kind of evidence. */
export function isStrong(kind: BindingKind): boolean {
  return RANK[kind] === RANK.uid;
}

/** Positive where `a` is the stronger evidence, 0 where both are as strong. */
export function compareBindings(a: BindingKind, b: BindingKind): number {
  return RANK[a] - RANK[b];
}
