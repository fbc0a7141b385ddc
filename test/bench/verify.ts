// SPDX-License-Identifier: Apache-2.0
// Load and verify a manifest, everything included, against `JSON.parse` plus one bare signature check of the same bytes in the
// same run. Times in milliseconds; `best` is what is left where other work disturbs the least. Run it with `node test/bench/verify.ts`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { verify } from '../../keys/ed25519.ts';
import { parseSignature, selfTest } from '../../keys/verify.ts';
import { parseBuiltin } from '../../manifests/builtin.ts';
import { verifyManifest } from '../../manifests/verify.ts';
import { KEY, keyring, LIMITS, largeManifest, sign } from '../manifests/fixtures.ts';

const RING = keyring({ 'org.gnome.Nautilus': [KEY] });
const OWN = {
  id: 'system.health',
  name: 'Health',
  description: 'How this machine is',
  category: 'STATE_QUERY',
  parameters: { type: 'object', properties: { detail: { type: 'boolean' } } },
  returns: { type: 'object', properties: { load: { type: 'number', minimum: 0 } }, required: ['load'] },
  access: 'read',
  network: 'local',
};
const WARM_UP = 60;
const ROUNDS = 300;

const documentOf = (capabilities: number): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(sign(largeManifest(capabilities)), null, 2));

function time(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}

/** Alternates the two, so that what disturbs the machine disturbs both. */
function compare(capabilities: number): Record<string, number | string> {
  const document = documentOf(capabilities);
  const { manifest } = verifyManifest(document, RING, LIMITS);
  const signature = parseSignature(manifest.signature);
  const key = KEY.bytes;
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const bare = time(() => {
      JSON.parse(new TextDecoder().decode(document));
      verify(signature, manifest.signedBytes, key, { zip215: false });
    });
    const full = time(() => verifyManifest(document, RING, LIMITS));
    if (round < WARM_UP) continue;
    baseline.push(bare);
    ours.push(full);
  }
  const p50 = percentile(ours, 0.5);
  return {
    capabilities,
    KB: Math.round(document.length / 1024),
    best: Math.min(...ours).toFixed(2),
    p50: p50.toFixed(2),
    p99: percentile(ours, 0.99).toFixed(2),
    'baseline p50': percentile(baseline, 0.5).toFixed(2),
    ratio: (p50 / percentile(baseline, 0.5)).toFixed(2),
  };
}

if (process.argv[2] === 'first') {
  const document = readFileSync(0);
  // What the service does before it answers: the self-test, and reading its own definitions.
  selfTest();
  parseBuiltin(OWN, LIMITS);
  process.stdout.write(String(time(() => verifyManifest(document, RING, LIMITS))));
} else {
  const input = documentOf(10);
  const first = Array.from({ length: 9 }, () =>
    Number(execFileSync(process.execPath, [import.meta.filename, 'first'], { encoding: 'utf8', input })),
  );
  console.table([1, 10, 100].map(compare));
  console.log(
    `first verification in a fresh process, after what the service does at start: p50 ${percentile(first, 0.5).toFixed(1)} ms, best ${Math.min(...first).toFixed(1)} ms`,
  );
}
