import { AppError, frozenError } from "../../../errors.ts";
import { FROZEN } from "../../../errors/frozen-messages.ts";
import { MAX_REFERENCES } from "../../filters/compile-filter.ts";

/** How requests ask for cells. */
export type OutputCells = "plain" | "typed" | "display" | "iso";

/** What a request asks of each record. */
export interface OutputRequest {
  readonly hidden: boolean;
  readonly cells: OutputCells;
  /** Columns and paths through references, such as `Customer.City`; null for all columns. */
  readonly fields: readonly string[] | null;
  /** References to replace by records, such as `Customer` or `Customer.Country`. */
  readonly expand: readonly string[];
}

/** Levels of nested records. */
export const MAX_EXPAND_LEVELS = 2;
const MAX_EXPANDED = 20;

/** The requested parts of one table's records: columns, and what to read through its references. */
export interface OutputNode {
  /** Column ids in order; null for all columns. */
  readonly columns: readonly string[] | null;
  /** Paths by the reference that they begin with: the rests of the paths, each with the whole path. */
  readonly paths: ReadonlyMap<string, readonly { readonly rest: string; readonly path: string }[]>;
  /** Expanded references, with the paths below each. */
  readonly expanded: ReadonlyMap<string, readonly string[]>;
}

/** Splits a list in a query at commas; undefined for none. */
export const splitNames = (text: string | undefined): string[] | undefined =>
  text === undefined || text === "" ? undefined : text.split(",").map((name) => name.trim());

/** @throws AppError `invalid` for paths that are too deep */
export function outputNode({ fields, expand }: Pick<OutputRequest, "fields" | "expand">): OutputNode {
  const columns = fields?.filter((name) => !name.includes(".") && name !== "id") ?? null;
  const paths = new Map<string, { rest: string; path: string }[]>();
  for (const path of fields ?? []) {
    const [first = "", ...steps] = path.split(".");
    if (steps.length > MAX_REFERENCES)
      throw new AppError("fields.invalid", `A path in fields can have at most ${MAX_REFERENCES} references`);
    if (steps.length === 0) continue;
    if (first === "" || steps.includes("")) throw frozenError(FROZEN.invalidColumn, path);
    const list = paths.get(first) ?? [];
    list.push({ rest: steps.join("."), path });
    paths.set(first, list);
  }
  return { columns: columns && [...new Set(columns)], paths, expanded: expandedOf(expand) };
}

function expandedOf(expand: readonly string[]): Map<string, string[]> {
  if (expand.length > MAX_EXPANDED)
    throw new AppError("fields.invalid", `expand can have at most ${MAX_EXPANDED} references`);
  const expanded = new Map<string, string[]>();
  for (const path of expand) {
    const [first = "", ...steps] = path.split(".");
    if (steps.length >= MAX_EXPAND_LEVELS)
      throw new AppError("fields.invalid", `expand can have at most ${MAX_EXPAND_LEVELS} levels`);
    const below = expanded.get(first) ?? [];
    if (steps.length > 0) below.push(steps.join("."));
    expanded.set(first, below);
  }
  return expanded;
}
