// SPDX-License-Identifier: Apache-2.0
import { CallError } from './bus/errors.ts';
import type { Session } from './bus/sessions.ts';
import { userName } from './identity/decider.ts';
import { IdentityError } from './identity/error.ts';
import type { Decider } from './identity/polkit.ts';

/**
 * Finds the person behind a call that widens what somebody may do. The compositor draws the question itself, so its own
 * connection is enough; any other tool has its person authenticate while the call waits. The answer is a user as the
 * kernel says, never a name out of a message.
 */
export class Person {
  readonly #decider: Decider;
  #calls = 0;

  constructor(decider: Decider) {
    this.#decider = decider;
  }

  /** @throws CallError `NotAllowed` when nobody authenticated, `AccessDenied` when the caller left meanwhile */
  async behind(session: Session): Promise<string> {
    const { principal } = session;
    if (principal.roles.includes('compositor')) return userName(principal.uid);
    this.#calls += 1;
    const abort = new AbortController();
    const name = `person ${this.#calls}`; // no handle token has a space
    session.requests.set(name, { withdraw: () => abort.abort() });
    try {
      const decider = await this.#decider.authenticate(principal, abort.signal);
      session.requirePresent();
      return decider;
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error;
      throw new CallError('NotAllowed', error.message);
    } finally {
      session.requests.delete(name);
    }
  }
}
