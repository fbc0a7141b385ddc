// SPDX-License-Identifier: Apache-2.0

const KEPT_MS = 3_600_000;
/** What an entry costs beside its text. */
const OVERHEAD_BYTES = 300;

interface Kept {
  readonly principal: string;
  readonly status: string;
  readonly text: string;
  readonly until: number;
}

/**
 * Outcomes of the last hour, so that a client that lost its connection finds out what became of a write. Bounded by bytes:
 * under pressure the oldest go first. They hold results, so they live in memory only.
 */
export class Outcomes {
  readonly #kept = new Map<string, Kept>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  keep(invocation: string, principal: string, status: string, text: string, now: number): void {
    this.#kept.set(invocation, { principal, status, text, until: now + KEPT_MS });
    this.#bytes += text.length + OVERHEAD_BYTES;
    if (this.#bytes > this.#mostBytes) this.#makeRoom(this.#mostBytes * 0.75, now);
  }

  /** By a quarter at a time: looking for the oldest steps over all that were taken out before it. */
  #makeRoom(bytes: number, now: number): void {
    for (const [oldest, entry] of this.#kept) {
      if (this.#bytes <= bytes && now < entry.until) break;
      this.#kept.delete(oldest);
      this.#bytes -= entry.text.length + OVERHEAD_BYTES;
    }
  }

  /** Only its own principal finds it. */
  find(invocation: string, principal: string, now: number): { status: string; text: string } | undefined {
    const entry = this.#kept.get(invocation);
    return entry !== undefined && entry.principal === principal && now < entry.until ? entry : undefined;
  }
}
