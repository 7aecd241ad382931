/**
 * C0 and C1 controls, separators that some terminals take for line ends, invisible characters, and marks that reorder
 * text: in a terminal they could move the cursor, change its settings or disguise what is printed. Joiners, which emoji
 * and some scripts need, are left.
 */
// oxlint-disable-next-line no-control-regex -- the control characters are what it finds
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** Returns a text for a terminal: one line, in which control characters are shown as `\n`, `\e` or `\u{…}`. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => SHORT[character] ?? `\\u{${codeOf(character)}}`);

/** Like `printable`, but leaves line ends: for whole texts, such as CSV. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** Escapes characters in a JSON text that JSON allows, but terminals interpret. */
export const printableJson = (json: string): string =>
  json.replace(UNPRINTABLE, (character) => `\\u${codeOf(character).padStart(4, "0")}`);

const codeOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
