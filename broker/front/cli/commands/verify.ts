// SPDX-License-Identifier: Apache-2.0
import { Keyring } from '../../../../keys/keyring.ts';
import type { Capability } from '../../../../manifests/capability.ts';
import { verifyManifest } from '../../../../manifests/verify.ts';
import { classify, type Profile } from '../../../../policy/classify.ts';
import { DEFAULTS } from '../../../config.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readInput } from '../files.ts';
import { brokerSettings, trustPlaces } from '../trust-places.ts';
import { wordsForGate } from '../words.ts';

export async function run({ operand, options, screen }: Invocation): Promise<ExitCode> {
  const limits = DEFAULTS.manifests;
  const bytes = readInput(operand, limits.maxBytes);
  const { manifest, keyFingerprint } = verifyManifest(bytes, new Keyring(trustPlaces(options)), limits);
  const { profile } = brokerSettings(options);
  const capabilities = manifest.capabilities.map((capability) => row(capability, profile));
  const { appId, version, digest, revision } = manifest;
  const summary = {
    tier: 1,
    app_id: appId,
    version,
    revision: revision ?? null,
    digest,
    fingerprint: keyFingerprint,
  };
  screen.result({ ...summary, capabilities }, () => [
    [{ text: 'valid', style: 'green' }, `  ${appId} ${version} would be Tier 1`],
    `signed by  ${keyFingerprint}`,
    '',
    ...columns(
      capabilities.map(({ id, version: of, risk, gate }) => [id, of, `${risk} risk`, wordsForGate(gate)]),
      screen.columns,
    ),
  ]);
  return EXIT.ok;
}

function row(capability: Capability, profile: Profile) {
  const { id, version, sideEffects, undoWindowMs } = capability;
  const { risk, gate, level } = classify(capability, profile);
  return { id, version, side_effects: sideEffects, risk, gate, level, undo_window_ms: undoWindowMs ?? null };
}
