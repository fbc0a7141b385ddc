// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { CUT } from '../../../../../broker/front/cli/confirm/desk.ts';
import { draw, type View } from '../../../../../broker/front/cli/confirm/draw.ts';
import type { Row } from '../../../../../broker/front/cli/confirm/row.ts';
import { CONTINUATION } from '../../../../../broker/front/cli/confirm/wrap.ts';
import { escapeText } from '../../../../../broker/front/cli/escape.ts';
import { row } from './question.ts';

const view: View = { columns: 100, assurance: 'advisory', position: 1, of: 1, limits: CUT };
const shown = (changes: Partial<Row>, seen: Partial<View> = {}): string =>
  draw(row(changes), { ...view, ...seen }).lines.join('\n');

describe('[R83] [R157] a question in a terminal', () => {
  it('shows everything that is decided, a labelled line each', () => {
    assert.deepEqual(draw(row(), { ...view, columns: 200 }).lines, [
      'Question: may this run, this once?',
      '  who asks: agent, known by its program file, which any program of this user can imitate',
      '  assurance: advisory, another program of this user could pose as the one that asks',
      '  would run: desk.org.example.desk.drop 1.0',
      '  in the app: org.example.Desk, known by nothing: any program of this user could be posing as it',
      '  the app calls it: "Drop"',
      '  risk: high',
      '  what it can do: destroy, what it changes may be lost for good',
      '  target: "todo"',
      '  afterwards: can be undone for 30 s',
      '  parameters:',
      '      {',
      '        "name": "todo"',
      '      }',
      '  the caller says: "it is done"',
    ]);
  });

  it("shows what the caller's reason rests on as the caller's words", () => {
    const lines = shown({ evidence: ['a mail', 'x\ny'] });
    assert.include(lines, '  and points to:');
    assert.include(lines, '      "a mail"');
    assert.include(lines, '      "x\\ny"');
  });

  it('[R152] shows what the rows of one intention are for, in the words of the caller', () => {
    assert.include(shown({ intention: 'tidy "up"' }), '  all of it for: "tidy \\"up\\""');
  });

  it('[R105] shows what was decided before, and why an answer did not count', () => {
    const lines = shown({ earlier: ['deny, 2 h ago', 'once, 3 d ago'], problem: 'the target changed' });
    assert.include(lines, '  you decided before:\n      deny, 2 h ago\n      once, 3 d ago');
    assert.include(lines, '  your last answer did not count: the target changed');
  });

  it('says what is missing instead of showing nothing', () => {
    assert.include(shown({ targets: [] }), '  target: not determined: it may touch anything');
    assert.include(shown({ reason: '' }), '  the caller says: nothing');
    assert.include(shown({ appId: '' }), '  in the app: none: it is part of the broker');
  });

  it('says that something would be taken back', () => {
    const text = shown({ kind: 'undo' });
    assert.include(text, 'may this be taken back, this once?');
    assert.include(text, '  would take back: desk.org.example.desk.drop 1.0');
  });

  it('says which row of several it is', () => {
    assert.include(shown({}, { position: 2, of: 3 }), 'Question 2 of 3: ');
  });

  it('shows a word of the broker that it does not know as it is', () => {
    assert.include(
      shown({ principalBinding: 'new\u202e', sideEffects: 'constructor' }),
      'known by "new\\u{202e}"',
    );
    assert.include(shown({ sideEffects: 'constructor' }), 'what it can do: "constructor"');
  });

  it('puts the words of others in quotes that they cannot close', () => {
    assert.include(shown({ title: 'x"  risk: low' }), '  the app calls it: "x\\"  risk: low"');
    assert.include(shown({ reason: 'a\\nApproved by admin' }), '  the caller says: "a\\nApproved by admin"');
  });

  it('escapes again what the broker should have escaped', () => {
    assert.include(shown({ title: 'Open\u202etxt.exe', reason: 'a\nb' }), '"Open\\u{202e}txt.exe"');
    assert.include(shown({ reason: 'a\nb' }), '"a\\nb"');
  });

  it('lets no word of others begin a line, however it is padded', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', ' ', '日', '-', '"', '\\\\', '  risk: low'),
      minLength: 0,
      maxLength: 400,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 120 }), (text, columns) => {
        const { lines } = draw(
          row({ title: text, reason: text, targets: [text], params: JSON.stringify({ k: text }) }),
          {
            ...view,
            columns,
            limits: undefined,
          },
        );
        const ours = /^(?:Question: | {2}[a-z ]+:(?: |$)| {6}[{}"\s]| {4}\(holds )/;
        for (const line of lines) assert.isTrue(ours.test(line) || line.startsWith(CONTINUATION), line);
        const starts = lines.filter((line) => line.startsWith('  risk: '));
        assert.deepEqual(starts, ['  risk: high']);
      }),
    );
  });

  it('never needs more columns than there are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 20, max: 120 }),
        (text, columns) => {
          const { lines } = draw(row({ reason: escapeText(text), params: JSON.stringify({ k: text }) }), {
            ...view,
            columns,
            limits: undefined,
          });
          const widths = lines.map((line) =>
            [...line].reduce((sum, character) => sum + (/[\u0020-\u02ff]/.test(character) ? 1 : 2), 0),
          );
          assert.isAtMost(Math.max(...widths), columns);
        },
      ),
    );
  });

  it('warns where letters run from right to left', () => {
    assert.include(shown({ targets: ['/home/אבג/../x'] }), 'another order');
    assert.notInclude(shown({}), 'another order');
  });

  describe('when a value is long', () => {
    const path = `${'a/'.repeat(4000)}../../etc/shadow`;

    it('cuts it, says so with the full length, and shows its end', () => {
      const { lines, isCut } = draw(row({ targets: [path], params: JSON.stringify({ path }) }), view);
      assert.isTrue(isCut);
      const text = lines.join('');
      assert.include(text, '[cut: 200 of 8018 characters]');
      assert.include(text, '../../etc/shadow"');
    });

    it('shows all of it on demand', () => {
      const { lines, isCut } = draw(row({ params: JSON.stringify({ path }) }), {
        ...view,
        limits: undefined,
      });
      assert.isFalse(isCut);
      assert.include(lines.join('').replaceAll(CONTINUATION, ''), path);
    });

    it('cuts many lines with how many there are', () => {
      const params = JSON.stringify(
        Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index])),
      );
      const { lines, isCut } = draw(row({ params }), view);
      assert.isTrue(isCut);
      assert.include(lines, '      [cut: 40 of 102 lines]');
    });

    it('cuts no escape in two', () => {
      const reason = escapeText('\u202e'.repeat(500));
      const text = draw(row({ reason }), { ...view, columns: 10_000 }).lines.join('\n');
      assert.match(text, /"(?:\\u\{202e\})+ \[cut: 200 of 502 characters\] (?:\\u\{202e\})+"/);
    });

    it('leaves alone what is just short enough', () => {
      assert.isFalse(draw(row({ reason: 'x'.repeat(198) }), view).isCut);
      assert.isTrue(draw(row({ reason: 'x'.repeat(199) }), view).isCut);
    });
  });
});
