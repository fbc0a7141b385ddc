// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { isJsonObject } from '../peer/json.ts';
import { HandlerError } from './error.ts';

/** The manifest's text as it will be sent, and the capabilities it names. */
export interface LoadedManifest {
  readonly text: string;
  readonly capabilities: ReadonlySet<string>;
}

/**
 * Reads a manifest. Only what this side needs is looked at: whether it is any good is for the broker to say.
 *
 * @throws HandlerError `ManifestUnreadable`
 */
export async function loadManifest(source: Uint8Array | string): Promise<LoadedManifest> {
  const text = decode(typeof source === 'string' ? await read(source) : source);
  return { text, capabilities: new Set(capabilityIds(text)) };
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadable(`cannot read the manifest \`${path}\`: check the path`, cause);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    // Fatal: a text that was repaired on the way would no longer be the one that was signed.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw unreadable('the manifest is not UTF-8: save it as such', cause);
  }
}

function capabilityIds(text: string): string[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    throw unreadable('the manifest is not JSON: check it with `portalctl verify`', cause);
  }
  const list: unknown = isJsonObject(manifest) ? manifest.capabilities : undefined;
  if (!Array.isArray(list))
    throw unreadable('the manifest has no `capabilities`: check it with `portalctl verify`');
  const entries: readonly unknown[] = list;
  return entries.flatMap((entry) => (isJsonObject(entry) && typeof entry.id === 'string' ? [entry.id] : []));
}

function unreadable(message: string, cause?: unknown): HandlerError {
  return new HandlerError('ManifestUnreadable', message, { cause });
}
