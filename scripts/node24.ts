// SPDX-License-Identifier: Apache-2.0

/** Ends the process with a clear message when it does not run on Node 24 or later. */
export function requireNode24(version: string = process.versions.node): void {
  if (Number(version.split('.')[0]) >= 24) return;
  process.stderr.write(
    `this needs Node 24 or later and runs on ${version}: run it through \`npm run\` after \`npm ci\`, which brings Node 24\n`,
  );
  process.exit(1);
}
