// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { DBusError, ERROR_NAME } from './error.ts';

const LONGEST_LINE = 16384;

/**
 * Authenticates as this process's user and begins the message stream.
 * D-Bus specification, "Authentication Protocol": EXTERNAL only, where the kernel vouches for the uid. Descriptors are
 * never negotiated, so the bus delivers no message that carries one.
 */
export function authenticate(socket: Socket, uid: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let line = '';
    const finish = (error?: DBusError): void => {
      socket.off('data', read).off('error', failed).off('close', closed);
      if (error === undefined) resolve();
      else reject(error);
    };
    const failed = (cause: Error) => finish(refused('the message bus cannot be reached', cause));
    const closed = () => finish(refused('the message bus closed the connection while authenticating'));
    const read = (chunk: Buffer): void => {
      line += chunk.toString('latin1');
      if (!line.includes('\r\n') && line.length < LONGEST_LINE) return;
      const accepted = /^OK [0-9a-f]+\r\n$/.test(line);
      if (accepted) socket.write('BEGIN\r\n');
      finish(accepted ? undefined : refused('the message bus refused this user'));
    };
    socket.on('data', read).on('error', failed).on('close', closed);
    socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`);
  });
}

function refused(message: string, cause?: unknown): DBusError {
  return new DBusError('disconnected', ERROR_NAME.disconnected, message, { cause });
}
