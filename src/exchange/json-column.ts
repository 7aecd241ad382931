import { invalidFile } from "../errors.ts";
import { CELL_CODES, type CellValue } from "../values/cell.ts";
import { isPlainObject } from "./json-values.ts";

/** Lists of short texts, few of them different, are choices. */
const MAX_CHOICE_LENGTH = 50;
const MAX_CHOICES = 200;

/**
 * What becomes of the values of a key: cells, lists of choices, rows of another table that the cells refer to, or rows of
 * another table that refer to this one's; `texts` for JSON texts among plain values; nothing of empty lists.
 */
export type JsonColumnKind = "cells" | "texts" | "choices" | "reference" | "children" | "empty";

/** A key of objects, or a position in lists, with what is known of its values. */
export class JsonColumn {
  readonly label: string;
  readonly #choices = new Set<string>();
  #hasPlain = false;
  #hasObjects = false;
  #hasLists = false;
  #hasElements = false;
  #isChoice = true;

  constructor(label: string) {
    this.label = label;
  }

  add(value: unknown): void {
    if (value === null) return;
    if (Array.isArray(value)) this.#addList(value);
    // An object without keys has no more to say than null.
    else if (!isPlainObject(value)) this.#hasPlain = true;
    else if (Object.keys(value).length > 0) this.#hasObjects = true;
  }

  get kind(): JsonColumnKind {
    if (!this.#hasLists && !this.#hasObjects) return "cells";
    if (this.#hasPlain) return "texts";
    if (!this.#hasLists) return "reference";
    if (!this.#hasElements && !this.#hasObjects) return "empty";
    return this.#isChoice && !this.#hasObjects ? "choices" : "children";
  }

  /** In the order in which they come. */
  get choices(): string[] {
    return [...this.#choices];
  }

  #addList(list: readonly unknown[]): void {
    this.#hasLists = true;
    if (list.length > 0) this.#hasElements = true;
    if (!this.#isChoice) return;
    for (const item of list) {
      if (typeof item === "string" && item !== "" && item.length <= MAX_CHOICE_LENGTH) this.#choices.add(item);
      else this.#isChoice = false;
    }
    if (this.#choices.size > MAX_CHOICES) this.#isChoice = false;
  }
}

/** The cell for a value that needs no table of its own. */
export function jsonCell(value: unknown, label: string): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  try {
    return JSON.stringify(value);
  } catch {
    throw invalidFile(`A value of ${JSON.stringify(label)} has too many levels of lists and objects`);
  }
}

/** The cell for a list of choices. */
export const choicesCell = (value: unknown): CellValue =>
  Array.isArray(value) && value.length > 0 ? [CELL_CODES.list, ...value] : null;
