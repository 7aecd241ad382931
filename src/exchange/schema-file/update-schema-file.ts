import { isDeepStrictEqual } from "node:util";
import type * as Yaml from "yaml";
import { invalid } from "../../errors.ts";
import { STYLE } from "./write-schema-file.ts";

// Loaded on first use.
const loadYaml = (): typeof Yaml => require("yaml") as typeof Yaml;

/**
 * Returns the text of an existing schema file with the content of another one. Comments, the order of properties and
 * the form of unchanged values stay.
 * @throws AppError `invalid` if the existing text is not YAML
 */
export function updateSchemaFile(existing: string, pulled: string): string {
  const yaml = loadYaml();
  const document = yaml.parseDocument(existing, { version: "1.2", schema: "core", logLevel: "silent" });
  const [problem] = document.errors;
  if (problem) throw invalid(`The existing file is not valid YAML: ${problem.message.split("\n")[0]}`);
  const value: unknown = yaml.parse(pulled);
  if (!yaml.isMap(document.contents)) return pulled;
  new Updater(yaml, document).update(document.contents, value as object, []);
  return isDeepStrictEqual(yaml.parse(existing), value) && hasSameOrder(yaml.parse(existing), value)
    ? existing
    : document.toString(STYLE);
}

/** True if the columns of all tables have the same order. */
const hasSameOrder = (one: unknown, other: unknown): boolean => columnOrders(one) === columnOrders(other);

const columnOrders = (value: unknown, name = ""): string => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const order = name === "columns" ? Object.keys(value).join() : "";
  return [order, ...entries.map(([key, item]) => columnOrders(item, key))].join("\n");
};

class Updater {
  readonly #yaml: typeof Yaml;
  readonly #document: Yaml.Document;

  constructor(yaml: typeof Yaml, document: Yaml.Document) {
    this.#yaml = yaml;
    this.#document = document;
  }

  update(map: Yaml.YAMLMap, value: object, path: readonly string[]): void {
    const wanted = new Map<string, unknown>(Object.entries(value));
    map.items = map.items.filter(({ key }) => wanted.has(this.#nameOf(key)));
    const known = new Map(map.items.map((pair) => [this.#nameOf(pair.key), pair]));
    for (const [name, item] of wanted) {
      const pair = known.get(name);
      if (!pair) map.items.push(this.#document.createPair(name, item, { aliasDuplicateObjects: false }));
      else pair.value = this.#updated(pair.value, item, [...path, name]);
    }
    // The order of columns is the order of display.
    if (path.at(-1) !== "columns" || path[0] !== "tables") return;
    const order = [...wanted.keys()];
    map.items.sort((a, b) => order.indexOf(this.#nameOf(a.key)) - order.indexOf(this.#nameOf(b.key)));
  }

  #updated(node: unknown, value: unknown, path: readonly string[]): unknown {
    const { isMap, isScalar, isNode } = this.#yaml;
    if (isMap(node) && typeof value === "object" && value !== null && !Array.isArray(value)) {
      this.update(node, value, path);
      return node;
    }
    if (isNode(node) && isDeepStrictEqual(node.toJS(this.#document), value)) return node;
    if (isScalar(node) && (typeof value !== "object" || value === null)) {
      node.value = value;
      return node;
    }
    return this.#document.createNode(value, { aliasDuplicateObjects: false });
  }

  #nameOf(key: unknown): string {
    return String(this.#yaml.isScalar(key) ? key.value : key);
  }
}
