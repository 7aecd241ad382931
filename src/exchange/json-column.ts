import { invalidFile } from "../errors.ts";
import { CELL_CODES, type CellValue } from "../values/cell.ts";
import { isPlainObject } from "./json-values.ts";

/** A list of short texts with few different values is a choice list. */
const MAX_CHOICE_LENGTH = 50;
const MAX_CHOICES = 200;

/**
 * How the values of a key are imported: as cells, lists of choices, references to rows of another table, or rows of
 * another table that refer to this one's; `texts` is for JSON text among plain values, `nothing` for empty lists.
 */
export type JsonColumnKind = "cells" | "texts" | "choices" | "reference" | "children" | "empty";

/** Evidence about the values of a key of objects, or of a position in lists. */
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
    // An object without keys carries no more information than null.
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

  /** In order of first occurrence. */
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

/** Returns the cell for a value that needs no table of its own. */
export function jsonCell(value: unknown, label: string): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  try {
    return JSON.stringify(value);
  } catch {
    throw invalidFile(`A value of ${JSON.stringify(label)} is nested too deeply`);
  }
}

/** Returns the cell for a list of choices. */
export const choicesCell = (value: unknown): CellValue =>
  Array.isArray(value) && value.length > 0 ? [CELL_CODES.list, ...value] : null;
