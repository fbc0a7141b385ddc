// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import type { Decision } from '../../policy/decide.ts';
import { PolicyError } from '../../policy/error.ts';
import { type Approval, permit } from '../../policy/permit.ts';

const decided = (effect: Decision['effect'], grantable = false): Decision => ({
  effect,
  gate: 'confirm',
  decider: 'gate',
  grantable,
  rule: undefined,
  considered: [],
  consideredCount: 0,
  wouldChange: [],
});
const refused = (step: () => unknown): string => {
  try {
    step();
  } catch (error) {
    if (error instanceof PolicyError) return error.code;
    throw error;
  }
  return 'permitted';
};

describe('permit', () => {
  const yes: Approval = { digest: 'd1', decider: 'desk' };

  it('[R67] what is allowed needs nobody', () => {
    const { digest, decider } = permit(decided('allow'), 'd1');
    assert.deepEqual({ digest, decider }, { digest: 'd1', decider: 'policy' });
  });

  it('[R67] [R83] what asks needs a yes to this very digest', () => {
    const { digest, decider } = permit(decided('ask'), 'd1', yes);
    assert.deepEqual({ digest, decider }, { digest: 'd1', decider: 'desk' });
    assert.equal(
      refused(() => permit(decided('ask'), 'd1')),
      'ApprovalMismatch',
    );
    assert.equal(
      refused(() => permit(decided('ask'), 'd2', yes)),
      'ApprovalMismatch',
    );
    assert.equal(
      refused(() => permit(decided('ask'), 'd1', { ...yes, digest: '' })),
      'ApprovalMismatch',
    );
  });

  it('[R83] a yes to something else counts against it, even where nobody would be asked', () => {
    assert.equal(permit(decided('allow'), 'd1', yes).decider, 'desk');
    assert.equal(
      refused(() => permit(decided('allow'), 'd2', yes)),
      'ApprovalMismatch',
    );
  });

  it('[R106] a grant answers where policy asks and leaves room for one, and nowhere else', () => {
    const { digest, decider } = permit(decided('ask', true), 'd1', { grant: 'session' });
    assert.deepEqual({ digest, decider }, { digest: 'd1', decider: 'grant' });
    const others: readonly Decision[] = [decided('ask'), decided('deny', true), decided('allow', true)];
    for (const decision of others) {
      assert.equal(
        refused(() => permit(decision, 'd1', { grant: 'session' })),
        'ApprovalMismatch',
        decision.effect,
      );
    }
  });

  it('[R96] what is denied stays denied, whoever said yes', () => {
    assert.equal(
      refused(() => permit(decided('deny'), 'd1')),
      'ApprovalMismatch',
    );
    assert.equal(
      refused(() => permit(decided('deny'), 'd1', yes)),
      'ApprovalMismatch',
    );
  });

  it('[R81] is good for one execution', () => {
    const licence = permit(decided('allow'), 'd1');
    assert.equal(
      refused(() => licence.spend()),
      'permitted',
    );
    assert.equal(
      refused(() => licence.spend()),
      'ApprovalMismatch',
    );
  });

  it('[R67] cannot be spent by what only looks like one', () => {
    const licence = permit(decided('allow'), 'd1');
    const forged = Object.assign(Object.create(Object.getPrototypeOf(licence)), {
      digest: 'd1',
      decider: 'me',
    });
    assert.throws(() => forged.spend(), TypeError);
    assert.throws(() => Reflect.apply(licence.spend, { digest: 'd1', decider: 'me' }, []), TypeError);
  });
});

describe('permit, for the compiler', () => {
  const root = join(import.meta.dirname, '../..');
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'portal-permit-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  it('[R67] takes a real one, and refuses a look-alike, a decision and a forgotten await', () => {
    const file = join(directory, 'use.mts');
    const licences = ['real', 'forged', 'ready.decision', 'Promise.resolve(real)'];
    const uses = licences.map((licence) => `  execute(action, ready, ${licence}, attempt, world);`);
    writeFileSync(
      file,
      [
        ...uses,
        '}',
        `import { execute } from '${root}/broker/intent/execute.ts';`,
        'type Given = Parameters<typeof execute>;',
        "const forged = { digest: 'd', decider: 'me', spend() {} };",
      ]
        .toSpliced(
          0,
          0,
          'export function use(action: Given[0], ready: Given[1], real: Given[2], attempt: Given[3], world: Given[4]) {',
        )
        .join('\n'),
    );
    const compilerOptions = {
      rewriteRelativeImportExtensions: false,
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: [file], compilerOptions }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', directory], { encoding: 'utf8' });
    const lines = [...stdout.matchAll(/use\.mts\((\d+),\d+\): error/g)].map(([, line]) => line);
    assert.deepEqual(lines, ['3', '4', '5'], stdout);
    assert.include(stdout, '#sealed');
  }).timeout(60_000);
});
