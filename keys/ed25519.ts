// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import { getPublicKey, hashes, Point, sign, verify } from '@noble/ed25519';

// The library brings no synchronous SHA-512 of its own. This is the only file that imports it, so nobody gets it without.
hashes.sha512 = (message) => hash('sha512', message, 'buffer');

export { getPublicKey, Point, sign, verify };
