// SPDX-License-Identifier: Apache-2.0

export type AccessibilityErrorCode =
  /** There is no accessibility bus to be had. */
  | 'no-bus'
  /** The accessibility bus went away. */
  | 'lost'
  /** The app left the bus. */
  | 'gone'
  /** The app gives no answer in time, or gave none lately and is left alone for now. */
  | 'silent'
  /** The app answered with an error: the element is gone, or it has no such member. */
  | 'refused'
  /** The app's answer is larger than anything useful. */
  | 'too-large'
  /** The app's answer is not of the form that the protocol gives it. */
  | 'malformed'
  /** Whoever asked no longer waits. */
  | 'aborted';

/** What an app, or the accessibility bus, could not be asked. The message never holds an app's own words. */
export class AccessibilityError extends Error {
  readonly code: AccessibilityErrorCode;

  constructor(code: AccessibilityErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AccessibilityError';
    this.code = code;
  }
}
