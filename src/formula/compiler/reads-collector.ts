import type { Expression } from "../parser/ast.ts";
import type { FormulaReads } from "../formula-row.ts";

/** Functions that read cells of columns named by argument values. */
const DYNAMIC_FUNCTIONS: ReadonlySet<string> = new Set([
  "dir",
  "eval",
  "getattr",
  "hasattr",
  "NEXT",
  "operator",
  "PREVIOUS",
  "RANK",
  "RECORD",
  "vars",
]);

/** Collects a formula's reads during compilation. */
export class ReadsCollector implements FormulaReads {
  readonly columns = new Set<string>();
  readonly chains: string[][] = [];
  readonly attributes = new Set<string>();
  readonly mentions = new Set<string>();
  readonly orderColumns = new Set<string>();
  readonly globals = new Set<string>();
  isDynamic = false;
  isPeeking = false;
  #isPaused = false;
  #isInOrderArgument = false;

  /** Ignores the reads that `work` adds: the argument of PEEK. Columns of the formula's own row are still needed. */
  withoutTracking<T>(work: () => T): T {
    const before = this.#isPaused;
    this.#isPaused = true;
    this.isPeeking = true;
    try {
      return work();
    } finally {
      this.#isPaused = before;
    }
  }

  addColumn(name: string): void {
    if (!this.#isPaused) this.columns.add(name);
  }

  addGlobal(name: string): void {
    if (this.#isPaused) return;
    this.globals.add(name);
    if (name === "rec" || name === "table" || DYNAMIC_FUNCTIONS.has(name)) this.isDynamic = true;
  }

  /** Adds an attribute of any object other than `rec`. */
  addAttribute(object: Expression, name: string): void {
    if (this.#isPaused) return;
    const chain = attributeChain(object);
    if (chain) this.chains.push([...chain, name]);
    else this.attributes.add(name);
  }

  addMention(name: string): void {
    if (!this.#isPaused) this.mentions.add(name);
  }

  /** Treats string literals within `work` as the columns that records are ordered by. */
  inOrderArgument<T>(work: () => T): T {
    const before = this.#isInOrderArgument;
    this.#isInOrderArgument = true;
    try {
      return work();
    } finally {
      this.#isInOrderArgument = before;
    }
  }

  addText(addText: string): void {
    if (this.#isPaused || !/^-?[A-Za-z_]\w*$/.test(addText)) return;
    const names = this.#isInOrderArgument ? this.orderColumns : this.mentions;
    names.add(addText.replace(/^-/, ""));
  }
}

/** Returns the attribute names after `rec`; undefined for chains that start elsewhere. */
function attributeChain(node: Expression): string[] | undefined {
  if (node.kind !== "attribute") return undefined;
  if (node.object.kind === "name" && node.object.name === "rec") return [node.name];
  const chain = attributeChain(node.object);
  chain?.push(node.name);
  return chain;
}
