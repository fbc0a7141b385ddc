// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { CAPABILITIES, id, type Json } from './fixture-app.ts';
import type { Asked } from './scripted-bus.ts';
import { type Desk, done, refused, useDesk } from './world.ts';

describe('what changes between a yes and the running', () => {
  const its = useDesk();

  /** Asks for a write; meanwhile something happens, and then the person says yes to what was shown. */
  const during = (desk: Desk, change: (asked: Asked) => void, path = '/tmp/a') => {
    desk.bus.person = (asked) => {
      change(asked);
      return desk.bus.once(asked);
    };
    return desk.dispatch(id('write'), { path });
  };
  const changed = (fields: Json): readonly Json[] =>
    CAPABILITIES.map((declared) => (declared.id === id('write') ? { ...declared, ...fields } : declared));

  it('[R83] [R88] nothing changes: it runs', async () => {
    done(await during(its.desk, () => undefined));
  });

  it('[R28] the definition: nothing runs under what was approved', async () => {
    const offer = () => its.desk.offer({ capabilities: changed({ description: 'Something else now' }) });
    refused(await during(its.desk, offer), 'resolve', 'NotFound');
  });

  it('[R28] [R83] the definition, for a caller that could have seen it: another digest', async () => {
    const capabilities = changed({ description: 'Something else now' });
    its.desk.offer({ capabilities });
    its.desk.offer();
    const { epoch } = its.desk.registry;
    its.desk.bus.person = (asked) => {
      its.desk.offer({ capabilities });
      return its.desk.bus.once(asked);
    };
    const ran = await its.desk.dispatch(id('write'), { path: '/tmp/a' }, {}, { epoch: epoch + 1 });
    refused(ran, 'confirm', 'ApprovalMismatch');
  });

  it('[R83] the provider: another process of the same app is not what was approved', async () => {
    refused(
      await during(its.desk, () => its.desk.offer({ connection: ':1.51' })),
      'confirm',
      'ApprovalMismatch',
    );
  });

  it('[R83] the provider, where the new one would not be asked about', async () => {
    its.desk.offer({ binding: 'unbound' });
    its.desk.bus.person = (asked) => {
      its.desk.offer({ connection: ':1.51' });
      return its.desk.bus.once(asked);
    };
    refused(await its.desk.dispatch(id('read'), {}), 'confirm', 'ApprovalMismatch');
  });

  it('the provider leaves', async () => {
    refused(await during(its.desk, () => its.desk.leave()), 'resolve', 'NotFound');
  });

  it('the key is withdrawn', async () => {
    const withdraw = () => {
      its.desk.trusted = false;
    };
    refused(await during(its.desk, withdraw), 'resolve', 'NotFound');
    assert.deepEqual(its.desk.withdrawn, ['org.example.Desk']);
  });

  it('[R43] [R83] the target: a link is turned to somewhere else', async () => {
    const room = join(realpathSync(its.directory), 'turned');
    for (const name of ['', 'shown', 'meant']) mkdirSync(join(room, name));
    symlinkSync('shown', join(room, 'link'));
    const turn = () => {
      symlinkSync('meant', join(room, 'new'));
      renameSync(join(room, 'new'), join(room, 'link'));
    };
    refused(await during(its.desk, turn, join(room, 'link', 'file')), 'confirm', 'ApprovalMismatch');
    assert.equal(its.desk.bus.asked[0]?.item.get('target'), join(room, 'shown/file'));
  });

  it('[R44] the administrator locks it', async () => {
    refused(
      await during(its.desk, () => its.desk.configure({ locked: [id('write')] })),
      'policy',
      'PolicyDenied',
    );
  });

  it('a fault in the second look denies', async () => {
    const fail = () => {
      its.desk.world.resolvePath = () => {
        throw new Error('a fault');
      };
    };
    refused(await during(its.desk, fail), 'target', 'Failed');
  });

  it('[R94] a yes to one set of parameters is none to another', async () => {
    const digests = new Set<string>();
    for (const path of ['/tmp/a', '/tmp/b']) {
      done(await its.desk.dispatch(id('write'), { path }));
      const asked = its.desk.bus.asked.at(-1);
      digests.add(asked?.digest ?? '');
    }
    done(await its.desk.dispatch(id('write'), { path: '/tmp/a' }, {}, { connection: ':1.8' }));
    digests.add(its.desk.bus.asked.at(-1)?.digest ?? '');
    assert.equal(digests.size, 3);
  });

  it('[R83] key order and white space do not make it another invocation', async () => {
    for (const params of ['{"path":"/tmp/a","paths":[]}', ' { "paths" : [ ] , "p\\u0061th":"/tmp/a" } ']) {
      done(await its.desk.dispatch(id('write'), params));
    }
    const [one, two] = its.desk.bus.asked;
    assert.equal(one?.digest, two?.digest);
    const [first, second] = its.desk.bus.ran;
    assert.equal(first?.body?.[2], second?.body?.[2]);
  });
});
