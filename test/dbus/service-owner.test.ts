// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { after, before } from 'mocha';
import { serviceOwner } from '../../dbus/service-owner.ts';
import { useBus } from '../support/bus.ts';
import { failureOf } from './failure.ts';

const PATIENCE = { timeoutMs: 10_000 };

describe('dbus/service-owner', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-test-'));
    writeFileSync(join(folder, 'a.service'), '[D-BUS Service]\nName=org.example.Broken\nExec=/bin/false\n');
  });
  after(() => rmSync(folder, { recursive: true }));
  const bus = useBus({
    get serviceFolders() {
      return [folder];
    },
  });

  it('gives the unique name of whoever owns the name, though the bus could not start it', async () => {
    const service = await bus.connect();
    await service.requestName('org.example.There');
    assert.equal(await serviceOwner(await bus.connect(), 'org.example.There', PATIENCE), service.name);
  });

  it('rejects where nobody does and nobody is started', async () => {
    const client = await bus.connect();
    for (const name of ['org.example.Nobody', 'org.example.Broken'])
      assert.equal((await failureOf(serviceOwner(client, name, PATIENCE))).code, 'remote', name);
  });

  it('gives up with the signal', async () => {
    const signal = AbortSignal.abort();
    const failure = await failureOf(serviceOwner(await bus.connect(), 'org.example.Nobody', { signal }));
    assert.equal(failure.code, 'aborted');
  });
});
