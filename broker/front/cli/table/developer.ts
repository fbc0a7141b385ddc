// SPDX-License-Identifier: Apache-2.0
import type { Command, OptionSpec } from '../command.ts';

const group = 'for app developers and administrators';

const APP_ID: OptionSpec = { value: 'ID', summary: "the app's desktop id, for example org.example.Notes" };
const HOME: OptionSpec = {
  value: 'DIR',
  summary: 'the home directory whose .config holds the keys (default: yours)',
  completes: 'directory',
};
const TRUSTED: OptionSpec = {
  value: 'DIR',
  summary: 'a directory of trusted keys, instead of those that the broker reads',
  completes: 'directory',
};
const REVOKED: OptionSpec = {
  value: 'FILE',
  summary: "the list of revoked keys (default: the broker's, or `revoked` beside the directory)",
  completes: 'file',
};
const CONFIG: OptionSpec = {
  value: 'FILE',
  summary: "the broker's settings, which say where keys are (default: /etc/portal/broker.json)",
  completes: 'file',
};

export const DEVELOPER: readonly Command[] = [
  {
    name: 'keys generate',
    group,
    summary: "make an app's signing key",
    details: [
      'Writes the private key to ~/.config/portal-ID/ed25519.key (32 raw bytes, for your eyes only) and the public half beside it as ID.pub. An existing key is never overwritten.',
    ],
    options: { 'app-id': APP_ID, home: HOME },
    examples: [
      {
        command: 'portalctl keys generate --app-id org.example.Notes',
        does: 'make the key of org.example.Notes',
      },
    ],
    load: () => import('../commands/keys-generate.ts'),
  },
  {
    name: 'sign',
    group,
    summary: 'sign a manifest',
    details: [
      'Checks the manifest first and signs nothing that a broker would refuse. The result goes to standard output unless --out names a file, which may be the manifest itself.',
    ],
    operand: { name: 'MANIFEST', completes: 'file' },
    options: {
      key: { value: 'FILE', summary: 'the private key, instead of the one in ~/.config', completes: 'file' },
      'app-id': { ...APP_ID, summary: 'whose key in ~/.config to use (default: the app id in the manifest)' },
      out: { value: 'FILE', summary: 'write the signed manifest here, in one step', completes: 'file' },
      home: HOME,
    },
    examples: [
      {
        command: 'portalctl sign manifest.json --out manifest.json',
        does: "sign in place with the app's own key",
      },
      {
        command: 'portalctl sign manifest.json --key ci.key > signed.json',
        does: 'sign with a key from elsewhere',
      },
    ],
    load: () => import('../commands/sign.ts'),
  },
  {
    name: 'verify',
    group,
    summary: 'check a manifest and its signature, as the broker does',
    details: [
      'Says whether an app with this manifest would be Tier 1 and, for each capability, what the broker would do when it is asked for. If not, it names the place in the manifest and the way out.',
    ],
    operand: { name: 'MANIFEST', completes: 'file' },
    options: { trusted: { ...TRUSTED, repeats: true }, revoked: REVOKED, config: CONFIG },
    examples: [
      { command: 'portalctl verify manifest.json', does: 'check against the keys that this machine trusts' },
      { command: 'portalctl verify manifest.json --trusted ./keys', does: 'check against keys of your own' },
    ],
    load: () => import('../commands/verify.ts'),
  },
  {
    name: 'trust install',
    group,
    summary: 'trust a public key for an app',
    details: [
      'To rotate a key, install the new one with --beside, deploy the manifest that it signed, then revoke the old one: both are trusted in between.',
    ],
    operand: { name: 'PUBLIC_KEY', completes: 'file' },
    options: {
      'app-id': { ...APP_ID, summary: 'the app (default: the name of the file, ID.pub)' },
      beside: { summary: 'keep the key that is there and trust both' },
      trusted: TRUSTED,
      revoked: REVOKED,
      config: CONFIG,
    },
    examples: [
      {
        command: 'sudo portalctl trust install ~/.config/portal-org.example.Notes/org.example.Notes.pub',
        does: 'trust the key of org.example.Notes on this machine',
      },
      {
        command: 'sudo portalctl trust install new/org.example.Notes.pub --beside',
        does: 'the first step of a rotation',
      },
    ],
    load: () => import('../commands/trust-install.ts'),
  },
  {
    name: 'trust list',
    group,
    summary: 'show the trusted keys, and what is wrong with others',
    options: { trusted: { ...TRUSTED, repeats: true }, revoked: REVOKED, config: CONFIG },
    examples: [{ command: 'portalctl trust list', does: 'show what this machine trusts' }],
    load: () => import('../commands/trust-list.ts'),
  },
  {
    name: 'trust revoke',
    group,
    summary: 'trust a key no longer, wherever it is installed',
    details: ['Adds the key to the revoked list, which masks every directory of trusted keys at once.'],
    operand: { name: 'FINGERPRINT' },
    options: {
      trusted: TRUSTED,
      revoked: REVOKED,
      config: CONFIG,
      comment: { value: 'TEXT', summary: 'why, for whoever reads the list' },
    },
    examples: [
      {
        command:
          'sudo portalctl trust revoke 21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
        does: 'revoke the key with this fingerprint, as `trust list` shows it',
      },
    ],
    load: () => import('../commands/trust-revoke.ts'),
  },
  {
    name: 'dev',
    group,
    summary: 'run an app, unsigned, against a private broker',
    details: [
      'Starts a message bus, a broker and a confirmer of its own in this terminal, then the app. Nothing of yours is touched: trust, configuration and records live in a temporary directory that is removed at the end. The app starts again when a file in the watched directory changes.',
      'The first line names the bus: export it in a second terminal to `portalctl list` and `portalctl dispatch` there.',
    ],
    passthrough: './app ARGUMENTS...',
    options: {
      watch: {
        value: 'PATH',
        summary: "what to watch (default: the app's directory)",
        repeats: true,
        completes: 'directory',
      },
    },
    examples: [
      {
        command: 'portalctl dev -- node examples/notes/main.ts --folder /tmp/notes',
        does: 'run the notes app, again at each save',
      },
      { command: 'portalctl dev --watch src -- python3 app.py', does: 'watch another directory' },
    ],
    load: () => import('../commands/dev.ts'),
  },
];
