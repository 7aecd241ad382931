import { PyError } from "../runtime/errors.ts";
import { regexError } from "./parse.ts";

/** A replacement template: literal texts and group numbers. */
export type ReplacementTemplate = readonly (string | number)[];

interface PatternGroups {
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
]);

const ESCAPE = /\\(?:g<([^>]*)>|(0[0-7]{0,2}|[1-3][0-7]{2})|([1-9]\d?)|([^]?))/gu;

/** Parses `\1`, `\g<name>` and escapes of a replacement. Throws PyError `error` or IndexError. */
export function parseTemplate(text: string, { groups, names }: PatternGroups): ReplacementTemplate {
  if (!text.includes("\\")) return [text];
  const parts: (string | number)[] = [];
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, name, octal, number, other = ""] = match;
    parts.push(text.slice(at, match.index));
    at = match.index + whole.length;
    if (name !== undefined || number !== undefined) parts.push(groupOf(name ?? number ?? "", groups, names));
    else if (octal !== undefined) parts.push(String.fromCharCode(Number.parseInt(octal, 8) & 0xff));
    else parts.push(unescape(other, whole));
  }
  parts.push(text.slice(at));
  return parts;
}

function groupOf(name: string, groups: number, names: ReadonlyMap<string, number>): number {
  if (!/^\d+$/.test(name)) {
    const index = names.get(name);
    if (index !== undefined) return index;
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw regexError(`bad character in group name '${name}'`);
    throw new PyError("IndexError", `unknown group name '${name}'`);
  }
  if (Number(name) > groups) throw regexError(`invalid group reference ${name}`);
  return Number(name);
}

function unescape(letter: string, whole: string): string {
  const known = ESCAPES.get(letter);
  if (known !== undefined) return known;
  if (letter === "") throw regexError("bad escape (end of pattern)");
  if (/[A-Za-z]/.test(letter)) throw regexError(`bad escape \\${letter}`);
  return whole;
}

export const expandTemplate = (template: ReplacementTemplate, group: (index: number) => string): string =>
  template.map((part) => (typeof part === "string" ? part : group(part))).join("");
