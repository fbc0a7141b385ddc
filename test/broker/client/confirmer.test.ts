// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Choice, Verdict } from '../../../broker/approval/choice.ts';
import { decodeDecisions, encodeQuestion } from '../../../broker/approval/confirm-message.ts';
import type { Question } from '../../../broker/approval/question.ts';
import {
  type ConfirmItem,
  type ConfirmQuestion,
  confirmerInterface,
  type Decision,
} from '../../../broker/client/confirmer.ts';
import { Variant } from '../../../dbus/values.ts';
import { received } from '../intent/scripted-bus.ts';

const CHOICES: readonly Choice[] = ['once', 'session', 'modified', 'later', 'deny', 'deny_session'];
const question = (digest: string, more: Partial<Question> = {}): Question => ({
  invocation: `i-${digest}`,
  digest,
  kind: 'invoke',
  capability: 'notes.org.example.write',
  version: '1.0',
  title: 'Write',
  appId: 'org.example',
  providerBinding: 'sandbox',
  principal: 'agent',
  principalName: 'agent',
  principalBinding: 'uid',
  connection: ':1.7',
  assurance: 'enforced',
  risk: 'medium',
  sideEffects: 'write',
  targets: [{ kind: 'path', value: '/a' }],
  params: '{"path":"/a"}',
  reason: 'because',
  evidence: ['e'],
  intention: 'tidy',
  titles: {},
  undoMs: 0,
  choices: CHOICES,
  ...more,
});

/** In the form in which the bus delivers what was sent. */
const delivered = (value: unknown): unknown => received(Object.fromEntries(Object.entries(Object(value))));

describe('broker/client/confirmer', () => {
  const QUESTIONS = [question('d1'), question('d2', { sideEffects: 'destructive', intention: undefined })];

  /** Both ends: what the broker asks reaches the person, and what the person says reaches the broker. */
  async function ask(
    answers: Readonly<Record<string, Decision>>,
    edit: (item: Record<string, unknown>) => void = () => undefined,
  ): Promise<{ asked: ConfirmQuestion | undefined; verdicts: ReadonlyMap<string, Verdict> }> {
    let asked: ConfirmQuestion | undefined;
    const { methods } = confirmerInterface(
      async (given) => {
        asked = given;
        return new Map(Object.entries(answers));
      },
      () => true,
    );
    const rows = QUESTIONS.map((one) => ({ question: one, problem: one.digest === 'd1' ? 'why' : '' }));
    const { body } = encodeQuestion('q1', rows, {
      locale: 'de',
      deadlineMs: 10,
      armingMs: 5,
      canModify: true,
    });
    const [id, items, context] = body;
    const list: unknown[] = Array.isArray(items) ? items : [];
    for (const item of list) edit(Object(item));
    const call = {
      sender: ':1.1',
      path: '/',
      interface: '',
      member: '',
      signature: '',
      body,
      serial: 1,
      noReply: false,
    };
    const reply = await methods.Confirm?.handle([id, list.map(delivered), delivered(context)], call);
    const [entries] = reply ?? [];
    const decisions = (Array.isArray(entries) ? entries : []).map(([digest, row]: [string, unknown]) => [
      digest,
      new Variant('a{sv}', row instanceof Variant ? delivered(row.value) : row),
    ]);
    return { asked, verdicts: decodeDecisions([decisions], QUESTIONS, { canModify: true }) };
  }

  it('[R152] every row reaches the person with all that it says', async () => {
    const { asked } = await ask({});
    const [first, second] = asked?.items ?? [];
    const expected: Partial<ConfirmItem> = {
      digest: 'd1',
      target: '/a',
      params: '{"path":"/a"}',
      reason: 'because',
      evidence: ['e'],
      ownTick: false,
      intention: 'tidy',
      problem: 'why',
      choices: CHOICES,
    };
    assert.deepInclude(first, expected);
    assert.deepInclude(second, { digest: 'd2', ownTick: true, intention: '', problem: '' });
  });

  const note = 'n';
  const said: readonly [decision: Decision, verdict: Verdict][] = [
    [
      { decision: 'once', note },
      { choice: 'once', note },
    ],
    [
      { decision: 'session', minutes: 5 },
      { choice: 'session', minutes: 5, note: undefined },
    ],
    [
      { decision: 'session', note },
      { choice: 'session', minutes: 60, note },
    ],
    [
      { decision: 'modified', params: '{}', note },
      { choice: 'once', params: '{}', note },
    ],
    [{ decision: 'later' }, { choice: 'later' }],
    [
      { decision: 'deny', note },
      { choice: 'deny', note },
    ],
    [{ decision: 'deny_session' }, { choice: 'deny_session', note: undefined }],
  ];
  for (const [decision, verdict] of said) {
    it(`[R84] [R85] [R86] [R87] ${JSON.stringify(decision)} reaches the broker`, async () => {
      const { verdicts } = await ask({ d2: decision });
      assert.deepEqual(verdicts.get('d2'), verdict);
      assert.equal(verdicts.get('d1')?.choice, 'deny', 'what is left out');
    });
  }

  for (const key of ['own_tick', 'intention', 'problem', 'choices', 'params']) {
    it(`a person is not asked about half a question: without ${key}`, async () => {
      const without = ask({}, (item) => Reflect.deleteProperty(item, key));
      assert.match(await without.then(() => 'asked', String), /the question lacks/);
    });
  }
});
