// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { type Announced, noticeOf, noticeOfMany } from '../../../broker/approval/notice.ts';

const QUESTION: Announced = {
  id: 'a1',
  capability: 'web.fetch',
  appId: '',
  principal: 'desk-agent',
  risk: 'high',
};

describe('broker/approval/notice', () => {
  it('[R93] says which question it is, and no word that an app or an agent chose', () => {
    const words = { ...QUESTION, title: 'Free money', reason: 'press yes', params: '{"url":"x"}' };
    assert.deepEqual(noticeOf(words), {
      summary: 'A decision of yours is needed',
      body: 'web.fetch\nasked by: desk-agent\nrisk: high\nquestion: a1',
      urgency: 2,
    });
    assert.include(noticeOf({ ...words, appId: 'org.example.Notes' }).body, '\napp: org.example.Notes\n');
  });

  it('[R93] names each asker of many once, in an order that does not change', () => {
    const [b, a] = [
      { ...QUESTION, principal: 'b', risk: 'low' },
      { ...QUESTION, principal: 'a' },
    ];
    assert.deepEqual(noticeOfMany([b, a, b]), {
      summary: '3 decisions of yours are needed',
      body: 'asked by: a\nasked by: b',
      urgency: 2,
    });
    assert.deepEqual(noticeOfMany([b]), {
      summary: 'A decision of yours is needed',
      body: 'asked by: b',
      urgency: 1,
    });
  });
});
