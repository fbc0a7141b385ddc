// SPDX-License-Identifier: Apache-2.0
import { IdentityError } from './error.ts';

/**
 * Reads the reply of CheckAuthorization, `(bba{ss})`: authorised, challenge, details. Returns only where it says yes.
 *
 * @throws IdentityError `NotAuthorised`, or `NoAuthority` where it does not have this form
 */
export function decodeAuthorisation(reply: readonly unknown[]): void {
  const [result] = reply;
  const [authorised, challenge, details]: readonly unknown[] = Array.isArray(result) ? result : [];
  const formed = typeof authorised === 'boolean' && typeof challenge === 'boolean' && Array.isArray(details);
  if (reply.length !== 1 || !formed)
    throw new IdentityError('NoAuthority', 'polkit gave an answer that cannot be read: see its version');
  if (authorised) return;
  throw new IdentityError('NotAuthorised', reasonOf(challenge, details));
}

function reasonOf(challenge: boolean, details: readonly unknown[]): string {
  if (details.some((entry) => Array.isArray(entry) && entry[0] === 'polkit.dismissed'))
    return 'the authentication was dismissed: decide again and authenticate';
  if (challenge)
    return 'there is no authentication agent to ask for the password: start one, or decide where the question is shown';
  return 'not authenticated: try again, or see that this session is the active one and what the rules in /etc/polkit-1/rules.d say';
}
