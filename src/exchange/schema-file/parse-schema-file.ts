import type * as Yaml from "yaml";
import { AppError } from "../../errors.ts";
import { FileShape } from "./file-shape.ts";
import type { SchemaFile } from "./model.ts";
import { findDeepNesting } from "./nesting.ts";
import { type Path, Problems } from "./problems.ts";

// Loaded on first use.
const loadYaml = (): typeof Yaml => require("yaml") as typeof Yaml;

/** The maximum length of a file in characters. */
export const MAX_FILE_LENGTH = 1_000_000;

/** A schema file of the right form, and a collector for what else is wrong with it. */
export interface ParsedFile {
  readonly file: SchemaFile;
  readonly problems: Problems;
}

/**
 * Parses a schema file: YAML or JSON as text, or a value.
 * @throws AppError `schema.invalid` with all problems; `limit.size` if it is too long
 */
export function parseSchemaFile(source: unknown): ParsedFile {
  if (typeof source !== "string") return parsed(source, new Problems());
  if (source.length > MAX_FILE_LENGTH) {
    throw new AppError("limit.size", `A schema file can have at most ${MAX_FILE_LENGTH} characters`);
  }
  const { value, lineOf } = parseText(source);
  return parsed(value, new Problems(lineOf));
}

function parsed(value: unknown, problems: Problems): ParsedFile {
  const { success, data, error } = FileShape.safeParse(value);
  if (success) return { file: data, problems };
  for (const issue of error.issues) {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys) problems.add([...path, name], "unknown property");
    } else {
      problems.add(path, messageOf(issue));
    }
  }
  problems.check();
  throw new Error("a schema file of the wrong form has no problems");
}

function messageOf(issue: { code?: string; message: string; input?: unknown; path: PropertyKey[] }): string {
  if (issue.code === "invalid_key") return "must be a key: letters, digits and underscores, with a letter first";
  const [, expected = "", received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(issue.message) ?? [];
  if (received === "undefined") return "is missing";
  return EXPECTED[expected] ?? issue.message;
}

/** By the name of a type in the messages of the validator. */
const EXPECTED: Readonly<Record<string, string>> = {
  object: "must have properties",
  record: "must have properties",
  array: "must be a list",
  boolean: "must be true or false",
};

/** YAML without anchors, aliases and tags: they can make a small text large. */
function parseText(text: string): { value: unknown; lineOf: (path: Path) => number | undefined } {
  const yaml = loadYaml();
  const counter = new yaml.LineCounter();
  const problems = new Problems();
  const lineAt = (offset: number | undefined) => (offset === undefined ? undefined : counter.linePos(offset).line);
  const deep = findDeepNesting(yaml, text);
  if (deep !== undefined) {
    problems.add([], "nested too deeply", text.slice(0, deep).split("\n").length);
    problems.check();
  }
  let document: Yaml.Document.Parsed;
  try {
    document = yaml.parseDocument(text, {
      lineCounter: counter,
      version: "1.2",
      schema: "core",
      merge: false,
      uniqueKeys: true,
      prettyErrors: false,
      // A second document would be ignored silently.
      logLevel: "error",
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.add([], "nested too deeply");
    problems.check();
    throw error;
  }
  for (const { message, pos } of [...document.errors, ...document.warnings]) {
    problems.add([], message.replace(/ at line .*/s, ""), lineAt(pos[0]));
  }
  if (document.directives.yaml.explicit === true) problems.add([], "directives are not allowed");
  problems.check();
  try {
    yaml.visit(document, {
      Alias: (_, node) => problems.add([], "aliases are not allowed", lineAt(node.range?.[0])),
      Node(position, node) {
        const line = lineAt(node.range?.[0]);
        if ("anchor" in node && node.anchor !== undefined) problems.add([], "anchors are not allowed", line);
        // Objects would lose it.
        if (position === "key" && yaml.isScalar(node) && node.value === "__proto__")
          problems.add([], "__proto__ cannot be a key", line);
      },
    });
    problems.check();
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return { value, lineOf: (path) => lineAt(offsetOf(yaml, document, path)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.add([], "nested too deeply");
    problems.check();
    throw error;
  }
}

/** Returns the position of a property in the text, or of the last of its parents that exists. */
function offsetOf(yaml: typeof Yaml, document: Yaml.Document, path: Path): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined = yaml.isNode(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    if (yaml.isMap(node)) {
      const pair = node.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === String(step));
      if (!pair) break;
      offset = yaml.isNode(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(step)];
      if (!yaml.isNode(node)) break;
      offset = node.range?.[0];
    } else {
      break;
    }
  }
  return offset;
}
