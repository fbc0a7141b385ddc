// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { ProcessId } from '../../../broker/identity/peer.ts';
import { type Principal, ROLES, type Role } from '../../../broker/identity/principal.ts';
import { type Duty, Roles } from '../../../broker/identity/roles.ts';

const ALL: readonly Role[] = ROLES.filter((role) => role !== 'compositor');
const DUTIES: readonly Duty[] = ['dispatch', 'provide', 'decide', 'operate'];
const TOGETHER: readonly string[] = ['decide operate', 'operate decide'];

function principal(more: Partial<Principal> = {}): Principal {
  return {
    id: 'p',
    name: 'p',
    level: 'user',
    roles: ALL,
    categories: undefined,
    binding: 'exe',
    assurance: 'advisory',
    uid: 1000,
    pid: 1,
    startTime: '10',
    ...more,
  };
}

describe('broker/identity/roles', () => {
  let ended: Set<number>;
  let roles: Roles;
  const alive = ({ pid }: ProcessId) => !ended.has(pid);

  beforeEach(() => {
    ended = new Set();
    roles = new Roles(alive, { mostClaims: 100 });
  });

  for (const first of DUTIES) {
    for (const second of DUTIES) {
      const allowed = first === second || TOGETHER.includes(`${first} ${second}`);
      it(`after ${first}, ${second} is ${allowed ? 'ok' : 'refused'} on the same connection and on another of the process`, () => {
        assert.equal(roles.claim(':1.1', principal(), first), 'ok');
        assert.equal(roles.claim(':1.1', principal({ pid: 2 }), second), allowed ? 'ok' : 'refused');
        assert.equal(roles.claim(':1.2', principal(), second), allowed ? 'ok' : 'refused');
        assert.equal(roles.claim(':1.2', principal(), first), 'ok', 'a refusal takes nothing away');
      });
    }
  }

  const needed: readonly [duty: Duty, roles: readonly Role[]][] = [
    ['dispatch', ['intelligence', 'compositor']],
    ['provide', ['provider', 'compositor']],
    ['decide', ['confirmer', 'operator', 'compositor']],
    ['operate', ['operator', 'compositor']],
  ];
  for (const [duty, having] of needed) {
    it(`${duty} takes one of: ${having.join(', ')}`, () => {
      for (const role of ROLES) {
        const answer = new Roles(alive, { mostClaims: 100 }).claim(
          ':1.1',
          principal({ roles: [role] }),
          duty,
        );
        assert.equal(answer, having.includes(role) ? 'ok' : 'refused', role);
      }
    });
  }

  it('holds a strongly bound principal over all its processes', () => {
    const strong = principal({ binding: 'gid', id: 'strong' });
    assert.equal(roles.claim(':1.1', strong, 'dispatch'), 'ok');
    assert.equal(roles.claim(':1.2', { ...strong, pid: 2 }, 'operate'), 'refused');
    assert.equal(roles.claim(':1.2', { ...strong, id: 'other', pid: 2 }, 'operate'), 'ok');
  });

  it('holds processes of one unmatched user apart', () => {
    const unmatched = principal({ binding: 'pid', id: 'unmatched:1000' });
    assert.equal(roles.claim(':1.1', unmatched, 'dispatch'), 'ok');
    assert.equal(roles.claim(':1.2', { ...unmatched, pid: 2 }, 'provide'), 'ok');
  });

  it('holds the compositor per connection, where it governs and serves, or asks', () => {
    const compositor = principal({ binding: 'gid', roles: ['compositor'] });
    for (const duty of ['decide', 'operate', 'provide'] as const)
      assert.equal(roles.claim(':1.1', compositor, duty), 'ok');
    assert.equal(roles.claim(':1.1', compositor, 'dispatch'), 'refused');
    assert.equal(roles.claim(':1.2', compositor, 'dispatch'), 'ok');
    assert.equal(roles.claim(':1.2', compositor, 'decide'), 'refused');
  });

  it('remembers a process after its connection, until it ended', () => {
    assert.equal(roles.claim(':1.1', principal(), 'dispatch'), 'ok');
    roles.forget(':1.1');
    assert.equal(roles.claim(':1.2', principal(), 'decide'), 'refused');
    ended.add(1);
    assert.equal(roles.claim(':1.2', principal(), 'decide'), 'ok');
  });

  it('remembers a strong principal until the last of its processes ended', () => {
    const strong = principal({ binding: 'uid', id: 'strong' });
    roles.claim(':1.1', strong, 'dispatch');
    roles.claim(':1.2', { ...strong, pid: 2 }, 'dispatch');
    for (const name of [':1.1', ':1.2']) roles.forget(name);
    ended.add(1);
    assert.equal(roles.claim(':1.3', { ...strong, pid: 3 }, 'operate'), 'refused');
    ended.add(2);
    assert.equal(roles.claim(':1.3', { ...strong, pid: 3 }, 'operate'), 'ok');
  });

  for (const [what, binding] of [
    ['strong principal', 'uid'],
    ['process', 'exe'],
  ] as const) {
    it(`[R102] a ${what} stays what it was while a connection it made is open, whoever holds the socket by then`, () => {
      const first = principal({ binding, id: 'strong' });
      const second = binding === 'uid' ? { ...first, pid: 2 } : first;
      assert.equal(roles.claim(':1.1', first, 'decide'), 'ok');
      assert.equal(roles.claim(':1.2', first, 'decide'), 'ok');
      ended.add(1);
      assert.equal(roles.claim(':1.3', second, 'dispatch'), 'refused');
      roles.forget(':1.1');
      assert.equal(roles.claim(':1.3', second, 'dispatch'), 'refused');
      roles.forget(':1.2');
      assert.equal(roles.claim(':1.3', second, 'dispatch'), 'ok');
    });
  }

  it('takes a new process with an old number for another one', () => {
    roles = new Roles(({ startTime }) => startTime === '20', { mostClaims: 100 });
    roles.claim(':1.1', principal(), 'dispatch');
    roles.forget(':1.1');
    assert.equal(roles.claim(':1.2', principal({ startTime: '20' }), 'operate'), 'ok');
  });

  it('keeps a bounded number of claims, forgets those of ended processes and then refuses', () => {
    roles = new Roles(alive, { mostClaims: 4 });
    assert.equal(roles.claim(':1.1', principal({ pid: 1 }), 'dispatch'), 'ok');
    assert.equal(roles.claim(':1.2', principal({ pid: 2 }), 'dispatch'), 'ok');
    assert.equal(roles.claim(':1.3', principal({ pid: 3 }), 'dispatch'), 'refused');
    assert.equal(roles.claim(':1.2', principal({ pid: 2 }), 'dispatch'), 'ok');
    ended.add(1);
    roles.forget(':1.1');
    assert.equal(roles.claim(':1.3', principal({ pid: 3 }), 'dispatch'), 'ok');
    assert.equal(
      roles.claim(':1.2', principal({ pid: 2 }), 'operate'),
      'refused',
      'what still runs is remembered',
    );
  });

  it('keeps nothing of connections that left and processes that ended', () => {
    roles = new Roles(alive, { mostClaims: 2 });
    for (let pid = 1; pid < 50; pid += 1) {
      assert.equal(roles.claim(`:1.${pid}`, principal({ pid }), 'dispatch'), 'ok');
      ended.add(pid);
      roles.forget(`:1.${pid}`);
    }
  });
});
