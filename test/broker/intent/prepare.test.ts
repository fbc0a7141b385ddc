// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { CAPABILITIES, id } from './fixture-app.ts';
import { AGENT, done, type Ran, refused, useDesk } from './world.ts';

describe('[R121] the path up to the decision', () => {
  const its = useDesk();

  describe('context', () => {
    for (const context of ['dream', 'replay'] as const) {
      it(`[R60] refuses a ${context} before it looks at anything`, async () => {
        const asIfNothingElseWereWrong = { context, version: '9.9' };
        const event = refused(
          await its.desk.dispatch('no.such.thing', 'no JSON', asIfNothingElseWereWrong),
          'context',
          'ContextForbidden',
        );
        assert.isUndefined(event.version);
      });
    }
  });

  describe('resolve', () => {
    it('[R15] [R61] an unknown tool is a denied request and nothing else', async () => {
      const ran = await its.desk.dispatch('files.org.example.invented.now', { name: 'x' });
      refused(ran, 'resolve', 'NotFound');
      assert.deepEqual(its.desk.bus.calls, []);
    });

    it('[R61] resolves before it validates', async () => {
      refused(await its.desk.dispatch(id('nothing'), 'no JSON'), 'resolve', 'NotFound');
    });

    for (const near of [id('rea'), id('read '), id('READ'), 'read', '', id('read').replaceAll('.', '_')]) {
      it(`[R61] does not guess what ${JSON.stringify(near)} means`, async () => {
        refused(await its.desk.dispatch(near, {}), 'resolve', 'NotFound');
      });
    }

    it('[R28] [R29] a version that is not there is rejected like an unknown id', async () => {
      refused(await its.desk.dispatch(id('read'), {}, { version: '2.0' }), 'resolve', 'NotFound');
      done(await its.desk.dispatch(id('read'), {}, { version: '1.0' }));
    });

    it('[R28] [R29] both versions resolve by name, and none without', async () => {
      refused(await its.desk.dispatch(id('twin'), {}), 'resolve', 'Ambiguous');
      done(await its.desk.dispatch(id('twin'), {}, { version: '1.0' }));
      done(await its.desk.dispatch(id('twin'), {}, { version: '2.0' }));
    });

    it('versions that the caller may not see do not make a name ambiguous', async () => {
      const vault = await its.desk.dispatch(id('vault'), {});
      assert.equal(refusedAsUnknown(vault), 'authority NotAllowed');
      done(await its.desk.dispatch(id('growing'), {}));
    });

    it('[R28] what came after the caller listed is not there for it, what went is gone at once', async () => {
      const [read, ...others] = CAPABILITIES;
      assert.isDefined(read);
      its.desk.offer({ capabilities: others });
      const { epoch } = its.desk.registry;
      its.desk.offer();
      refused(await its.desk.dispatch(id('read'), {}, {}, { epoch }), 'resolve', 'NotFound');
      done(await its.desk.dispatch(id('read'), {}, {}, { epoch: its.desk.registry.epoch }));
      its.desk.leave();
      refused(await its.desk.dispatch(id('look'), {}, {}, { epoch }), 'resolve', 'NotFound');
    });

    it('a withdrawn key ends what it verified, at the next intent', async () => {
      its.desk.trusted = false;
      refused(await its.desk.dispatch(id('read'), {}), 'resolve', 'NotFound');
      assert.deepEqual(its.desk.withdrawn, ['org.example.Desk']);
      assert.equal(its.desk.registry.resolve(id('read'), undefined, its.desk.registry.epoch), 'NotFound');
    });

    it("a withdrawn key does not touch the broker's own capabilities", async () => {
      its.desk.trusted = false;
      const { outcome } = await its.desk.dispatch('test.echo', {});
      assert.deepInclude(outcome, { status: 'executed', result: { text: 'here' } });
    });
  });

  describe('authority', () => {
    const shown = ({ outcome: { invocation, audit_id, ...rest } }: Ran): unknown => rest;

    it('[R30] [R32] what is above the caller answers exactly like what does not exist', async () => {
      const hidden = await its.desk.dispatch(id('tune'), {});
      const unknown = await its.desk.dispatch(id('nothing'), {});
      assert.deepEqual(shown(hidden), shown(unknown));
      assert.equal(refusedAsUnknown(hidden), 'authority NotAllowed');
      assert.equal(refusedAsUnknown(unknown), 'resolve NotFound');
    });

    it('[R31] public is enough for a local read, and for nothing that asks for more', async () => {
      const principal = { level: 'public' } as const;
      done(await its.desk.dispatch(id('read'), {}, {}, { principal }));
      const ran = await its.desk.dispatch(id('look'), {}, {}, { principal });
      assert.equal(refusedAsUnknown(ran), 'authority NotAllowed');
    });

    it('[R32] side effects on the system need privilege, whatever the author declares', async () => {
      assert.equal(refusedAsUnknown(await its.desk.dispatch(id('start'), {})), 'authority NotAllowed');
      const principal = { level: 'privileged' } as const;
      done(await its.desk.dispatch(id('start'), {}, {}, { principal }));
    });

    it('[R33] the level system is for who has it', async () => {
      const vault = (level: 'privileged' | 'system') =>
        its.desk.dispatch(id('vault'), {}, { version: '2.0' }, { principal: { level } });
      assert.equal(refusedAsUnknown(await vault('privileged')), 'authority NotAllowed');
      done(await vault('system'));
    });

    it('a principal limited to some categories does not see the others', async () => {
      const principal = { categories: ['MEDIA_PLAYBACK'] as const };
      done(await its.desk.dispatch(id('floored'), {}, {}, { principal }));
      const ran = await its.desk.dispatch(id('read'), {}, {}, { principal });
      assert.equal(refusedAsUnknown(ran), 'authority NotAllowed');
    });

    it('a category that the caller gives must be the declared one', async () => {
      done(await its.desk.dispatch(id('read'), {}, { category: 'STATE_QUERY' }));
      const ran = await its.desk.dispatch(id('read'), {}, { category: 'FILE_OPERATION' });
      refused(ran, 'authority', 'CategoryMismatch');
    });
  });

  describe('validate', () => {
    const bad: readonly [what: string, params: string][] = [
      ['no JSON', 'name=x'],
      ['nothing', ''],
      ['a repeated key', '{"name":"a","name":"b"}'],
      ['a repeated key spelled with an escape', '{"name":"a","n\\u0061me":"b"}'],
      ['a lone surrogate', '{"name":"\\ud800"}'],
      ['NUL', '{"name":"\\u0000"}'],
      ['an array', '["name"]'],
      ['a text', '"name"'],
      ['null', 'null'],
      ['an unknown parameter', '{"name":"a","mode":"b"}'],
      ['a wrong type', '{"name":5}'],
      ['a value over its length', JSON.stringify({ name: 'a'.repeat(5001) })],
      ['depth', `{"name":${'['.repeat(40)}${']'.repeat(40)}}`],
      ['a megabyte', JSON.stringify({ name: 'a'.repeat(2 ** 20) })],
      ['a prototype', '{"__proto__":{"name":"a"}}'],
      ['approved', '{"approved":true}'],
      ['confirmation_token', '{"confirmation_token":"x"}'],
      ['auth_level', '{"auth_level":"system"}'],
      ['caller', '{"caller":"compositor"}'],
      ['decider', '{"decider":"desk"}'],
    ];
    for (const [what, params] of bad) {
      it(`[R62] [R63] [R68] refuses ${what}, and the app never sees it`, async () => {
        const event = refused(await its.desk.dispatch(id('read'), params), 'validate', 'InvalidParams');
        assert.equal(event.paramsSize, Buffer.byteLength(params));
        assert.equal(event.classification?.sideEffects, 'read');
      });
    }

    it('[R63] the top level is closed even where the schema says nothing', async () => {
      refused(await its.desk.dispatch(id('open'), { name: 'a', more: 'b' }), 'validate', 'InvalidParams');
      done(await its.desk.dispatch(id('open'), { name: 'a' }));
    });

    it('[R62] says where, and nothing of what was given', async () => {
      const { outcome } = await its.desk.dispatch(id('counted'), { count: 1, kind: 'secret-kind' });
      assert.include(outcome.error?.message, '`/kind` (enum)');
      assert.notInclude(JSON.stringify(outcome), 'secret-kind');
    });

    it('[R71] a fault of ours in the reading is no fault of the caller', async () => {
      const params = new Proxy(its.desk.world.config.params, {
        get: () => {
          throw new TypeError('a fault');
        },
      });
      its.desk.configure({ params });
      refused(await its.desk.dispatch(id('read'), {}), 'validate', 'Failed');
    });

    it('[R68] a result schema that cannot be compiled shows before anything runs', async () => {
      const { schemas } = its.desk.world;
      its.desk.world.schemas = {
        validatorFor: (capability, which) => {
          if (which === 'returns') throw new Error('cannot be compiled');
          return schemas.validatorFor(capability, which);
        },
      };
      refused(await its.desk.dispatch(id('write'), { path: '/tmp/a' }), 'validate', 'Failed');
    });
  });

  describe('target', () => {
    for (const path of [
      '../etc/shadow',
      'notes/a',
      '~/a',
      '/tmp/../etc/shadow',
      `/${'a/'.repeat(1000)}../b`,
    ]) {
      it(`[R64] refuses the path ${path.slice(0, 24)}`, async () => {
        refused(await its.desk.dispatch(id('write'), { path }), 'target', 'TargetInvalid');
      });
    }

    it('[R64] refuses a path among several', async () => {
      const ran = await its.desk.dispatch(id('writes'), { paths: ['/tmp/a', '/tmp/../b'] });
      refused(ran, 'target', 'TargetInvalid');
    });

    for (const url of [
      'file:///etc/passwd',
      'ftp://a.example/',
      'javascript:alert(1)',
      'http://u:p@a.example/',
      'a.example',
    ]) {
      it(`[R64] refuses the URL ${url}`, async () => {
        refused(await its.desk.dispatch(id('send'), { url }), 'target', 'TargetInvalid');
      });
    }

    it('[R43] a target that the caller names must be the derived one', async () => {
      done(await its.desk.dispatch(id('read'), { name: 'a' }, { target: 'a' }));
      refused(
        await its.desk.dispatch(id('read'), { name: 'a' }, { target: 'b' }),
        'target',
        'TargetMismatch',
      );
    });

    it('[R43] a target that cannot be determined agrees with none', async () => {
      done(await its.desk.dispatch(id('read'), {}));
      refused(await its.desk.dispatch(id('read'), {}, { target: 'a' }), 'target', 'TargetMismatch');
      refused(await its.desk.dispatch(id('look'), {}, { target: 'a' }), 'target', 'TargetMismatch');
    });

    it('[R43] a link is followed before the person sees where it leads', async () => {
      const room = join(realpathSync(its.directory), 'links');
      mkdirSync(room);
      writeFileSync(join(room, 'real'), '');
      symlinkSync(join(room, 'real'), join(room, 'link'));
      done(await its.desk.dispatch(id('write'), { path: join(room, 'link') }));
      assert.equal(its.desk.bus.asked[0]?.item.get('target'), join(room, 'real'));
    });
  });

  describe('policy', () => {
    it('[R44] a locked capability is denied, and the caller is not told why', async () => {
      its.desk.configure({ locked: [id('read')] });
      const ran = await its.desk.dispatch(id('read'), {});
      refused(ran, 'policy', 'PolicyDenied');
      assert.notInclude(JSON.stringify(ran.outcome), 'locked');
    });

    it('[R65] [R66] its own external capabilities are off until the administrator enables them', async () => {
      refused(await its.desk.dispatch('test.outside', {}), 'policy', 'PolicyDenied');
      its.desk.configure({ enabledExternal: ['test.outside'] });
      const { outcome } = await its.desk.dispatch('test.outside', {});
      assert.deepInclude(outcome, { status: 'executed', result: { text: 'outside' } });
      assert.lengthOf(its.desk.bus.asked, 1);
    });
  });

  it('[R59] [R75] every caller takes the same path, the compositor too', async () => {
    const principal = { ...AGENT, id: 'shell', level: 'system', roles: ['compositor'] } as const;
    refused(
      await its.desk.dispatch(id('write'), { path: 'a' }, {}, { principal }),
      'target',
      'TargetInvalid',
    );
    done(await its.desk.dispatch(id('erase'), {}, {}, { principal }));
    assert.lengthOf(its.desk.bus.asked, 1);
  });
});

/** How the record tells a refusal that the caller must take for an unknown id. */
function refusedAsUnknown({ outcome, events, calls }: Ran): string {
  assert.deepInclude(outcome, { status: 'denied', stage: 'resolve', code: 'NotFound' });
  assert.equal(calls, 0);
  assert.lengthOf(events, 1);
  return `${events[0]?.stage} ${events[0]?.code}`;
}
