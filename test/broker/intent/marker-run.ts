// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { ENDINGS } from '../../../broker/audit/event.ts';
import { Records } from '../../../broker/audit/records.ts';
import { openLog } from '../../../broker/log.ts';
import { openStore } from '../../../broker/store/database.ts';
import { CAPABILITIES, id } from './fixture-app.ts';
import { decision, remote, success } from './scripted-bus.ts';
import { Desk, type Ran } from './world.ts';

// A process of its own, so that what it leaves on standard error and on the disk can be searched as a whole:
// node marker-run.ts STORE MARKER. Prints how many attempts there were and how many endings the record has.

const [, , directory = '', marker = ''] = process.argv;
const store = openStore({ directory });
const records = new Records({ store, now: Date.now });
const log = openLog();
const desk = new Desk(records, store, join(directory, 'pending.db'));
desk.world.fault = (error) => log.fault(error);
desk.offer({ capabilities: CAPABILITIES.map((declared) => ({ ...declared, description: marker })) });
const invocations: string[] = [];
const note = ({ invocation }: Ran): void => {
  invocations.push(invocation);
};
const write = async (more = {}): Promise<void> =>
  note(await desk.dispatch(id('write'), { path: `/${marker}` }, more));

// Refused on the way.
note(await desk.dispatch(id('read'), { name: marker.repeat(1000) }));
note(await desk.dispatch(id('read'), { [marker]: 1 }));
note(await desk.dispatch(id('counted'), { count: 1, kind: marker }));
note(await desk.dispatch(id('read'), marker));
note(await desk.dispatch(id('write'), { path: marker }));
note(await desk.dispatch(id('send'), { url: `ftp://${marker}` }));
note(await desk.dispatch(marker, { name: marker }));
note(await desk.dispatch(`${id('read')}\n{"type":"executed","capability":"${marker}"}`, {}));
note(await desk.dispatch(id('read'), { name: marker }, { version: marker, target: marker }));
await write({
  target: marker,
  origin: marker,
  turn: marker,
  session: marker,
  intention: marker,
  evidence: [marker],
});

// Decided by a person.
desk.bus.person = (asked) => desk.bus.deny(asked, marker);
await write({ reason: marker });
desk.bus.person = ({ call }) => desk.bus.never(call);
await write({ reason: marker });
desk.bus.person = ({ digest }) => {
  desk.clock.ms += 1000;
  const params = JSON.stringify({ path: `/${marker}`, paths: [marker] });
  return decision(digest, { decision: 'modified', params, note: marker });
};
await write({ reason: marker, intention: 'tidy' });
desk.bus.person = (asked) => desk.bus.once(asked);

// Run, and ended in each way.
const answers: readonly (() => unknown)[] = [
  () => success({ text: marker }, { state_after: marker, undo_token: marker }),
  () => success({ [marker]: marker }),
  () => success({ text: marker.repeat(99) }),
  () => marker,
  () => JSON.stringify({ success: false, data: marker }),
];
for (const answer of answers) {
  desk.bus.app = answer;
  await write();
}
const thrown: readonly unknown[] = [
  remote('org.portal.Broker1.Error.ExecutionFailed', JSON.stringify({ reason: marker })),
  remote(`org.example.${marker}`, marker),
  Object.assign(new Error(`${marker}\n    at ${marker} (file:1:1)`), { name: marker }),
  Object.assign(new Error(''), { code: 'ENOENT', cause: marker }),
  marker,
];
for (const error of thrown) {
  desk.clock.ms += 60_000;
  desk.bus.app = () => {
    throw error;
  };
  await write();
}
desk.bus.app = desk.bus.never;
await write();
desk.world.resolvePath = (path) => {
  throw new TypeError(`no ${path}\n    at ${path}`);
};
await write();

const ended = invocations.filter(
  (invocation) =>
    records.query({ invocation }).filter(({ event }) => event !== undefined && ENDINGS.includes(event.type))
      .length === 1,
);
process.stdout.write(JSON.stringify({ attempts: invocations.length, ended: ended.length }));
desk.pendingFile.close();
records.close();
