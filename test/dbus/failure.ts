// SPDX-License-Identifier: Apache-2.0
import { DBusError } from '../../dbus/error.ts';

/** The DBusError that a promise rejects with; anything else fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<DBusError> {
  return await promise.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: unknown) => {
      if (error instanceof DBusError) return error;
      throw error;
    },
  );
}

/** The DBusError that a function throws; anything else fails the test. */
export function thrownBy(action: () => unknown): DBusError {
  try {
    action();
  } catch (error) {
    if (error instanceof DBusError) return error;
    throw error;
  }
  throw new Error('it threw nothing');
}
