/** Names that people gave, within sentences: the same code on the server and in pages. */

/** Longer names are cut; the whole name is in the tooltip. */
export const MAX_NAME_LENGTH = 40;

/** Longer texts are not searched for the end of a visible character. */
const MAX_SEGMENTED = 1000;

const segmenter = new Intl.Segmenter();

/** Returns a name with at most 40 visible characters; "…" replaces the rest. */
export function cutName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const characters = [...segmenter.segment(name.slice(0, MAX_SEGMENTED))];
  if (characters.length <= MAX_NAME_LENGTH) return name;
  return `${characters
    .slice(0, MAX_NAME_LENGTH - 1)
    .map(({ segment }) => segment)
    .join("")
    .trimEnd()}…`;
}

/** Characters that no text contains: Unicode reserves them for use within a program. */
const START = "\uFDD0";
const END = "\uFDD1";

/**
 * Marks a name in a plain text, so that the text can be joined and formatted before its names become elements: see
 * `MarkedText`.
 */
export const markName = (name: string): string => `${START}${name.replaceAll(/[\uFDD0\uFDD1]/g, "")}${END}`;

export interface TextPart {
  readonly text: string;
  readonly isName: boolean;
}

/** Splits a text with marked names. */
export const splitMarkedText = (text: string): TextPart[] =>
  text
    .split(/(\uFDD0[^\uFDD1]*\uFDD1)/)
    .filter((part) => part !== "")
    .map((part) =>
      part.startsWith(START) ? { text: part.slice(1, -1), isName: true } : { text: part, isName: false },
    );

/** Returns a text with marked names for an attribute: names are cut, and do not affect the direction of the text. */
export const plainMarkedText = (text: string): string =>
  splitMarkedText(text)
    .map((part) => (part.isName ? `\u2068${cutName(part.text)}\u2069` : part.text))
    .join("");
