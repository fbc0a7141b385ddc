// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { folderOf } from '../../../../broker/front/cli/dev/app.ts';
import { PORTALCTL, portalctl, portalctlJson } from './run.ts';
import { Terminal } from './terminal.ts';

const APP = join(import.meta.dirname, 'fixture-app.ts');
const DROP = 'desk.org.example.desk.drop';

/** The processes below `pid`, at any depth. */
function descendants(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const children = text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Waits until a process is gone: the kernel tells nobody but its parent. */
async function gone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('[R148] developing without root', function () {
  this.timeout(60_000); // a bus, a broker and an app each, on a machine that may be busy
  let folder: string;
  let temporary: string;
  let manifest: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-dev-test-'));
    temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    mkdirSync(join(folder, 'app'));
    manifest = join(folder, 'app', 'manifest.json');
    copyFileSync(join(import.meta.dirname, 'fixture-manifest.json'), manifest);
    env = {
      ...process.env,
      TMPDIR: temporary,
      HOME: folder,
      NO_COLOR: '1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const command = (): string[] => [
    'dev',
    '--watch',
    join(folder, 'app'),
    '--',
    APP,
    join(folder, 'journal'),
    manifest,
  ];
  const busOf = (terminal: Terminal): NodeJS.ProcessEnv => {
    const address = /DBUS_SESSION_BUS_ADDRESS='([^']+)'/.exec(terminal.output)?.[1] ?? '';
    return { ...env, DBUS_SESSION_BUS_ADDRESS: address };
  };

  it('runs an unsigned app on a bus of its own, asks in the same terminal, and leaves nothing behind', async () => {
    const terminal = new Terminal(command(), env);
    try {
      await terminal.until('org.example.Desk: tier 1, 2 capabilities');
      const theirs = busOf(terminal);
      const outcome = portalctlJson(['dispatch', DROP, '--param', 'name=x', '--wait'], { env: theirs });
      await terminal.until('Your answer');
      terminal.type('allow\r');
      assert.equal((await outcome).json.status, 'executed');
      assert.equal(readFileSync(join(folder, 'journal'), 'utf8'), 'drop x\n');
      assert.include((await portalctl(['apps'], { env: theirs })).stdout, 'known by launcher');
      terminal.type('\x03');
      assert.equal(await terminal.ended, 0);
      assert.isEmpty(readdirSync(temporary));
      assert.equal((await portalctl(['list'], { env: theirs })).code, 3);
    } finally {
      await terminal.close();
    }
  });

  it('starts the app again when a file is saved, and says why a manifest is not accepted', async () => {
    const terminal = new Terminal(command(), env);
    try {
      await terminal.until('tier 1, 2 capabilities');
      const text = readFileSync(manifest, 'utf8');
      writeFileSync(manifest, text.replace('"destructive"', '"harmless"'));
      await terminal.until('a file changed');
      await terminal.until('org.example.Desk: tier 2: ');
      await terminal.until('(at `/capabilities/1/side_effects`)');
      const listed = await portalctl(['list'], { env: busOf(terminal) });
      assert.match(listed.stdout, /^org\.example\.Desk is Tier 2: [\s\S]*\/capabilities\/1\/side_effects/m);
      const { stdout: apps } = await portalctl(['apps'], { env: busOf(terminal) });
      assert.match(apps, /^org\.example\.Desk {2}tier 2 [\s\S]*because /);
      writeFileSync(manifest, text.replace('"Drop"', '"Throw away"'));
      await terminal.until('tier 1, 2 capabilities');
      const { stdout } = await portalctl(['list', '--app', 'org.example.Desk'], { env: busOf(terminal) });
      assert.include(stdout, '"Throw away"');
    } finally {
      await terminal.close();
    }
  });

  it('says how the app ended, and what it prints, escaped', async () => {
    const program = join(folder, 'app', 'broken');
    writeFileSync(program, "#!/bin/sh\nprintf 'a\\033[2Jb\\n' >&2\nexit 7\n");
    chmodSync(program, 0o755);
    const terminal = new Terminal(['dev', '--', program], env);
    try {
      await terminal.until('app    | a\\u{1b}[2Jb');
      await terminal.until('(ended with code 7; it starts again when a file changes)');
    } finally {
      await terminal.close();
    }
  });

  it('works without a terminal, where nobody can be asked, and ends at a signal', async () => {
    const child = spawn(PORTALCTL, ['dev', '--json', ...command().slice(1)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    const complaints = createInterface({ input: child.stderr });
    const tier = new Promise<void>((resolve) => {
      complaints.on('line', (line) => line.includes('tier 1, 2 capabilities') && resolve());
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { ready, address } = JSON.parse(line) as { ready: boolean; address: string };
    assert.isTrue(ready);
    await tier;
    const { json } = await portalctlJson(['dispatch', DROP, '--param', 'name=x'], {
      env: { ...env, DBUS_SESSION_BUS_ADDRESS: address },
    });
    assert.equal(json.code, 'NoConfirmer');
    child.kill('SIGTERM');
    assert.deepEqual(await closed, [0, null]);
    assert.isEmpty(readdirSync(temporary));
  });

  it('takes the broker and the app with it when it is killed', async () => {
    const child = spawn(PORTALCTL, command(), { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const closed = once(child, 'close');
    await new Promise<void>((resolve) => {
      createInterface({ input: child.stderr }).on(
        'line',
        (line) => line.includes('tier 1, 2 capabilities') && resolve(),
      );
    });
    const below = descendants(child.pid ?? 0);
    assert.isAtLeast(below.length, 3);
    child.kill('SIGKILL');
    await Promise.all(below.map(gone));
    await closed;
  });

  it('ends, and says so, when the broker ends', async () => {
    const child = spawn(PORTALCTL, command(), { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const closed = once(child, 'close');
    let complaints = '';
    await new Promise<void>((resolve) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        complaints += `${line}\n`;
        if (line.includes('tier 1, 2 capabilities')) resolve();
      });
    });
    const broker = descendants(child.pid ?? 0).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('broker/main.ts'),
    );
    process.kill(broker ?? 0, 'SIGKILL');
    assert.deepEqual(await closed, [1, null]);
    assert.include(complaints, 'the broker ended by signal SIGKILL');
    assert.isEmpty(readdirSync(temporary));
  });

  it('refuses a program that cannot be started, before anything is', async () => {
    const plain = join(folder, 'app', 'plain');
    writeFileSync(plain, '');
    const closed = await portalctl(['dev', '--', plain], { env });
    assert.equal(closed.code, 2);
    assert.include(closed.stderr, 'may not be executed');
    assert.include(closed.stderr, 'chmod +x');
    const none = await portalctl(['dev', '--', './none'], { env });
    assert.equal(none.code, 2);
    assert.include(none.stderr, 'does not exist');
    assert.isEmpty(readdirSync(temporary));
  });

  it('says why the broker does not start, and leaves nothing behind', async () => {
    chmodSync(temporary, 0o777); // anybody could replace what the settings are in
    const { code, stderr } = await portalctl(command(), { env });
    assert.equal(code, 1);
    assert.match(stderr, /the broker ended with code 1: .*writable by group or others/);
    assert.isEmpty(readdirSync(temporary));
  });

  it('watches beside the program, or beside the script that an interpreter runs', () => {
    assert.equal(folderOf([APP]), import.meta.dirname);
    assert.equal(folderOf(['python3', APP, '--x']), import.meta.dirname);
    assert.equal(folderOf(['some-command']), process.cwd());
  });
});
