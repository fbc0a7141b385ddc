// SPDX-License-Identifier: Apache-2.0
import { invalid } from './context.ts';

/** The invocations that run at the moment, so that each can be told to stop. */
export class Running {
  readonly #controllers = new Map<string, AbortController>();

  /** Runs `work` under the name `invocation`. Throws InvalidArgs where one of that name runs already. */
  async track<T>(invocation: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#controllers.has(invocation)) throw invalid('an invocation of this id is running already');
    const controller = new AbortController();
    this.#controllers.set(invocation, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#controllers.delete(invocation);
    }
  }

  cancel(invocation: string): void {
    this.#controllers
      .get(invocation)
      ?.abort(new DOMException('nobody waits for this invocation any more', 'AbortError'));
  }

  cancelAll(): void {
    for (const invocation of [...this.#controllers.keys()]) this.cancel(invocation);
  }
}
