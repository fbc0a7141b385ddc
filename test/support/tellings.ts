// SPDX-License-Identifier: Apache-2.0

interface Telling {
  readonly what: string;
  readonly value: unknown;
  taken: boolean;
}

interface Waiting {
  readonly wanted: (telling: Telling) => boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a peer said happened to it, in order. `next` waits for what has not happened yet, and takes each only once. */
export class Tellings {
  readonly #all: Telling[] = [];
  #waiting: Waiting[] = [];
  #end: Error | undefined;

  put(what: string, value: unknown): void {
    const telling = { what, value, taken: false };
    this.#all.push(telling);
    const waiting = this.#waiting.find(({ wanted }) => wanted(telling));
    if (waiting === undefined) return;
    telling.taken = true;
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    waiting.resolve(value);
  }

  /** No more will come: whoever waits learns why. */
  end(reason: Error): void {
    this.#end = reason;
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  async next<T>(what: string, where: (value: T) => boolean = () => true): Promise<T> {
    const wanted = (telling: Telling): boolean =>
      !telling.taken && telling.what === what && where(telling.value as T);
    const found = this.#all.find(wanted);
    if (found !== undefined) {
      found.taken = true;
      return found.value as T;
    }
    if (this.#end !== undefined) throw this.#end;
    return (await new Promise<unknown>((resolve, reject) =>
      this.#waiting.push({ wanted, resolve, reject }),
    )) as T;
  }

  /** All of a kind so far, taken or not. */
  all<T>(what: string): readonly T[] {
    return this.#all.filter((telling) => telling.what === what).map(({ value }) => value as T);
  }
}
