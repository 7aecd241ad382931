/** Parses the program's sources for the architecture test, with their imports and identifiers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

export interface Import {
  /** As written. */
  readonly from: string;
  readonly line: number;
  /** True for type-only imports. */
  readonly typesOnly: boolean;
}

/** A node of the syntax tree (ESTree with TypeScript's extensions), with the properties that the rules use. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

export interface Source {
  /** Path from the repository's root: `src/lib/ids.ts`. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Every node with its ancestors, nearest first. */
  readonly nodes: readonly { node: Node; parent: Node | undefined; line: number }[];
}

/**
 * Reads all source files of a folder.
 * @param folder path from the repository's root
 */
export function readSources(folder: string): Source[] {
  const root = join(import.meta.dir, "../..");
  const files = [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: root })].toSorted();
  return files.map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
}

/** @throws Error if the text is not valid TypeScript */
export function parseSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text, { sourceType: "module" });
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  const nodes: { node: Node; parent: Node | undefined; line: number }[] = [];
  walk(program, undefined, (node, parent) => nodes.push({ node, parent, line: lineAt(node.start) }));
  const imports = nodes.flatMap(({ node, line }) => importsOf(node).map((found) => ({ ...found, line })));
  return { path, lines: text.trimEnd().split("\n").length, imports, nodes };
}

function walk(value: unknown, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, parent, visit);
  if (!isNode(value)) return;
  visit(value, parent);
  for (const child of Object.values(value)) if (typeof child === "object") walk(child, value, visit);
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Returns the imports of a node: imports, re-exports, `import()`, `import("…").Type`, `require()`. */
function importsOf(node: Node): Omit<Import, "line">[] {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return node["source"] ? [{ from: textOf(node["source"]), typesOnly: takesTypesOnly(node) }] : [];
    case "ImportExpression":
      return [{ from: textOf(node["source"]), typesOnly: false }];
    case "TSImportType":
      return [{ from: textOf(node["source"] ?? node["argument"]), typesOnly: true }];
    case "TSExternalModuleReference":
      return [{ from: textOf(node["expression"]), typesOnly: false }];
    case "CallExpression": {
      const isRequire = isNode(node["callee"]) && node["callee"]["name"] === "require";
      return isRequire ? [{ from: textOf((node["arguments"] as unknown[])[0]), typesOnly: false }] : [];
    }
    default:
      return [];
  }
}

function takesTypesOnly(node: Node): boolean {
  if (node["importKind"] === "type" || node["exportKind"] === "type") return true;
  const specifiers = (node["specifiers"] as Node[] | undefined) ?? [];
  return specifiers.length > 0 && specifiers.every((one) => (one["importKind"] ?? one["exportKind"]) === "type");
}

/** Returns the text of a literal; a computed specifier cannot be resolved and gets a name that no rule accepts. */
function textOf(value: unknown): string {
  if (isNode(value) && value.type === "TSLiteralType") return textOf(value["literal"]);
  return isNode(value) && typeof value["value"] === "string" ? value["value"] : "(computed)";
}
