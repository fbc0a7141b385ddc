// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAppId } from '../../../../keys/app-id.ts';
import { replaceFile } from '../../../../keys/atomic-file.ts';
import { publicKeyOf, readPrivateKey, signBytes } from '../../../../keys/sign.ts';
import { parseStrictJson } from '../../../../keys/strict-json.ts';
import { parseManifest } from '../../../../manifests/parse.ts';
import { DEFAULTS } from '../../../config.ts';
import type { Invocation, Options } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readInput } from '../files.ts';

export async function run({ operand, options, screen }: Invocation): Promise<ExitCode> {
  const limits = DEFAULTS.manifests;
  const bytes = readInput(operand, limits.maxBytes);
  const { appId, signedBytes } = parseManifest(withoutSignature(bytes), limits);
  const privateKey = readPrivateKey(keyPath(options, appId));
  const signature = signBytes(signedBytes, privateKey);
  const { fingerprint } = publicKeyOf(privateKey);
  const manifest = { ...documentIn(bytes), signature };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const out = options.text('out');
  if (out !== undefined) write(resolve(out), text);
  const shown = out === undefined ? { manifest } : { out: resolve(out) };
  screen.result({ app_id: appId, fingerprint, signature, ...shown }, () =>
    out === undefined
      ? text.trimEnd().split('\n')
      : [`signed       ${resolve(out)}`, `fingerprint  ${fingerprint}`],
  );
  return EXIT.ok;
}

/** The document as it would be without its present signature, which is about to be replaced, however malformed. */
function withoutSignature(bytes: Uint8Array): Uint8Array {
  const { signature: _, ...document } = documentIn(bytes);
  return new TextEncoder().encode(JSON.stringify(document));
}

function documentIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const document = parseStrictJson(bytes, DEFAULTS.manifests);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new CliError('BadOperand', 'the manifest is not a JSON object', 'give the path of a manifest');
  }
  return { ...document };
}

function keyPath(options: Options, appId: string): string {
  const key = options.text('key');
  const whose = options.text('app-id');
  if (key !== undefined && whose !== undefined) {
    throw new CliError('BadOption', '`--key` and `--app-id` both name a key', 'give one of them');
  }
  if (key !== undefined) return resolve(key);
  const owner = parseAppId(whose ?? appId);
  return join(resolve(options.text('home') ?? homedir()), '.config', `portal-${owner}`, 'ed25519.key');
}

function write(path: string, text: string): void {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  replaceFile({ path, temporary, content: () => new TextEncoder().encode(text), mode });
}
