/** Compares the output of an example with the answer that its page shows, in which `…` matches anything. */
import type { Block } from "./blocks.ts";

/** Returns whether `got` is the answer. JSON is compared without insignificant whitespace, everything else by line. */
export function isExpected(answer: Block, got: string): boolean {
  const [wanted, given] = answer.language === "json" ? [compact(answer.text), compact(got)] : [answer.text, got];
  return patternOf(trimLines(wanted)).test(trimLines(given));
}

/** Returns both texts as a reader compares them, one below the other. */
export const difference = (answer: Block, got: string): string =>
  `--- the page shows\n${indent(answer.text)}\n--- got\n${indent(answer.language === "json" ? pretty(got) : got)}`;

/** A line with nothing but `…` matches any number of lines, `…` within a line any text of this line. */
function patternOf(text: string): RegExp {
  const source = text
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?.*" : line.split("…").map(RegExp.escape).join(".*?")))
    .join("\n");
  return new RegExp(`^${source}$`);
}

const trimLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();

/** Removes whitespace outside of strings. `…, …` becomes one `…`, since the separator may be missing. */
const compact = (json: string): string =>
  json
    .replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : ""))
    .replaceAll(/,…(?=[\]}])/g, "…");

const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, "    ");

function pretty(text: string): string {
  try {
    const formatted = JSON.stringify(JSON.parse(text), null, 2);
    return formatted.length < 100 ? JSON.stringify(JSON.parse(text)) : formatted;
  } catch {
    return text;
  }
}
