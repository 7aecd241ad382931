/**
 * C0 and C1 controls, separators that some terminals take for line ends, and the characters that reorder text: in a
 * terminal they could move the cursor, change its settings or disguise what is printed.
 */
// oxlint-disable-next-line no-control-regex -- the control characters are what it finds
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** Returns a text for a terminal: one line, in which control characters are shown as `\n`, `\e` or `\u{…}`. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => {
    return SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
