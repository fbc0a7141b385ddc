// SPDX-License-Identifier: Apache-2.0

/** What may be said of a question in public: ids and the broker's own classification. */
export interface Announced {
  readonly id: string;
  readonly capability: string;
  /** Empty for the broker's own capabilities. */
  readonly appId: string;
  readonly principal: string;
  readonly risk: string;
}

/** A notification. It may be shown to whoever passes by, also on a locked screen. */
export interface Notice {
  readonly summary: string;
  readonly body: string;
  /** Desktop Notifications Specification, "Urgency Levels". */
  readonly urgency: typeof NORMAL | typeof CRITICAL;
}

const NORMAL = 1;
const CRITICAL = 2;
const ONE = 'A decision of yours is needed';

/** Ids alone: neither parameters nor words of an app or an agent, who could use them to talk to the person. */
export function noticeOf(question: Announced): Notice {
  const { id, capability, appId, principal, risk } = question;
  return {
    summary: ONE,
    body: [
      capability,
      ...(appId === '' ? [] : [`app: ${appId}`]),
      `asked by: ${principal}`,
      `risk: ${risk}`,
      `question: ${id}`,
    ].join('\n'),
    urgency: urgencyOf(question),
  };
}

/** One for all, as urgent as the most urgent of them. */
export function noticeOfMany(questions: readonly Announced[]): Notice {
  const count = questions.length;
  return {
    summary: count === 1 ? ONE : `${count} decisions of yours are needed`,
    body: [...new Set(questions.map(({ principal }) => `asked by: ${principal}`))].sort().join('\n'),
    urgency: questions.some((question) => urgencyOf(question) === CRITICAL) ? CRITICAL : NORMAL,
  };
}

function urgencyOf({ risk }: Announced): Notice['urgency'] {
  return risk === 'high' || risk === 'critical' ? CRITICAL : NORMAL;
}
