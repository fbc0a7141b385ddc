// SPDX-License-Identifier: Apache-2.0
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { ConfigError } from '../../../broker/error.ts';
import type { PolicyBook } from '../../../broker/rules/book.ts';
import { makeDirectory, removeScratch, write } from '../../keys/fixture.ts';
import { rejection } from '../audit/fixture.ts';
import { codeOf } from '../store/temporary.ts';
import { ALLOW, ASK, BookFixture, DENY, fileOf } from './fixture.ts';

const RULE = { ...ALLOW, capability: 'media.pause', scope: 'agent', target: '/secret/**' };
const ids = (book: PolicyBook): string[] => book.current().rules.map(({ id }) => id);

describe('broker/rules/book', () => {
  let fixture: BookFixture;

  beforeEach(() => {
    fixture = new BookFixture();
  });
  afterEach(() => {
    fixture.remove();
    removeScratch();
  });

  describe('files', () => {
    it('[R95] are read at the start, with what the configuration locks', () => {
      fixture.etc('10-a.json', fileOf([DENY], ['media.pause']));
      fixture.home('10-a.json', fileOf([ASK], ['media.play']));
      const book = fixture.open({ locked: ['web.fetch'] });
      assert.deepEqual(ids(book), ['root:10-a:1', 'user:10-a:1']);
      const locked = ['media.pause', 'media.play', 'web.fetch', 'media.stop'].filter((id) =>
        book.current().isLocked(id),
      );
      assert.deepEqual(locked, ['media.pause', 'media.play', 'web.fetch']);
      assert.deepEqual(book.status(), [
        { path: join(fixture.root, '10-a.json'), source: 'root', rules: 1 },
        { path: join(fixture.user, '10-a.json'), source: 'user', rules: 1 },
      ]);
    });

    it('[R95] the service does not start with what it cannot use', () => {
      fixture.etc('10-a.json', '{\n"rules": [{}]\n}');
      assert.throws(() => fixture.open(), ConfigError, /10-a\.json` line 2/);
      assert.equal(
        codeOf(() => fixture.open()),
        'ConfigInvalid',
      );
      chmodSync(join(fixture.root, '10-a.json'), 0o666);
      assert.equal(
        codeOf(() => fixture.open()),
        'ConfigUnsafe',
      );
    });

    it('[R95] without a directory of the user there are those of root', () => {
      fixture.home('10-a.json', '{');
      assert.deepEqual(ids(fixture.open({ directories: { root: fixture.root, user: undefined } })), []);
    });

    it('[R95] one that is exchanged by a rename is noticed without anybody watching', () => {
      const path = fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      const before = book.current();
      const aside = write(join(fixture.root, '.10-a.json'), fileOf([ASK, ASK]));
      renameSync(aside, path);
      assert.equal(book.current(), before, 'looked at a moment ago');
      fixture.later();
      assert.lengthOf(book.current().rules, 2);
      assert.lengthOf(before.rules, 1, 'a snapshot never changes');
      assert.deepEqual([book.epoch, fixture.told], [1, 1]);
    });

    it('[R95] what appears, goes, or is a whole other directory is noticed too', () => {
      rmSync(fixture.root, { recursive: true });
      const book = fixture.open();
      const lookAfter = (change: () => void): string[] => {
        change();
        fixture.later();
        return ids(book);
      };
      assert.deepEqual(
        lookAfter(() => undefined),
        [],
      );
      assert.deepEqual(
        lookAfter(() => {
          makeDirectory(fixture.root);
          fixture.etc('10-a.json', [DENY]);
        }),
        ['root:10-a:1'],
      );
      assert.deepEqual(
        lookAfter(() => {
          const other = makeDirectory(join(fixture.base, 'other'));
          write(join(other, '20-b.json'), fileOf([ASK]));
          renameSync(fixture.root, join(fixture.base, 'old'));
          renameSync(other, fixture.root);
        }),
        ['root:20-b:1'],
      );
      assert.deepEqual(
        lookAfter(() => rmSync(join(fixture.root, '20-b.json'))),
        [],
      );
    });

    it('[R95] are looked at again whichever way the clock goes, and nothing changes where nothing did', () => {
      const path = fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      const before = book.current();
      fixture.later();
      write(path, fileOf([DENY]));
      assert.equal(book.current(), before);
      assert.isTrue(book.reload());
      assert.deepEqual([book.epoch, fixture.told], [0, 0]);
      write(path, fileOf([ASK]));
      fixture.clock -= 60_000;
      assert.equal(book.current().rules[0]?.effect, 'ASK');
    });

    it('[R95] one that cannot be used refuses all of a reading, and what held before still holds', () => {
      const path = fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      writeFileSync(path, '{"rules": [\n');
      fixture.home('20-b.json', [ASK]);
      fixture.later();
      assert.deepEqual(ids(book), ['root:10-a:1', 'user:20-b:1'], 'each place by itself');
      assert.isFalse(book.reload());
      const [status, ...rest] = book.status();
      assert.lengthOf(rest, 1);
      assert.deepInclude(status, { path, source: 'root', rules: 1 });
      assert.deepInclude(status?.refused, { line: 1, at: '' });
      assert.equal(fixture.told, 1);

      writeFileSync(path, fileOf([DENY, ASK]));
      fixture.later();
      assert.deepEqual(ids(book), ['root:10-a:1', 'root:10-a:2', 'user:20-b:1']);
      assert.lengthOf(book.status(), 2);
      assert.isUndefined(book.status()[0]?.refused);
      assert.deepEqual([book.epoch, fixture.told], [2, 2]);
    });

    it('[R95] a new one that is refused is named, and so is a directory', () => {
      const book = fixture.open();
      const path = fixture.home('10-a.json', '{\n"rules": [\n{"effect": "ALLOW", "reason": "x"}]}');
      fixture.later();
      assert.deepEqual(ids(book), []);
      assert.deepInclude(book.status()[0], { path, source: 'user', rules: 0 });
      assert.deepInclude(book.status()[0]?.refused, { line: 3, at: '/rules/0/effect' });
      chmodSync(fixture.root, 0o777);
      assert.isFalse(book.reload());
      assert.deepInclude(book.status()[0], { path: fixture.root, source: 'root' });
      chmodSync(fixture.root, 0o755);
      rmSync(path);
      assert.isTrue(book.reload());
      assert.deepEqual(book.status(), []);
    });

    it('[R95] what was refused for a directory further up is read once that is as it should be', () => {
      fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      const later = () => {
        fixture.etc('10-a.json', [DENY, ASK]);
        fixture.later();
        return ids(book).length;
      };
      chmodSync(fixture.base, 0o777);
      assert.equal(later(), 1);
      assert.equal(book.status().at(-1)?.path, fixture.base);
      fixture.later();
      chmodSync(fixture.base, 0o755);
      fixture.later(30_000);
      assert.lengthOf(ids(book), 2);
    });

    it("a file of the user's that cannot be used keeps nothing of the administrator's from counting", () => {
      fixture.home('20-b.json', [{ ...ASK, effect: 'ALLOW' }]);
      const book = fixture.open();
      assert.equal(book.status()[0]?.source, 'user');
      assert.isDefined(book.status()[0]?.refused);
      fixture.etc('10-a.json', [DENY]);
      fixture.later();
      assert.deepEqual(ids(book), ['root:10-a:1']);
      assert.isDefined(book.status().find(({ source }) => source === 'user')?.refused);
    });

    it('[R95] one that is refused is recorded once and not at each look; so is its end', async () => {
      const path = fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      writeFileSync(path, '{');
      for (let look = 0; look < 5; look += 1) {
        fixture.later();
        book.current();
      }
      writeFileSync(path, fileOf([DENY]));
      fixture.later();
      book.current();
      await fixture.records.append({ type: 'config', time: 1 }, 'normal');
      assert.deepEqual(fixture.codes(), ['PolicyLoaded', 'PolicyRefused', 'PolicyLoaded']);
    });

    it('[R95] hold even where that cannot be recorded', async () => {
      const book = fixture.open();
      fixture.etc('10-a.json', [DENY]);
      fixture.records.close();
      fixture.later();
      assert.deepEqual(ids(book), ['root:10-a:1']);
      await new Promise((resolve) => setImmediate(resolve));
      assert.lengthOf(fixture.faults, 1);
    });

    it('[R95] a change is heard of early where the directory is watched', async () => {
      const path = fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      const watching = await book.watch();
      try {
        const changed = new Promise<void>((resolve) => book.onChange(resolve));
        renameSync(write(join(fixture.base, 'new.json'), fileOf([ASK, ASK])), path);
        await changed;
        assert.lengthOf(book.current().rules, 2);
      } finally {
        await watching.close();
      }
    });
  });

  describe('rules of the person', () => {
    it('[R95] [R96] are added and removed, hold once they are on record, and outlive the process', async () => {
      const book = fixture.open();
      const adding = book.add(RULE, 'user:1000');
      assert.deepEqual(ids(book), []);
      const { rule } = await adding;
      assert.deepInclude(rule, { source: 'person', effect: 'ALLOW', scope: 'agent', specificity: 14 });
      assert.deepEqual(ids(book), [rule.id]);
      const { rule: second } = await book.add(DENY, 'user:1000');

      fixture.reopen();
      const again = fixture.open();
      assert.deepEqual(ids(again), [rule.id, second.id]);
      assert.deepEqual(again.current().rules[0], rule);
      const removing = again.remove(rule.id, 'user:1000');
      assert.deepEqual(ids(again), [rule.id, second.id]);
      assert.deepEqual(await removing, rule);
      assert.deepEqual(ids(again), [second.id]);
      assert.equal(again.epoch, 1);
      fixture.reopen();
      assert.deepEqual(ids(fixture.open()), [second.id]);
    });

    it("[R95] are refused with the place, and only the person's own are removed", async () => {
      fixture.etc('10-a.json', [DENY]);
      const book = fixture.open();
      const error = await book
        .add({ ...RULE, hours: { from: 1, to: 25 } }, 'user:1000')
        .catch((each: unknown) => each);
      assert.deepInclude(error, { code: 'RuleInvalid', at: '/hours/to' });
      assert.equal(await rejection(book.remove('root:10-a:1', 'user:1000')), 'NotFound');
      assert.equal(await rejection(book.remove('another', 'user:1000')), 'NotFound');
      assert.equal(fixture.told, 0);
    });

    it('[R127] what is found out about a new one is told, and it holds all the same', async () => {
      fixture.etc('10-a.json', [{ ...DENY, capability: 'media.pause' }]);
      const book = fixture.open();
      const { rule, findings } = await book.add(RULE, 'user:1000');
      assert.includeMembers(
        findings.map(({ kind, by }) => `${kind} ${by}`),
        ['shadowed root:10-a:1'],
      );
      assert.include(ids(book), rule.id);
    });

    it('[R95] do not change where that cannot be recorded', async () => {
      const book = fixture.open();
      const { rule } = await book.add(DENY, 'user:1000');
      fixture.records.close();
      assert.equal(await rejection(book.add(RULE, 'user:1000')), 'StoreFailed');
      assert.equal(await rejection(book.remove(rule.id, 'user:1000')), 'StoreFailed');
      assert.deepEqual(ids(book), [rule.id]);
      fixture.reopen();
      assert.deepEqual(ids(fixture.open()), [rule.id]);
    });

    it('[R95] are bounded', async () => {
      const book = fixture.open({ limits: { ...DEFAULTS.policyLimits, maxRules: 2 } });
      await book.add(DENY, 'user:1000');
      await book.add(ASK, 'user:1000');
      assert.equal(await rejection(book.add(ASK, 'user:1000')), 'TooMany');
    });

    it('records who changed which, and none of its words', async () => {
      const book = fixture.open();
      const { rule } = await book.add(RULE, 'user:1000');
      const { rule: wide } = await book.add({ ...DENY, app: 'org.example.Files' }, 'user:1000');
      await book.remove(rule.id, 'user:1001');
      const events = fixture.records.query({ type: 'policy' }).map(({ event }) => event);
      const about = { principal: 'agent', capability: 'media.pause', rule: rule.id };
      assert.deepInclude(events[1], { code: 'RuleAdded', decider: 'user:1000', ...about });
      assert.deepInclude(events[2], { code: 'RuleAdded', appId: 'org.example.Files', rule: wide.id });
      assert.deepInclude(events[3], { code: 'RuleRemoved', decider: 'user:1001', ...about });
      const bodies = fixture.store.database.prepare('SELECT body FROM events').all();
      assert.notMatch(JSON.stringify(bodies), /secret|because/);
    });

    it('refuses a store with a rule that cannot be read', async () => {
      await fixture.open().add(DENY, 'user:1000');
      for (const body of ['{', '{}', '{"effect":"NEVER","reason":"x"}']) {
        fixture.store.database.prepare('UPDATE rules SET body = ?').run(body);
        assert.equal(
          codeOf(() => fixture.open()),
          'StoreCorrupt',
          body,
        );
      }
    });
  });
});
