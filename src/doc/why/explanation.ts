import type { CellValue } from "../../values/cell.ts";
import type { CellAccess } from "./cell-access.ts";
import type { DependentKind } from "./dependents.ts";

/** A cell with the names that people know it by. */
export interface CellName {
  readonly table: string;
  readonly row: number;
  /** A text of the row that names it; null for none. */
  readonly rowLabel: string | null;
  readonly column: string;
  readonly label: string;
}

export interface ShownCell extends CellName {
  readonly value: CellValue;
  /** The value as the grid shows it. */
  readonly text: string;
}

export interface ShownLookup {
  readonly kind: "lookup" | "group";
  readonly table: string;
  readonly criteria: readonly {
    readonly column: string;
    readonly label: string;
    readonly contains: boolean;
    readonly value: CellValue;
    readonly text: string;
  }[];
  /** Column ids; a leading `-` means descending. */
  readonly sort: readonly string[];
  readonly found: number;
  /** The first of the found rows. */
  readonly rows: readonly { readonly row: number; readonly label: string | null }[];
}

export interface ShownReads {
  readonly cells: readonly ShownCell[];
  /** The number of further cells. */
  readonly more: number;
  readonly lookups: readonly ShownLookup[];
  readonly moreLookups: number;
  readonly clock: boolean;
  readonly user: readonly string[];
}

export interface ShownError {
  readonly type: string;
  readonly message: string;
  readonly remedy: string;
  /** The message in Python; null when the formula no longer fails so, or for another reason than the caller can read. */
  readonly detail: string | null;
  readonly line: number | null;
  /** The cell that the error comes from; null when it is this one. */
  readonly origin: CellName | null;
  /** The cells that depend on each other in a circle, each once. */
  readonly cycle: readonly CellName[];
}

export interface ShownDependent {
  readonly table: string;
  readonly column: string;
  readonly label: string;
  readonly kind: DependentKind;
  /** Null where the cells are not counted. */
  readonly cells: number | null;
}

/** A part of the access rules that reads the cell. */
export interface ReadingRule {
  readonly kind: "rule" | "userAttribute";
  /** The table and columns of the rule, or the name of the attribute. */
  readonly name: string;
  /** The condition of the rule, or the column that the attribute is looked up by. */
  readonly detail: string;
}

export interface CellExplanation {
  readonly cell: ShownCell;
  readonly kind: "data" | "formula" | "trigger" | "summary";
  readonly formula: string | null;
  /** The summarized table, for a summary that the caller knows the source of. */
  readonly summaryOf: string | null;
  /** When a trigger formula runs. */
  readonly trigger: {
    readonly when: "changes" | "everyEdit" | "never";
    readonly columns: readonly { readonly column: string; readonly label: string }[];
  } | null;
  readonly error: ShownError | null;
  readonly reads: ShownReads;
  /** Null without a formula, and when the caller cannot read everything that it reads. */
  readonly cost: { readonly steps: number; readonly time: "fast" | "moderate" | "slow" } | null;
  readonly dependents: {
    readonly columns: readonly ShownDependent[];
    readonly rules: readonly ReadingRule[];
  };
  readonly access: CellAccess;
}
