// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { PendingList } from '../../../broker/approval/pending-list.ts';
import type { Question } from '../../../broker/approval/question.ts';
import { type Hooks, newRow } from '../../../broker/approval/row.ts';

const NOTHING = () => undefined;

function listOf(quotas: { questions: number; questionsPerPrincipal: number }): PendingList {
  const store = { keep: NOTHING, insert: NOTHING, update: NOTHING, remove: NOTHING, scrub: NOTHING };
  return new PendingList({
    store,
    quotas,
    now: () => 1,
    after: () => NOTHING,
    changed: NOTHING,
    fault: NOTHING,
  });
}

function question(invocation: string, principal: string, params: string): Question {
  return {
    invocation,
    digest: invocation,
    kind: 'invoke',
    capability: 'a.b.c',
    version: '1.0',
    title: 'A',
    appId: 'b.b',
    providerBinding: 'launcher',
    principal,
    principalName: principal,
    principalBinding: 'pid',
    connection: ':1.1',
    assurance: 'advisory',
    risk: 'medium',
    sideEffects: 'write',
    targets: 'undetermined',
    params,
    reason: '',
    evidence: [],
    intention: undefined,
    titles: {},
    undoMs: 0,
    choices: ['once', 'deny'],
  };
}

async function put(list: PendingList, one: Question): Promise<void> {
  const hooks: Hooks = {
    signal: new AbortController().signal,
    requester: {
      action: { kind: 'undo', invocation: 'x', undo: undefined, byPerson: false },
      connection: ':1.1',
      pid: 1,
      startTime: '1',
      principal: one.principal,
      requestPath: undefined,
    },
    asked: async (within) => within(),
    joined: async () => undefined,
    decided: async () => undefined,
    check: () => one,
  };
  await list.record(newRow(one, hooks, { since: 0, expiresAt: 10 }));
}

describe('the room for what waits', () => {
  it('[R92] is so many questions, of all and of one principal', async () => {
    const list = listOf({ questions: 4, questionsPerPrincipal: 2 });
    await put(list, question('a', 'one', '{}'));
    assert.isTrue(list.hasRoom(question('b', 'one', '{}')));
    await put(list, question('b', 'one', '{}'));
    assert.isFalse(list.hasRoom(question('c', 'one', '{}')));
    assert.isTrue(list.hasRoom(question('c', 'two', '{}')));
    await put(list, question('c', 'two', '{}'));
    await put(list, question('d', 'two', '{}'));
    assert.isFalse(list.hasRoom(question('e', 'three', '{}')));
  });

  it('[R92] leaves half to others, however many processes bear one name', async () => {
    const list = listOf({ questions: 4, questionsPerPrincipal: 4 });
    const of = (invocation: string, process: string, principalName: string): Question => ({
      ...question(invocation, `${principalName}:pid:${process}:1`, '{}'),
      principalName,
    });
    await put(list, of('a', '1', 'agent'));
    await put(list, of('b', '2', 'agent'));
    assert.isFalse(list.hasRoom(of('c', '3', 'agent')));
    assert.isTrue(list.hasRoom(of('c', '4', 'other')));
  });

  it('is bounded in length as well, since a person is shown all of it in one message', async () => {
    const list = listOf({ questions: 100, questionsPerPrincipal: 100 });
    const large = 'x'.repeat(2 ** 20);
    await put(list, question('a', 'one', large));
    assert.isTrue(list.hasRoom(question('b', 'two', large)));
    await put(list, question('b', 'two', large));
    assert.isFalse(list.hasRoom(question('c', 'three', 'x')));
  });
});
