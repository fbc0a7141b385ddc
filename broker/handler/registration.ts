// SPDX-License-Identifier: Apache-2.0
import type { variant } from '../../dbus/values.ts';
import { REGISTRY } from '../bus/names.ts';
import { BrokerError } from '../peer/error.ts';
import { isJsonObject, type JsonObject, parseReplyObject } from '../peer/json.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';

/** Where an app stands with the broker. */
export type Standing =
  | {
      readonly tier: 1;
      readonly appId: string;
      readonly capabilities: readonly string[];
      /** What says, beside the signature, that this process is the app; `unbound` where nothing does. */
      readonly binding: string;
      readonly warnings: readonly string[];
    }
  | {
      /** The manifest was not accepted, so none of its capabilities is available. */
      readonly tier: 2;
      readonly appId: string | undefined;
      readonly reason: { readonly code: string; readonly pointer: string; readonly message: string };
    }
  /** Not registered: no broker is running, it refused the call itself, or the manifest cannot be read any more. */
  | { readonly tier: undefined; readonly cause: Error };

/** Makes one Register call. Rejects with a BrokerError. */
export async function register(link: BrokerLink, manifest: string, handlerPath: string): Promise<Standing> {
  const [tier, details] = await link.call(REGISTRY, 'Register', 'soa{sv}', [
    manifest,
    handlerPath,
    NO_OPTIONS,
  ]);
  const said = parseReplyObject(textOf(details));
  if (tier === 1) {
    return {
      tier,
      appId: textOf(said.app_id),
      capabilities: textsOf(said.capabilities),
      binding: textOf(said.binding),
      warnings: textsOf(said.warnings),
    };
  }
  if (tier !== 2)
    throw new BrokerError('Protocol', 'the broker answered with a tier that this version does not know');
  const appId = typeof said.app_id === 'string' ? said.app_id : undefined;
  return { tier, appId, reason: reasonOf(said.reason) };
}

const NO_OPTIONS: Readonly<Record<string, ReturnType<typeof variant>>> = {};

function reasonOf(value: unknown): { code: string; pointer: string; message: string } {
  const reason: JsonObject = isJsonObject(value) ? value : {};
  return { code: textOf(reason.code), pointer: textOf(reason.pointer), message: textOf(reason.message) };
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value))
    throw new BrokerError('Protocol', 'the broker answered without an expected list');
  const list: readonly unknown[] = value;
  return list.map(textOf);
}
