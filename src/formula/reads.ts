import type { Expression } from "./ast.ts";
import type { FormulaReads } from "./row.ts";

/** Functions that read cells whose columns are told by values. */
const OPEN_FUNCTIONS: ReadonlySet<string> = new Set([
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

/** Gathers what a formula reads while it is compiled. */
export class ReadsCollector implements FormulaReads {
  readonly columns = new Set<string>();
  readonly chains: string[][] = [];
  readonly attributes = new Set<string>();
  readonly mentions = new Set<string>();
  readonly orders = new Set<string>();
  readonly globals = new Set<string>();
  isOpen = false;
  isPeeking = false;
  #isSilent = false;
  #isOrdering = false;

  /** Leaves out what is found meanwhile: the argument of PEEK. Columns of the own row still have to be known. */
  silently<T>(work: () => T): T {
    const before = this.#isSilent;
    this.#isSilent = true;
    this.isPeeking = true;
    try {
      return work();
    } finally {
      this.#isSilent = before;
    }
  }

  column(name: string): void {
    if (!this.#isSilent) this.columns.add(name);
  }

  global(name: string): void {
    if (this.#isSilent) return;
    this.globals.add(name);
    if (name === "rec" || name === "table" || OPEN_FUNCTIONS.has(name)) this.isOpen = true;
  }

  /** An attribute of anything but the record. */
  attribute(object: Expression, name: string): void {
    if (this.#isSilent) return;
    const chain = chainOf(object);
    if (chain) this.chains.push([...chain, name]);
    else this.attributes.add(name);
  }

  mention(name: string): void {
    if (!this.#isSilent) this.mentions.add(name);
  }

  /** Takes the texts found meanwhile for columns that records are ordered by. */
  ordering<T>(work: () => T): T {
    const before = this.#isOrdering;
    this.#isOrdering = true;
    try {
      return work();
    } finally {
      this.#isOrdering = before;
    }
  }

  text(text: string): void {
    if (this.#isSilent || !/^-?[A-Za-z_]\w*$/.test(text)) return;
    const names = this.#isOrdering ? this.orders : this.mentions;
    names.add(text.replace(/^-/, ""));
  }
}

/** The attributes from the record on; undefined for what begins elsewhere. */
function chainOf(node: Expression): string[] | undefined {
  if (node.kind !== "attribute") return undefined;
  if (node.object.kind === "name" && node.object.name === "rec") return [node.name];
  const chain = chainOf(node.object);
  chain?.push(node.name);
  return chain;
}
