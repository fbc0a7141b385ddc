// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../broker/bus/errors.ts';
import type { Session } from '../../broker/bus/sessions.ts';
import { Listing } from '../../broker/listing.ts';
import { tellOfChange } from '../../broker/notices.ts';
import type { OutgoingSignal } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { variant } from '../../dbus/values.ts';
import { parseAppId } from '../../keys/app-id.ts';
import { Registry } from '../../manifests/registry.ts';
import { BUILTINS, CAPABILITIES, id, manifest } from './intent/fixture-app.ts';
import { received } from './intent/scripted-bus.ts';
import { session } from './session.ts';

let registry: Registry;
let listing: Listing;
let recheckKeys: () => void;
beforeEach(() => {
  registry = new Registry();
  for (const capability of BUILTINS) registry.addBuiltin(capability);
  registry.freezeBuiltins();
  offer(CAPABILITIES);
  recheckKeys = () => undefined;
  listing = new Listing(registry, 'standard', () => recheckKeys());
});
const offer = (capabilities: Parameters<typeof manifest>[0]) =>
  registry.register({
    manifest: manifest(capabilities),
    keyFingerprint: 'f',
    provider: ':1.50',
    binding: 'unit',
  });

interface Listed {
  readonly total: number;
  readonly capabilities: readonly Readonly<Record<string, unknown>>[];
  readonly apps: readonly Readonly<Record<string, unknown>>[];
  readonly total_apps?: number;
}
const list = (filter: Readonly<Record<string, unknown>> = {}, by: Session = session(':1.7')): Listed =>
  JSON.parse(listing.list(received(filter), by).text);
const ids = ({ capabilities }: Listed): readonly unknown[] => capabilities.map((one) => one.id);

describe('List', () => {
  it('[R21] [R30] shows what the caller may use, and what it may not is not there', () => {
    const seen = ids(list());
    assert.include(seen, id('write'));
    assert.include(seen, 'test.echo');
    for (const hidden of ['tune', 'vault', 'start']) assert.notInclude(seen, id(hidden));
    const all = list({}, session(':1.7', { level: 'system' }));
    assert.equal(all.total, CAPABILITIES.length + BUILTINS.length);
    assert.equal(list().total, seen.length);
  });

  it('[R31] shows the public what is public, and only the apps that have something for it', () => {
    const outsider = session(':1.7', { level: 'public' });
    assert.deepEqual(ids(list({}, outsider)), [id('read')]);
    assert.deepEqual(list({}, outsider).apps, [{ app_id: 'org.example.Desk', tier: 1 }]);
    offer(CAPABILITIES.slice(1));
    assert.deepEqual(list({}, outsider), { total: 0, capabilities: [], apps: [], total_apps: 0 });
    assert.lengthOf(list().apps, 1);
  });

  it('[R56] looks at the keys first, and shows nothing that is no longer trusted', () => {
    const before = registry.epoch;
    recheckKeys = () => registry.withdraw({ provider: ':1.50' });
    const by = session(':1.7');
    assert.isFalse(ids(list({}, by)).includes(id('write')));
    assert.deepEqual(list({}, by).apps, []);
    assert.equal(by.epoch, before + 1);
  });

  it('[R28] pins the caller to what it has now seen', () => {
    const by = session(':1.7');
    assert.isFalse(by.listed);
    assert.equal(listing.list([], by).epoch, 1);
    assert.deepEqual([by.listed, by.epoch], [true, 1]);
  });

  it('[R6] shows Tier 2 apps with the reason', () => {
    const reason = { code: 'SignatureWrong', pointer: '/signature', message: 'wrong' };
    registry.withdraw({ appId: parseAppId('org.example.Desk') }, reason);
    assert.deepEqual(list({ tier: variant('u', 2) }).apps, [{ app_id: 'org.example.Desk', tier: 2, reason }]);
    assert.deepEqual(list({ tier: variant('u', 1) }).apps, []);
  });

  it('filters', () => {
    assert.deepEqual(ids(list({ category: 'COMMUNICATION' })), [id('send')]);
    assert.deepEqual(ids(list({ side_effects: 'destructive' })), [id('erase')]);
    assert.deepEqual(ids(list({ tier: variant('u', 2) })), []);
    assert.notInclude(ids(list({ app_id: 'org.example.Desk' })), 'test.echo');
    assert.deepEqual(list({ app_id: 'org.example.Absent' }), {
      total: 0,
      capabilities: [],
      apps: [],
      total_apps: 0,
    });
    assert.equal(ids(list({ text: 'erase' }))[0], id('erase'));
  });

  it('pages', () => {
    const all = ids(list());
    const page = list({ offset: variant('u', 2), limit: variant('u', 3) });
    assert.deepEqual(ids(page), all.slice(2, 5));
    assert.equal(page.total, all.length);
  });

  it('pages the apps too, so that no number of refused ones fills an answer', () => {
    for (let count = 0; count < 300; count += 1) {
      registry.refuse({
        appId: parseAppId(`org.example.Junk${count}`),
        provider: `:9.${count}`,
        binding: 'unbound',
        reason: { code: 'UnknownField', pointer: '/x', message: 'what' },
        owner: `${count % 5}`,
      });
    }
    const names = (offset: number, limit: number) =>
      list({ offset: variant('u', offset), limit: variant('u', limit) }).apps.map((app) => app.app_id);
    assert.lengthOf(list().apps, 100);
    assert.equal(list().total_apps, 257);
    assert.deepEqual([...names(0, 200), ...names(200, 200)], names(0, 1000));
    assert.deepEqual(names(0, 1), ['org.example.Desk']);
  });

  it('[R36] [R37] [R38] [R79] says as much as was asked for', () => {
    const of = (detail: string): unknown => list({ text: 'echo', detail }).capabilities[0];
    assert.equal(of('ids'), 'test.echo');
    assert.deepEqual(of('brief'), {
      id: 'test.echo',
      version: '1.0',
      name: 'echo',
      description: 'Made for a test',
      category: 'STATE_QUERY',
      side_effects: 'read',
      risk: 'low',
      gate: 'automatic',
    });
    assert.containsAllKeys(of('full'), [
      'parameters',
      'returns',
      'bounds',
      'auth_level',
      'idempotent',
      'output_trust',
      'digest',
    ]);
    const write = list({ text: 'write', detail: 'full' }).capabilities[0];
    assert.deepInclude(write, {
      app_id: 'org.example.Desk',
      undo_window_ms: 30_000,
      bounds: { timeout_ms: 1000, max_result_bytes: 100, max_invocations_per_turn: 10 },
    });
  });

  it('[R39] [R154] has the words of the language that was asked for, and of no other', () => {
    const [first] = CAPABILITIES;
    offer([{ ...first, locales: { de: { name: 'Lesen' } }, side_effects_note: 'Looks only' }]);
    const name = (locale: string): unknown =>
      list({ locale, app_id: 'org.example.Desk' }).capabilities[0]?.name;
    assert.deepEqual(['de', 'fr', 'constructor', '__proto__'].map(name), [
      'Lesen',
      'The read of the desk',
      'The read of the desk',
      'The read of the desk',
    ]);
    const full = list({ app_id: 'org.example.Desk', detail: 'full' }).capabilities[0];
    assert.equal(full?.side_effects_note, 'Looks only');
  });

  it('refuses what it does not know', () => {
    for (const filter of [
      { catgory: 'SYSTEM' },
      { category: 'system' },
      { limit: variant('u', 0) },
      { tier: '1' },
    ]) {
      assert.throws(() => list(filter), CallError);
    }
    assert.throws(
      () =>
        listing.list(
          [
            ['text', variant('s', 'a')],
            ['text', variant('s', 'b')],
          ],
          session(':1.7'),
        ),
      DBusError,
    );
  });
});

