// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import { ManifestError } from './error.ts';

// Control, format (which holds the bidirectional controls), line and paragraph separators, private use, lone
// surrogates, noncharacters and everything else Unicode renders as nothing; U+2800 is a blank glyph.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/u;
// Most text passes here, without the large tables behind the classes above.
const PRINTABLE_LATIN = /^[ -~\xa1-\xac\xae-\u024f]*$/;
const JOINERS = /[\u200c\u200d]/g;

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

export interface TextRule {
  /** Longest text, in UTF-16 code units. */
  readonly maxLength: number;
  /** Whether the text may hold line feeds. */
  readonly lines: boolean;
  /** Whether U+200C and U+200D may occur: Persian and the Indic scripts cannot be written without them. */
  readonly joiners: boolean;
}

/** Refuses text that a person could not read as it is: unseen characters, blank, padded, or too long. */
export function checkText(text: string, pointer: string, rule: TextRule): void {
  const refuse = (what: string): never => {
    throw new ManifestError('TextInvalid', pointer, `the text at ${quote(pointer)} ${what}`);
  };
  if (text.length > rule.maxLength) {
    refuse(`has ${text.length} characters: shorten it to ${rule.maxLength} at most`);
  }
  const flat = rule.lines ? text.replaceAll('\n', ' ') : text;
  const unseen = PRINTABLE_LATIN.test(flat)
    ? null
    : UNSEEN.exec(rule.joiners ? flat.replace(JOINERS, '') : flat);
  if (unseen) refuse(`holds the invisible or control character ${codePoint(unseen[0])}: remove it`);
  if (text.trim() !== text || text === '')
    refuse('is blank or padded: start and end it with a visible character');
}
