// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { EMPTY_RULES, RuleSet } from '../../../policy/rule-set.ts';
import { only, PERSON, useList, write } from './approving.ts';
import { id } from './fixture-app.ts';
import { success } from './scripted-bus.ts';
import { done, type Ran, refused } from './world.ts';

/** The decisions that are on record of one attempt, with the events that hold them. */
function decisions({ events }: Ran): (string | undefined)[][] {
  return events.filter(({ effect }) => effect !== undefined).map(({ type, effect }) => [type, effect]);
}

describe('[R100] each decision of policy is on record once, before anything runs', () => {
  const list = useList();

  it('of what policy allows', async () => {
    const { desk } = list;
    const allowed = () =>
      list.its.records.query({ type: 'requested' }).filter(({ event }) => event?.effect === 'allow').length;
    const before = allowed();
    let onRecord = 0;
    desk.bus.app = async () => {
      onRecord = allowed() - before;
      return success({ text: 'seen' });
    };
    const ran = await desk.dispatch(id('look'), {});
    done(ran);
    assert.equal(onRecord, 1, 'when the app was called');
    assert.deepEqual(decisions(ran), [['requested', 'allow']]);
    assert.deepEqual(
      ran.events.map(({ type }) => type),
      ['requested', 'executed'],
    );
  });

  it('of what a person allows', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, { choice: 'once' }, PERSON);
    const ran = await running;
    done(ran);
    assert.deepEqual(decisions(ran), [['asked', 'ask']]);
  });

  it('of what is denied, by a person and by policy', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    assert.deepEqual(decisions(await running), [['asked', 'ask']]);
    desk.configure({ locked: [id('look')] });
    const denied = await desk.dispatch(id('look'), {});
    assert.equal(refused(denied, 'policy', 'PolicyDenied').rule, 'locked');
    assert.deepEqual(decisions(denied), [['denied', 'deny']]);
  });

  it('an exception in the evaluation denies, and the record says that it was one', async () => {
    const { desk } = list;
    class Broken extends Error {}
    desk.rules = Object.create(EMPTY_RULES, {
      isLocked: {
        value: () => {
          throw new Broken('in the middle of it');
        },
      },
    }) as RuleSet;
    const ending = refused(await desk.dispatch(id('look'), {}), 'policy', 'PolicyDenied');
    assert.deepInclude(ending as object, { rule: 'evaluation-failed', effect: 'deny' });
    desk.rules = RuleSet.of([], []);
    done(await desk.dispatch(id('look'), {}));
  });
});
