// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { CapabilityError, type CapabilityResult, type InvocationContext } from '../../../broker/handler.ts';
import { NotesCapabilities } from '../../../examples/notes/capabilities.ts';
import { LIMITS, Notebook } from '../../../examples/notes/notebook.ts';
import { parseManifest } from '../../../manifests/parse.ts';
import { SchemaCache } from '../../../manifests/schema-cache.ts';
import { classify } from '../../../policy/classify.ts';

const bytes = readFileSync(join(import.meta.dirname, '..', '..', '..', 'examples', 'notes', 'manifest.json'));
const manifest = parseManifest(bytes, DEFAULTS.manifests);
const schemas = new SchemaCache({ maxCompiled: 100, maxPatternSize: 10_000, maxPatternSteps: 50_000_000 });
const CONTEXT: InvocationContext = {
  invocation: 'i1',
  sessionId: undefined,
  source: 'SystemIntelligence',
  timestamp: new Date(0),
  appId: 'org.example.Notes',
  principal: 'agent',
  locale: undefined,
  signal: new AbortController().signal,
};

describe('examples/notes: NotesCapabilities', () => {
  let folder: string;
  let capabilities: NotesCapabilities;
  let changes: [string, string][];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portal-notes-'));
    changes = [];
    const notes = await Notebook.open(folder);
    capabilities = new NotesCapabilities(bytes, notes, (name, change) => changes.push([name, change]));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function declared(action: string) {
    const capability = manifest.capabilities.find(({ id }) => id === `notes.org.example.notes.${action}`);
    if (capability === undefined) throw new Error(`the manifest declares no ${action}`);
    return capability;
  }

  /** Invokes as the broker would: parameters and result held against the signed definition. */
  async function invoke(action: string, params: Record<string, unknown>): Promise<CapabilityResult> {
    const capability = declared(action);
    assert.isUndefined(schemas.validatorFor(capability, 'parameters')(params), 'parameters match the schema');
    const result = await capabilities.invoke(capability.id, params, CONTEXT);
    assert.isUndefined(schemas.validatorFor(capability, 'returns')(result.data), JSON.stringify(result.data));
    return result;
  }

  async function failure(promise: Promise<unknown>): Promise<object> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof CapabilityError)) throw new Error('expected a CapabilityError', { cause: error });
    return error.failure;
  }

  it('[R1] declares what it can do, typed both ways and versioned', () => {
    assert.equal(manifest.appId, 'org.example.Notes');
    const rows = manifest.capabilities.map((capability) => {
      const { gate, risk } = classify(capability, 'standard');
      return [capability.id.split('.').at(-1), capability.category, gate, risk, capability.undoWindowMs];
    });
    assert.deepEqual(rows, [
      ['list', 'STATE_QUERY', 'automatic', 'low', undefined],
      ['read', 'TEXT_QUERY', 'automatic', 'low', undefined],
      ['search', 'TEXT_QUERY', 'automatic', 'low', undefined],
      ['create', 'TEXT_INPUT', 'ask', 'medium', undefined],
      ['append', 'TEXT_INPUT', 'ask', 'medium', undefined],
      ['delete', 'FILE_OPERATION', 'confirm', 'high', 30_000],
    ]);
  });

  it('does each thing, and answers as declared', async () => {
    assert.deepEqual((await invoke('create', { name: 'a', text: 'milk' })).stateAfter, {
      exists: true,
      bytes: 4,
    });
    assert.deepEqual((await invoke('append', { name: 'a', text: 'bread' })).data, { bytes: 11 });
    assert.deepEqual((await invoke('read', { name: 'a' })).data, {
      text: 'milk\nbread\n',
      bytes: 11,
      truncated: false,
    });
    assert.deepEqual((await invoke('list', {})).data, { names: ['a'], total: 1 });
    assert.deepEqual((await invoke('list', { offset: 1, limit: 5 })).data, { names: [], total: 1 });
    const found = { matches: [{ name: 'a', line: 2, text: 'bread' }], truncated: false };
    assert.deepEqual((await invoke('search', { query: 'BREAD' })).data, found);
    const { undoToken, stateAfter } = await invoke('delete', { name: 'a' });
    assert.deepEqual(stateAfter, { exists: false });
    assert.deepEqual(readdirSync(folder), ['.trash']);
    assert.deepEqual((await capabilities.undo(String(undoToken))).data, { name: 'a' });
    assert.equal(readFileSync(join(folder, 'a.md'), 'utf8'), 'milk\nbread\n');
    assert.deepEqual(changes, [
      ['a', 'created'],
      ['a', 'appended'],
      ['a', 'deleted'],
      ['a', 'restored'],
    ]);
  });

  it('declares the event that its changes are', () => {
    const [event] = manifest.events;
    if (event === undefined) throw new Error('no event');
    assert.equal(event.type, 'note-changed');
    const validate = schemas.validatorForEvent(event);
    for (const change of ['created', 'appended', 'deleted', 'restored']) {
      assert.isUndefined(validate({ name: 'a', change }));
    }
    assert.isDefined(validate({ name: 'a', change: 'read' }));
  });

  it('[R64] has its manifest refuse the names that the folder refuses', async () => {
    const validate = schemas.validatorFor(declared('read'), 'parameters');
    const notes = await Notebook.open(folder);
    for (const name of [
      '',
      '..',
      '../x',
      'a/b',
      '.a',
      'a.',
      ' a',
      'a\nb',
      'x'.repeat(61),
      'Überlegung',
      'a b',
      '買い物',
      '𝒳'.repeat(60),
    ]) {
      const accepted = await notes.read(name).then(
        () => true,
        (error: unknown) => Object(error).code !== 'NameInvalid',
      );
      assert.equal(validate({ name }) === undefined, accepted, JSON.stringify(name));
    }
  });

  it('[R46] refuses text whose bytes are too many though its characters are not', () => {
    const text = 'ä'.repeat(LIMITS.maxNoteBytes / 2 + 1);
    assert.isUndefined(schemas.validatorFor(declared('create'), 'parameters')({ name: 'a', text }));
    assert.throws(() => capabilities.validateParams('x', { name: 'a', text }), CapabilityError, 'too large');
    capabilities.validateParams('x', { name: 'a', text: text.slice(1) });
    capabilities.validateParams('x', { name: 'a' });
  });

  it('[R35] answers the largest note within its bound, however much its characters grow in JSON', async () => {
    writeFileSync(join(folder, 'a.md'), '\u0001'.repeat(LIMITS.maxNoteBytes));
    const { data } = await invoke('read', { name: 'a' });
    assert.isAtMost(Buffer.byteLength(JSON.stringify(data)), declared('read').bounds.maxResultBytes);
  });

  it('[R35] answers the longest list and the widest search within their bounds', async () => {
    const notes = await Notebook.open(folder);
    const line = '\u0001x'.repeat(LIMITS.maxLineLength);
    for (let index = 100; index < 150; index += 1)
      writeFileSync(join(folder, `${'𝒳'.repeat(57)}${index}.md`), line);
    assert.lengthOf(await notes.names(), 50);
    const { data } = await invoke('search', { query: 'x', limit: 50 });
    assert.isAtMost(Buffer.byteLength(JSON.stringify(data)), declared('search').bounds.maxResultBytes);
    const names = Buffer.byteLength(JSON.stringify(await notes.names()));
    assert.isAtMost(
      names * 10 + 100,
      declared('list').bounds.maxResultBytes,
      'for ten times as many, the most a call gives',
    );
  });

  it('[R50] says how it failed', async () => {
    await invoke('create', { name: 'a', text: 'x' });
    writeFileSync(join(folder, 'bytes.md'), Buffer.from([0xff]));
    writeFileSync(join(folder, 'full.md'), 'x'.repeat(LIMITS.maxNoteBytes));
    assert.include(await failure(invoke('read', { name: 'b' })), { code: 'NotFound' });
    const exists = await failure(invoke('create', { name: 'a', text: 'y' }));
    assert.include(exists, { code: 'ExecutionFailed', recoverable: true });
    const broken = { code: 'ExecutionFailed', recoverable: false };
    assert.include(await failure(invoke('read', { name: 'bytes' })), broken);
    assert.include(await failure(invoke('append', { name: 'full', text: 'x' })), broken);
    assert.include(await failure(capabilities.undo('nothing')), broken);
    assert.include(
      await failure(capabilities.invoke('notes.org.example.notes.read', { name: '..' }, CONTEXT)),
      { code: 'InvalidParams' },
    );
    assert.include(await failure(capabilities.invoke('notes.org.example.notes.read', {}, CONTEXT)), {
      code: 'InvalidParams',
    });
    assert.include(
      await failure(capabilities.invoke('notes.org.example.notes.list', { limit: 'x' }, CONTEXT)),
      { code: 'InvalidParams' },
    );
    for (const id of ['notes.org.example.notes.burn', 'notes.org.example.notes.constructor']) {
      assert.include(await failure(capabilities.invoke(id, {}, CONTEXT)), { code: 'NotFound' });
    }
    assert.deepEqual(changes, [['a', 'created']], 'what failed changed nothing');
  });

  it('[R50] says that nothing was changed where the system refuses', async () => {
    rmSync(folder, { recursive: true });
    const failed = { code: 'ExecutionFailed', recoverable: true };
    assert.include(await failure(invoke('create', { name: 'a', text: 'x' })), failed);
    assert.include(await failure(invoke('list', {})), failed);
  });

  it('leaves a bug a bug', async () => {
    const stop = AbortSignal.abort(new TypeError('bug'));
    await invoke('create', { name: 'a', text: 'x' });
    const searching = capabilities.invoke(
      'notes.org.example.notes.search',
      { query: 'x' },
      { ...CONTEXT, signal: stop },
    );
    assert.instanceOf(await searching.catch((error: unknown) => error), TypeError);
  });
});
