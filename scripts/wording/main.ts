/**
 * Finds phrases that paraphrase standard terms: bun scripts/wording/main.ts [PATH…]. Looks at comments, messages and
 * page texts of sources, at comments and titles of tests, and at docs outside of code. Exits with 1 when it finds one.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { CLAUSE_SUBJECT, PHRASES } from "./phrases.ts";

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly phrase: string;
  readonly instead: string;
}

/** A text for people within a file, with its offset. */
interface Text {
  readonly text: string;
  readonly offset: number;
}

const ROOT = join(import.meta.dir, "../..");
const GLOBS = ["{src,test,scripts}/**/*.{ts,tsx,css,sql}", "docs/*.md", "*.md"];
/** Error texts that formulas raise are part of the formula language's behavior, so only comments are checked there. */
const COMMENTS_ONLY = /^src\/formula\/(?!error-descriptions\.ts$)/;
/** The list itself, and texts of other programs. */
const EXCEPT = [/^scripts\/wording\//, /^src\/formula\/functions\/.*\.json$/];

function findIn(path: string, source: string): Finding[] {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  return textsOf(path, source).flatMap(({ text, offset }) => {
    const plain = text.replaceAll(/`[^`]*`|"[^"]*"|https?:\S+/g, (quoted) => " ".repeat(quoted.length));
    const found = PHRASES.flatMap(({ pattern, instead }) =>
      [...plain.matchAll(pattern)].map(({ 0: phrase, index }) => ({ phrase, instead, index })),
    );
    const clauses = [...plain.replaceAll(/[\s*/]/g, " ").matchAll(CLAUSE_SUBJECT)].map(({ 0: phrase, index }) => {
      return { phrase: phrase.replace(/^\W+/, ""), instead: "a noun as the subject", index };
    });
    return [...found, ...clauses].map(({ phrase, instead, index }) => {
      return { path, line: lineAt(offset + index), phrase, instead };
    });
  });
}

function textsOf(path: string, source: string): Text[] {
  if (path.endsWith(".md")) return [{ text: withoutCode(source), offset: 0 }];
  if (path.endsWith(".css")) return commentsOf(source, /\/\*[\s\S]*?\*\//g);
  if (path.endsWith(".sql")) return commentsOf(source, /--[^\n]*/g);
  const { program, comments } = parseSync(path, source, { sourceType: "module" });
  const texts: Text[] = joined(
    comments.map(({ value, start }) => ({ text: value, offset: start + 2 })),
    source,
  );
  if (COMMENTS_ONLY.test(path)) return texts;
  const isTest = path.startsWith("test/");
  walk(program, undefined, (node, parent) => {
    if (node.type === "JSXText") texts.push({ text: String(node["value"]), offset: node.start });
    const value = literal(node);
    if (value === null || !/[a-z] [a-z]/.test(value)) return;
    if (!isTest || isTitle(node, parent)) texts.push({ text: value.replaceAll(/[`"]/g, "'"), offset: node.start + 1 });
  });
  return texts;
}

/** Joins consecutive line comments: a phrase may be broken across lines. */
function joined(texts: readonly Text[], source: string): Text[] {
  const all: Text[] = [];
  for (const { text, offset } of texts) {
    const last = all.at(-1);
    const between = last && source.slice(last.offset + last.text.length, offset);
    if (last && between !== undefined && /^\s*\/\/$/.test(between)) {
      all[all.length - 1] = { text: `${last.text}${between.replaceAll("/", " ")}${text}`, offset: last.offset };
    } else all.push({ text: text.replaceAll(/\n\s*\*/g, (lead) => `\n${" ".repeat(lead.length - 1)}`), offset });
  }
  return all.map(({ text, offset }) => ({ text: text.replaceAll("\n", " "), offset }));
}

const commentsOf = (source: string, pattern: RegExp): Text[] =>
  [...source.matchAll(pattern)].map(({ 0: text, index }) => ({ text, offset: index }));

const withoutCode = (source: string): string =>
  source.replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, " "));

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

function walk(value: unknown, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, parent, visit);
  if (!isNode(value)) return;
  visit(value, parent);
  for (const child of Object.values(value)) if (typeof child === "object") walk(child, value, visit);
}

function literal(node: Node): string | null {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : null;
  if (node.type !== "TemplateElement") return null;
  return (node["value"] as { raw: string }).raw;
}

/** Returns whether a literal is the title of a test or of a group of tests. */
function isTitle(node: Node, parent: Node | undefined): boolean {
  if (parent?.type !== "CallExpression" || (parent["arguments"] as Node[])[0] !== node) return false;
  const callee = parent["callee"] as Node;
  const name = callee.type === "Identifier" ? callee["name"] : ((callee["object"] as Node | undefined)?.["name"] ?? "");
  return ["test", "it", "describe"].includes(String(name));
}

const paths = process.argv.slice(2).map((path) => relative(ROOT, join(process.cwd(), path)));
const files = GLOBS.flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })])
  .filter((path) => paths.length === 0 || paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)))
  .filter((path) => !EXCEPT.some((pattern) => pattern.test(path)))
  .toSorted();
const findings = files.flatMap((path) => findIn(path, readFileSync(join(ROOT, path), "utf8")));
for (const { path, line, phrase, instead } of findings) {
  process.stdout.write(`${path}:${line}: "${phrase}" (write: ${instead})\n`);
}
process.stdout.write(`${findings.length} phrases in ${new Set(findings.map(({ path }) => path)).size} files\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
