// SPDX-License-Identifier: Apache-2.0
import type { KnownCapability } from '../../policy/lint.ts';
import type { Subject } from '../../policy/standing-question.ts';
import { subject } from './rules.ts';

const WRITING = subject({ id: 'files.trash' }, 'write');
const READING = subject({ id: 'files.open' }, 'read');
const WIPING = subject({ id: 'files.wipe' }, 'destructive');
export const OTHER = subject({ id: 'notes.add' }, 'write', { appId: 'org.example.Notes' });
const PLAIN = subject({ id: 'notes.sync', hasTarget: false }, 'write', { appId: 'org.example.Notes' });
const POSTING = subject({ id: 'web.post' }, 'network', { appId: 'org.example.Web' });
const FETCHING = subject({ id: 'web.fetch' }, 'read', {
  appId: undefined,
  classification: { ...READING.classification, network: 'external', gate: 'confirm' },
});
const PURGING = subject({ id: 'web.purge' }, 'destructive', {
  appId: 'org.example.Web',
  classification: { ...WIPING.classification, network: 'external' },
});
export const SUBJECTS = [WRITING, READING, WIPING, OTHER, PLAIN, POSTING, FETCHING, PURGING];

export const knownAs = ({ capability, appId, classification, locked }: Subject): KnownCapability => ({
  capability: capability.id,
  appId,
  classification,
  hasTarget: capability.targets.length > 0,
  locked,
});
export const KNOWN = SUBJECTS.map(knownAs);
