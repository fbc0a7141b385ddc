// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from './error.ts';

/**
 * The socket path of the first usable `unix:` entry in a bus address, for `net.connect({ path })`; an abstract socket
 * starts with a zero byte. Other transports are refused: `tcp:` carries no credentials of the peer, and `unixexec:`
 * would start a program named by an environment variable.
 * D-Bus specification, "Server Addresses": entries separated by `;`, keys by `,`, values escaped as %XX.
 */
export function socketPath(address: string | undefined): string {
  if (address === undefined || address === '') {
    throw unusable(
      'no message bus address; set DBUS_SESSION_BUS_ADDRESS or start the program with `dbus-run-session`',
    );
  }
  for (const entry of address.split(';')) {
    const colon = entry.indexOf(':');
    if (entry.slice(0, colon) !== 'unix') continue;
    const keys = new Map<string, string>();
    for (const pair of entry.slice(colon + 1).split(',')) {
      const equals = pair.indexOf('=');
      if (equals > 0) keys.set(pair.slice(0, equals), percentDecoded(pair.slice(equals + 1)));
    }
    const path = keys.get('path');
    if (path !== undefined && path !== '') return path;
    const abstract = keys.get('abstract');
    if (abstract !== undefined && abstract !== '') return `\0${abstract}`;
  }
  throw unusable(`no unix socket in the message bus address \`${address}\``);
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw unusable('the message bus address holds a malformed escape');
  }
}

function unusable(message: string): DBusError {
  return new DBusError('invalid', ERROR_NAME.disconnected, message);
}
