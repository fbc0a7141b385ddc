// SPDX-License-Identifier: Apache-2.0
// Loaded before every test file: a test that ran on an older Node would prove nothing about the one we ship on.
import { requireNode24 } from '../../scripts/node24.ts';

requireNode24();