describe('the news of a change', () => {
  const tell = (
    change: ReturnType<typeof offer>,
    ...sessions: readonly Session[]
  ): readonly OutgoingSignal[] => {
    const sent: OutgoingSignal[] = [];
    tellOfChange(change, { emit: (signal) => sent.push(signal) }, { all: () => sessions }, listing);
    return sent;
  };
  const listed = (connection: string, level: 'public' | 'user' | 'system'): Session =>
    Object.assign(session(connection, { level }), { listed: true });

  it('[R21] [R113] goes to each who listed, of what each may see', () => {
    registry.withdraw({ provider: ':1.50' });
    const capabilities = CAPABILITIES.filter((one) => one.id === id('read') || one.id === id('tune'));
    const sent = tell(
      offer(capabilities),
      listed(':1.1', 'public'),
      listed(':1.2', 'system'),
      session(':1.3'),
    );
    assert.deepEqual(
      sent.map(({ destination, member, body }) => [destination, member, body]),
      [
        [':1.1', 'Changed', [3n, [id('read')], []]],
        [':1.2', 'Changed', [3n, [id('read'), id('tune')], []]],
      ],
    );
  });

  it('does not go to who sees nothing of it', () => {
    const tune = CAPABILITIES.filter((one) => one.id === id('tune'));
    registry.withdraw({ provider: ':1.50' });
    assert.deepEqual(tell(offer(tune), listed(':1.1', 'user')), []);
  });

  it('tells of what is gone', () => {
    const [sent] = tell(registry.withdraw({ provider: ':1.50' }), listed(':1.1', 'public'));
    assert.deepEqual(sent?.body, [2n, [], [id('read')]]);
  });

  it("tells the person's tools which app it was", () => {
    const tool = session(':1.9');
    tool.follows.add('apps');
    const [sent] = tell(registry.withdraw({ provider: ':1.50' }), tool);
    assert.deepEqual(
      [sent?.destination, sent?.member, sent?.body],
      [':1.9', 'AppsChanged', [['org.example.Desk']]],
    );
    assert.deepEqual(tell(registry.withdraw({ provider: ':1.50' }), tool), []);
  });
});
