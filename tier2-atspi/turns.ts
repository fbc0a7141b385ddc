// SPDX-License-Identifier: Apache-2.0

/**
 * What `work` gives for each of `items`, in their order, with at most `width` of them waited for at once. What needs no
 * waiting is done on the way. The first rejection rejects, and nothing is begun after it.
 */
export async function inTurns<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => R | Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failed) return;
      const result = work(item);
      results[index] = result instanceof Promise ? await result : result;
    }
  };
  const guarded = (): Promise<void> =>
    lane().catch((error: unknown) => {
      failed = true;
      throw error;
    });
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, guarded));
  return results;
}
