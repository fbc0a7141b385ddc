// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import type { Capability, JsonSchema, LocalText, Version } from './capability.ts';

/** A kind of event that an app may send. Events are untrusted data and start nothing. */
export interface EventDeclaration {
  readonly type: string;
  readonly description: string;
  readonly payloadSchema: JsonSchema | undefined;
  /** SHA-256 of app id and canonical declaration, lower-case hexadecimal. */
  readonly digest: string;
}

/** What an app declares, read and checked. Whether anybody trusted signed it is for `verifyManifest` to say. */
export interface Manifest {
  readonly appId: AppId;
  /** The app's own version, free text. */
  readonly version: string;
  readonly manifestVersion: Version;
  /** Orders an app's manifests: a lower one is a step back. */
  readonly revision: number | undefined;
  /** `dbus` when the bus starts the app once an intent needs it. */
  readonly activation: 'dbus' | undefined;
  /** The app's name and description by language (BCP 47 tag). */
  readonly locales: Readonly<Record<string, LocalText>>;
  readonly capabilities: readonly Capability[];
  readonly events: readonly EventDeclaration[];
  /** As it stands in the document; not yet looked at. */
  readonly signature: string | null | undefined;
  /** SHA-256 of the signed bytes, lower-case hexadecimal. */
  readonly digest: string;
  /** Canonical form without the signature (RFC 8785): what is signed. */
  readonly signedBytes: Uint8Array;
}
