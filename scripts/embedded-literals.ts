/** Moves large literals out of scripts into compressed files: as bytecode they would take several times the size of their text. */
import { parseSync } from "oxc-parser";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

/** Shorter literals stay in the script. */
const MIN_CHARACTERS = 20_000;

/** A node of the syntax tree (ESTree). */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Literal extends Pick<Node, "start" | "end"> {
  readonly value: unknown;
}

export interface EmbeddedLiterals {
  /** Where the files are written. */
  readonly folder: string;
  /** The beginning of their names. */
  readonly name: string;
}

/**
 * Replaces each large literal of a script, a module or CommonJS, by an expression that reads an equal value from a compressed file.
 * @throws Error if the script has none
 */
export async function embedLiterals(source: string, { folder, name }: EmbeddedLiterals): Promise<string> {
  const literals = findLargeLiterals(source);
  if (literals.length === 0) throw new Error(`${name} contains no large literal`);
  const data = join(folder, `${name}.json.br`);
  await Bun.write(data, brotliCompressSync(JSON.stringify(literals.map(({ value }) => value))));
  const reader = join(folder, `${name}.js`);
  await Bun.write(reader, readerOf(data, literals.map(({ value }) => value).some(hasHole)));
  // From the end, so that positions stay valid.
  return literals.reduceRight(
    (text, { start, end }, i) =>
      `${text.slice(0, start)}require(${JSON.stringify(reader)}).default[${i}]${text.slice(end)}`,
    source,
  );
}

/** Returns a module that has the members of an object as its exports, and reads them from a compressed file. */
export async function embedValue(
  values: Readonly<Record<string, unknown>>,
  { folder, name }: EmbeddedLiterals,
): Promise<string> {
  const names = Object.keys(values);
  const data = join(folder, `${name}.json.br`);
  await Bun.write(data, brotliCompressSync(JSON.stringify(values)));
  const reader = join(folder, `${name}.js`);
  await Bun.write(reader, readerOf(data, false));
  return `import values from ${JSON.stringify(reader)}; export const { ${names.join(", ")} } = values;`;
}

/** Returns a module that exports the values in a file. */
const readerOf = (path: string, withHoles: boolean): string => `
  import { readFileSync } from "node:fs";
  import { brotliDecompressSync } from "node:zlib";
  import path from ${JSON.stringify(path)} with { type: "file" };
  const values = JSON.parse(brotliDecompressSync(readFileSync(path)).toString());
  ${withHoles ? restoreHoles.toString() : ""}
  export default ${withHoles ? "restoreHoles(values)" : "values"};`;

/** Restores elements that an array literal leaves out: JSON has null for them. */
function restoreHoles(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      // oxlint-disable-next-line typescript/no-array-delete -- leaves a hole, as the literal did
      if (item === null) delete value[i];
      else restoreHoles(item);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) restoreHoles(item);
  }
  return value;
}

/** Returns the outermost large objects and arrays that contain nothing but data, in their order. */
function findLargeLiterals(source: string): Literal[] {
  const { program, errors } = parseSync("script.js", source);
  if (errors[0]) throw new Error(errors[0].message);
  const found: Literal[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return;
    const { start, end } = value;
    if (end - start < MIN_CHARACTERS) return;
    const data = /^(Array|Object)Expression$/.test(value.type) ? dataOf(value) : undefined;
    if (data) found.push({ start, end, value: checkedForJson(data.value) });
    else Object.values(value).forEach(visit);
  };
  visit(program);
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";

/** Returns the value of an expression that is only data, in an object; undefined for all other nodes. */
function dataOf(node: Node): { readonly value: unknown } | undefined {
  switch (node.type) {
    case "Literal":
      return isJsonScalar(node["value"]) ? { value: node["value"] } : undefined;
    case "UnaryExpression": {
      const operand = dataOf(node["argument"] as Node)?.value;
      return node["operator"] === "-" && typeof operand === "number" ? { value: -operand } : undefined;
    }
    case "ArrayExpression":
      return arrayOf(node["elements"] as readonly (Node | null)[]);
    case "ObjectExpression":
      return objectOf(node["properties"] as readonly Node[]);
    default:
      return undefined;
  }
}

const isJsonScalar = (value: unknown): boolean =>
  value === null || typeof value === "boolean" || typeof value === "string" || Number.isFinite(value);

function arrayOf(elements: readonly (Node | null)[]): { readonly value: unknown[] } | undefined {
  // oxlint-disable-next-line unicorn/no-new-array -- an array of holes
  const value: unknown[] = new Array(elements.length);
  for (const [i, element] of elements.entries()) {
    if (!element) continue;
    const data = dataOf(element);
    if (!data) return undefined;
    value[i] = data.value;
  }
  return { value };
}

function objectOf(properties: readonly Node[]): { readonly value: object } | undefined {
  const value: Record<string, unknown> = {};
  for (const property of properties) {
    const name = property.type === "Property" && property["computed"] !== true ? nameOf(property["key"] as Node) : null;
    const data = name === null ? undefined : dataOf(property["value"] as Node);
    if (name === null || !data) return undefined;
    value[name] = data.value;
  }
  return { value };
}

function nameOf(key: Node): string | null {
  const name = key.type === "Identifier" ? key["name"] : key["value"];
  return (typeof name === "string" || typeof name === "number") && name !== "__proto__" ? String(name) : null;
}

/** Returns a value that survives a round trip. @throws Error if it has both holes and nulls, which are the same in JSON */
function checkedForJson(value: unknown): unknown {
  if (hasHole(value) && hasNull(value)) throw new Error("A literal has both null and elements that are left out");
  return value;
}

const hasHole = (value: unknown): boolean =>
  (Array.isArray(value) && Object.keys(value).length < value.length) || childrenOf(value).some(hasHole);

const hasNull = (value: unknown): boolean => value === null || childrenOf(value).some(hasNull);

const childrenOf = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];
