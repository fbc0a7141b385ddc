// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { PolicyFolder } from '../../../broker/rules/policy-folder.ts';

const RULE = '{"rules":[{"effect":"DENY","reason":"because"}]}';

describe('broker/rules/policy-folder', () => {
  let base: string;
  let now: number;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'portal-folder-'));
    mkdirSync(join(base, 'policy.d'), { mode: 0o755 });
    now = Date.now() + 60_000;
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const folder = () => {
    const place = {
      directory: join(base, 'policy.d'),
      source: 'user',
      owners: [process.getuid?.() ?? 0],
    } as const;
    return new PolicyFolder(place, DEFAULTS.policyLimits, now);
  };
  const write = (text: string, seconds: number): void => {
    const path = join(base, 'policy.d', '10-a.json');
    writeFileSync(path, text, { mode: 0o644 });
    utimesSync(path, seconds, seconds);
  };

  it('[R95] reads, and says whether another reading could come to something else', () => {
    write(RULE, 1);
    const files = folder();
    assert.equal(files.read(now), 'taken');
    assert.equal(files.read(now), 'same');
    assert.isFalse(files.isStale(now));
    write(`${RULE} `, 2);
    assert.isTrue(files.isStale(now));
    assert.equal(files.read(now), 'taken');
    assert.deepInclude(files.status()[0], { rules: 1, source: 'user' });
  });

  it('[R95] does not read again what is refused and as it was, but for a look now and then', () => {
    write('{', 1);
    const files = folder();
    assert.equal(files.read(now), 'refused');
    assert.equal(files.read(now), 'refused-again');
    assert.isFalse(files.isStale(now + 29_999), 'a file that is refused costs nobody anything');
    assert.isTrue(files.isStale(now + 30_000));
    write(RULE, 2);
    assert.isTrue(files.isStale(now));
    assert.equal(files.read(now), 'taken');
    assert.isUndefined(files.refused);
  });
});
