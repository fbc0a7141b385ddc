// SPDX-License-Identifier: Apache-2.0
import type { Frame } from './wire.ts';
import { MESSAGE } from './wire.ts';

/** What work one turn of the event loop may do before timers, input and others' answers have theirs. */
const SLICE_MS = 4;
/** Bytes that wait altogether, before only those who have nothing waiting are let in, with a small message. */
const CROWDED_BYTES = 64 * 2 ** 20;
const SMALL_BYTES = 64 * 2 ** 10;
/** Calls that are held altogether until there is a handler. */
const MAX_HELD_CALLS = 256;

export interface InboxParts {
  readonly maxUnanswered: number;
  readonly maxWaitingBytes: number;
  /** Handles one message. Must not throw. */
  readonly deliver: (frame: Frame) => void;
  /** Answers a call that is not let in; cheap. */
  readonly refuse: (frame: Frame) => void;
  /** Whether answers pile up unsent, so that no call should be begun. */
  readonly congested: () => boolean;
}

interface Line {
  readonly waiting: Frame[];
  bytes: number;
}

/**
 * The calls that wait for their turn. A call is handled at once where nothing else is going on; otherwise the senders
 * take turns, one message each, so that however many calls one of them makes, everybody else's next call is the next
 * but a few. What comes from one sender stays in order, replies and signals behind its own calls included.
 */
export class Inbox {
  readonly #parts: InboxParts;
  /** Only senders that have something waiting, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  readonly #unanswered = new Map<string, number>();
  #bytes = 0;
  #calls = 0;
  #state: 'held' | 'idle' | 'working' | 'closed' = 'held';
  #sliceEnds = 0;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Whether nothing waits for its turn. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** There is a handler from now on. */
  open(): void {
    if (this.#state !== 'held') return;
    this.#state = 'idle';
    this.resume();
  }

  push(frame: Frame): void {
    const sender = frame.sender ?? '';
    const line = this.#lines.get(sender);
    if (frame.type !== MESSAGE.call) {
      // Behind the calls it followed; past them where nobody handles calls, and rather than lost where there are too many.
      const past = this.#state === 'held' || (line?.bytes ?? 0) > this.#parts.maxWaitingBytes;
      if (line === undefined || past) this.#parts.deliver(frame);
      else this.#add(sender, line, frame);
      return;
    }
    const before = this.#unanswered.get(sender) ?? 0;
    if (!this.#admits(before, line, frame)) {
      this.#parts.refuse(frame);
      return;
    }
    this.#unanswered.set(sender, before + 1);
    this.#calls += 1;
    this.#add(sender, line, frame);
    this.resume();
  }

  /** A call of this sender has its answer. */
  answered(sender: string): void {
    const left = (this.#unanswered.get(sender) ?? 1) - 1;
    if (left > 0) this.#unanswered.set(sender, left);
    else this.#unanswered.delete(sender);
  }

  /** The sender left the bus: nobody is there to be answered. */
  forget(sender: string): void {
    const line = this.#lines.get(sender);
    if (line === undefined) return;
    this.#lines.delete(sender);
    this.#bytes -= line.bytes;
    for (const { type } of line.waiting) {
      if (type !== MESSAGE.call) continue;
      this.#calls -= 1;
      this.answered(sender);
    }
  }

  /** Goes on after answers had piled up. */
  resume(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'working';
    this.#sliceEnds = performance.now() + SLICE_MS;
    this.#work();
  }

  close(): void {
    this.#state = 'closed';
    this.#lines.clear();
    this.#bytes = 0;
  }

  #admits(unanswered: number, line: Line | undefined, frame: Frame): boolean {
    const { maxUnanswered, maxWaitingBytes } = this.#parts;
    const size = sizeOf(frame);
    if (unanswered >= maxUnanswered || (line !== undefined && line.bytes + size > maxWaitingBytes))
      return false;
    if (this.#state === 'held' && this.#calls >= MAX_HELD_CALLS) return false;
    return this.#bytes <= CROWDED_BYTES || (line === undefined && size <= SMALL_BYTES);
  }

  #add(sender: string, line: Line | undefined, frame: Frame): void {
    const size = sizeOf(frame);
    this.#bytes += size;
    if (line === undefined) this.#lines.set(sender, { waiting: [frame], bytes: size });
    else {
      line.waiting.push(frame);
      line.bytes += size;
    }
  }

  /** One message, then everything it caused at once (answers above all), then the next. */
  readonly #work = (): void => {
    if (this.#state !== 'working') return;
    if (this.#lines.size === 0 || this.#parts.congested()) {
      this.#state = 'idle';
    } else if (performance.now() >= this.#sliceEnds) {
      setImmediate(this.#nextSlice);
    } else {
      this.#parts.deliver(this.#take());
      // A tick that is asked for in a microtask comes when no microtask is left.
      queueMicrotask(() => process.nextTick(this.#work));
    }
  };

  readonly #nextSlice = (): void => {
    this.#sliceEnds = performance.now() + SLICE_MS;
    this.#work();
  };

  #take(): Frame {
    for (const [sender, line] of this.#lines) {
      this.#lines.delete(sender);
      const frame = line.waiting.shift();
      if (frame === undefined) continue;
      const size = sizeOf(frame);
      line.bytes -= size;
      this.#bytes -= size;
      if (frame.type === MESSAGE.call) this.#calls -= 1;
      if (line.waiting.length > 0) this.#lines.set(sender, line); // last in turn
      return frame;
    }
    throw new Error('nothing waits');
  }
}

/** What a message costs while it waits, what is kept about it included. */
function sizeOf({ body }: Frame): number {
  return 512 + (body?.length ?? 0);
}
