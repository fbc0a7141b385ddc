// SPDX-License-Identifier: Apache-2.0
import { IdentityError } from '../../../broker/identity/error.ts';

/** The IdentityError that a promise rejects with; anything else fails the test. */
export async function identityFailureOf(promise: Promise<unknown>): Promise<IdentityError> {
  const failed = await promise.then(
    (value) => new Error(`it succeeded with ${String(value)}`),
    (error: unknown) => error,
  );
  if (failed instanceof IdentityError) return failed;
  throw failed;
}

/** The IdentityError that a function throws; anything else fails the test. */
export function identityFailureThrownBy(action: () => unknown): IdentityError {
  try {
    action();
  } catch (error) {
    if (error instanceof IdentityError) return error;
    throw error;
  }
  throw new Error('it threw nothing');
}
