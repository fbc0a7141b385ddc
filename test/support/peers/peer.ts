// SPDX-License-Identifier: Apache-2.0
// A process of its own on the test's bus, which does what the lines on its standard input say. Roles exclude each other
// per process, so a test starts one for the app, one for the agent and one for the person; what it may be is for the
// broker to say, so every one of them can try everything.
import { agentCommands } from './agent.ts';
import { appCommands } from './app.ts';
import { obey } from './channel.ts';
import { personCommands } from './person.ts';
import { rawCommands } from './raw.ts';

obey({ ...appCommands, ...agentCommands, ...personCommands, ...rawCommands });
