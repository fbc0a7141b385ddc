// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { LocalText } from './capability.ts';
import { ManifestError } from './error.ts';
import type { ManifestLimits } from './limits.ts';
import { below } from './pointer.ts';
import type { RawLocales } from './shape.ts';
import { checkText } from './text.ts';

// Language, script, region and variants of BCP 47 (RFC 5646 2.1) in the letter case it recommends, so that no tag has two spellings.
const TAG =
  /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*$/;

/** Checks translated names and descriptions. */
export function parseLocales(
  raw: RawLocales | undefined,
  pointer: string,
  limits: ManifestLimits,
): Readonly<Record<string, LocalText>> {
  const entries = Object.entries(raw ?? {});
  if (entries.length > limits.maxLocales) {
    throw new ManifestError(
      'TooMany',
      pointer,
      `there are over ${limits.maxLocales} languages: leave some out`,
    );
  }
  for (const [tag, { name, description }] of entries) {
    const at = below(pointer, tag);
    checkTag(tag, at);
    if (name !== undefined) {
      checkText(name, below(at, 'name'), { maxLength: limits.maxNameLength, lines: false, joiners: true });
    }
    if (description !== undefined) {
      const rule = { maxLength: limits.maxDescriptionLength, lines: true, joiners: true };
      checkText(description, below(at, 'description'), rule);
    }
  }
  return raw ?? {};
}

function checkTag(tag: string, pointer: string): void {
  if (TAG.test(tag)) return;
  const message = `the language tag ${quote(tag)} is malformed: write it like \`de\`, \`pt-BR\` or \`zh-Hant\``;
  throw new ManifestError('LocaleInvalid', pointer, message);
}
