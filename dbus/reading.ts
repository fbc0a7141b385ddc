// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';

/** Answers that pile up beyond this are waited for, before more is read or begun. */
const MAX_UNSENT_BYTES = 4 * 2 ** 20;
/** Large messages are only put together here, and whoever waits behind them is not kept waiting longer than it takes. */
const SLICE_MS = 4;

export interface ReaderParts {
  readonly push: (chunk: Buffer) => void;
  /** Whether messages wait for their turn. */
  readonly hasWork: () => boolean;
  /** Answers that had piled up are sent. */
  readonly drained: () => void;
}

export function isCongested(socket: Duplex): boolean {
  return socket.writableLength > MAX_UNSENT_BYTES;
}

/**
 * Reads at the pace of the work: while some is waiting, reading has a few milliseconds in each turn of the event loop; while
 * answers pile up, none at all. What is not read is held by the bus, and it is for the bus to slow down whoever floods us.
 */
export function readAtPace(socket: Duplex, { push, hasWork, drained }: ReaderParts): void {
  let spent = 0;
  const goOn = (): void => {
    spent = 0;
    if (!isCongested(socket)) socket.resume();
  };
  socket.on('drain', () => {
    socket.resume();
    drained();
  });
  socket.on('data', (chunk) => {
    const started = performance.now();
    push(chunk);
    if (isCongested(socket)) socket.pause();
    else if (hasWork()) {
      spent += performance.now() - started;
      if (spent < SLICE_MS) return;
      socket.pause();
      setImmediate(goOn);
    }
  });
}
