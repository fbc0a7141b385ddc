// SPDX-License-Identifier: Apache-2.0
import { KeyError, quote } from './error.ts';

/** A desktop id that has passed `parseAppId`: safe as a file name, kept byte for byte. */
export type AppId = string & { readonly __appId: unique symbol };

// The desktop-entry grammar as installed apps use it: `firefox-esr`, `org.DolphinEmu.dolphin-emu`, `io.github._0xzer0x.qurancompanion`.
// Dots only between elements, so `.`, `..` and hidden names cannot be spelled; each element has a letter or digit, and none starts
// with `-`, so no id reads as an option on a command line.
const APP_ID = /^_*[A-Za-z0-9][A-Za-z0-9_-]*(?:\._*[A-Za-z0-9][A-Za-z0-9_-]*)*$/;
const LONGEST_APP_ID = 255;

/**
 * The only way to an `AppId`; to be called before the value touches any path.
 * @throws KeyError `AppIdInvalid`
 */
export function parseAppId(value: unknown): AppId {
  if (typeof value !== 'string') throw new KeyError('AppIdInvalid', 'the app id must be a string', '/app_id');
  if (!isAppId(value)) {
    throw new KeyError(
      'AppIdInvalid',
      `${quote(value)} is no app id: use the desktop id, letters, digits, \`-\` and \`_\` between dots, at most ${LONGEST_APP_ID} bytes`,
      '/app_id',
    );
  }
  return value;
}

function isAppId(value: string): value is AppId {
  return value.length <= LONGEST_APP_ID && APP_ID.test(value);
}
