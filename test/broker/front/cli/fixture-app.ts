#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// An app that writes down what was done to it, so that a test sees from outside whether something ran.
// Usage: fixture-app.ts JOURNAL [MANIFEST]
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveCapabilities } from '../../../../broker/handler.ts';

const [, , journal = '', manifest = join(import.meta.dirname, 'fixture-manifest.json')] = process.argv;
const note = (line: string): void => appendFileSync(journal, `${line}\n`);

const served = await serveCapabilities(
  {
    manifest,
    async invoke(capabilityId, params) {
      if (capabilityId.endsWith('.look'))
        return { success: true, data: { seen: params.name ?? 'everything' } };
      note(`drop ${String(params.name)}`);
      return { success: true, data: {}, undoToken: String(params.name) };
    },
    async undo(token) {
      note(`undo ${token}`);
      return { success: true, data: {} };
    },
  },
  { onStanding: ({ tier }) => process.stdout.write(`standing: tier ${tier}\n`) },
);
process.once('SIGTERM', () => void served.close());
await served.closed;
