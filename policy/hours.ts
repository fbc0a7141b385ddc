// SPDX-License-Identifier: Apache-2.0

/** Hours of the local day, 0 to 23. `from` is inside, `to` is not; past midnight where `to` is smaller; all day where equal. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** Whether a value is an hour of the day. */
export function isHour(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 23;
}

/** Whether an hour of the local clock, 0 to 23, lies within. */
export function within({ from, to }: Hours, hour: number): boolean {
  if (from < to) return from <= hour && hour < to;
  return from === to || from <= hour || hour < to;
}
