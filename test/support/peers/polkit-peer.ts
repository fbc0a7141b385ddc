// SPDX-License-Identifier: Apache-2.0
// Another user on the system bus: its authentication agent, where a person would type a password, or its broker. It
// starts as root and becomes that user once its code is loaded, since that user need not be able to read the code.

import { polkitDecider } from '../../../broker/identity/polkit.ts';
import { readStat } from '../../../broker/identity/procfs.ts';
import { type Connection, connect, type IncomingCall } from '../../../dbus/connection.ts';
import { variant } from '../../../dbus/values.ts';
import { type Command, obey, tell } from './channel.ts';

const AGENT_PATH = '/org/portal/test/Agent';
const POLKIT = 'org.freedesktop.PolicyKit1';

interface Process {
  readonly pid: number;
  readonly startTime: string;
  readonly uid: number;
}

let bus: Connection | undefined;
let asked: IncomingCall | undefined;

function opened(): Connection {
  if (bus === undefined) throw new Error('become somebody first');
  return bus;
}

const become: Command = async ({ uid }) => {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
  bus = await connect();
};

/** Becomes the agent for one process. `asked` is told with the cookie that proves whoever authenticated. */
const register: Command = async ({ pid, startTime }) => {
  opened().onCall((call) => {
    if (call.member === 'BeginAuthentication') {
      asked = call;
      const [action, message, , , cookie, identities] = call.body;
      tell('asked', { action, message, cookie, identities });
    } else {
      opened().reply(call, '', []);
      tell('withdrawn', call.body[0]);
    }
  });
  const subject = [
    'unix-process',
    { pid: variant('u', Number(pid)), 'start-time': variant('t', BigInt(String(startTime))) },
  ];
  await opened().call({
    destination: POLKIT,
    path: '/org/freedesktop/PolicyKit1/Authority',
    interface: `${POLKIT}.Authority`,
    member: 'RegisterAuthenticationAgent',
    signature: '(sa{sv})ss',
    body: [subject, 'C', AGENT_PATH],
  });
};

/** Ends the dialog: as one who is through with it, or as one who closed it. */
const finish: Command = async ({ dismissed }) => {
  if (asked === undefined) throw new Error('nobody was asked');
  if (dismissed === true) opened().replyError(asked, `${POLKIT}.Error.Cancelled`, 'dismissed');
  else opened().reply(asked, '', []);
};

/** What the broker of this user gets to hear about a process. */
const decide: Command = async ({ pid, startTime, uid }) => {
  const decider = polkitDecider({
    connect,
    timeoutMs: 10_000,
    alive: (process) => readStat('/proc', process.pid)?.startTime === process.startTime,
    firstPersonUid: 1,
  });
  const peer: Process = { pid: Number(pid), startTime: String(startTime), uid: Number(uid) };
  return await decider.authenticate(peer, new AbortController().signal);
};

obey({ become, register, finish, decide });
