#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  BrokerError,
  HandlerError,
  type Served,
  type Standing,
  serveCapabilities,
} from '../../broker/handler.ts';
import { NotesCapabilities } from './capabilities.ts';
import { NoteError } from './error.ts';
import { Notebook } from './notebook.ts';

const HELP = `Notes: Markdown files in a folder, and what an agent may do with them

Usage: main.ts [--folder DIR] [--manifest FILE]

  --folder DIR     where the notes are (default: $XDG_DATA_HOME/notes, else ~/.local/share/notes)
  --manifest FILE  the signed manifest (default: manifest.json beside this file)
  --help           show this

It runs until it is stopped, offers its capabilities to the broker on the session bus, and waits for one to start
where there is none. Try it without root or keys:

  portalctl dev -- examples/notes/main.ts --folder /tmp/notes
`;

interface Arguments {
  readonly folder: string;
  readonly manifest: string;
}

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2));
  if (given === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (given instanceof Error) return fail(given.message, 2);
  try {
    return await serve(given);
  } catch (error) {
    if (error instanceof NoteError || error instanceof HandlerError || error instanceof BrokerError) {
      return fail(error.message, 1);
    }
    throw error;
  }
}

async function serve({ folder, manifest }: Arguments): Promise<number> {
  const notes = await Notebook.open(folder);
  let served: Served | undefined;
  const capabilities = new NotesCapabilities(manifest, notes, (name, change) => {
    served
      ?.emitEvent('note-changed', { name, change })
      .catch((error: unknown) => complain(`no event was sent: ${error}`));
  });
  const onStanding = (standing: Standing): void => announce(standing, folder);
  served = await serveCapabilities(capabilities, { onStanding, onFault: (error) => complain(String(error)) });
  const stop = (): void => void served.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const reason = await served.closed;
  return reason === undefined ? 0 : fail(reason.message, 1);
}

function readArguments(args: string[]): Arguments | 'help' | Error {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args,
      options: { folder: text, manifest: text, help: { type: 'boolean' } },
    });
    if (values.help === true) return 'help';
    const data = process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share');
    return {
      folder: resolve(values.folder ?? join(data, 'notes')),
      manifest: resolve(values.manifest ?? join(import.meta.dirname, 'manifest.json')),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return new Error(`${message.split('. ')[0]?.toLowerCase().replaceAll("'", '`')}: see --help`);
  }
}

function announce(standing: Standing, folder: string): void {
  switch (standing.tier) {
    case 1: {
      const known =
        standing.binding === 'unbound'
          ? '; nothing but the signature says who this is, so every call asks'
          : '';
      process.stdout.write(
        `tier 1: ${standing.capabilities.length} capabilities for the notes in ${folder}${known}\n`,
      );
      for (const warning of standing.warnings) complain(warning);
      return;
    }
    case 2: {
      const { pointer, message } = standing.reason;
      process.stdout.write(`tier 2: the manifest was not accepted, so nothing is offered\n`);
      complain(pointer === '' ? message : `${message} (at ${pointer})`);
      return;
    }
    case undefined:
      process.stdout.write('not registered\n');
      complain(standing.cause.message);
      return;
  }
}

function complain(message: string): void {
  process.stderr.write(`notes: ${message}\n`);
}

function fail(message: string, code: number): number {
  complain(message);
  return code;
}

process.exitCode = await main();
