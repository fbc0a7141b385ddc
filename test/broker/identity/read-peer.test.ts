// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { IdentityError } from '../../../broker/identity/error.ts';
import { readCredentials, readPeer } from '../../../broker/identity/read-peer.ts';
import { variant } from '../../../dbus/values.ts';

const UID = ['UnixUserID', variant('u', 1000)];
const PID = ['ProcessID', variant('u', process.pid)];

describe('broker/identity/read-peer', () => {
  it('[R122] reads what the bus says, and leaves alone what it does not know', () => {
    const groups = ['UnixGroupIDs', variant('au', [1000, 44])];
    const label = ['LinuxSecurityLabel', variant('ay', Buffer.from('snap.notes.notes (enforce)\0'))];
    const more = ['org.example.Future', variant('s', 'x')];
    const expected = { uid: 1000, pid: process.pid, groups: [1000, 44], label: 'snap.notes.notes (enforce)' };
    assert.deepEqual(readCredentials([[UID, PID, groups, label, more]]), expected);
    assert.deepEqual(readCredentials([[UID, PID]]), { ...expected, groups: [], label: undefined });
  });

  const insufficient: readonly [what: string, entries: unknown[]][] = [
    ['no uid', [PID]],
    ['no pid', [UID]],
    ['a pid of another name space', [UID, ['ProcessID', variant('u', 0)]]],
    ['a uid that is no number', [PID, ['UnixUserID', variant('s', '0')]]],
  ];
  for (const [what, entries] of insufficient) {
    it(`[R122] refuses ${what}`, () => {
      try {
        readCredentials([entries]);
        assert.fail('it was accepted');
      } catch (error) {
        assert.instanceOf(error, IdentityError);
        assert.equal(error.code, 'unreadable');
      }
    });
  }

  it('[R122] names a snap by its label', () => {
    const labels = [
      'snap.notes.app (enforce)',
      'snap.notes_red.app (enforce)',
      'unconfined',
      'snap.',
      undefined,
    ];
    const sandboxes = labels.map(
      (label) =>
        readPeer(':1.1', { uid: 0, pid: process.pid, groups: [], label }, '/proc', Number.POSITIVE_INFINITY)
          .sandboxId,
    );
    assert.deepEqual(sandboxes, ['snap.notes', 'snap.notes', undefined, undefined, undefined]);
  });
});
