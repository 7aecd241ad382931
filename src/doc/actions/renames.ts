import { columnType } from "../../values/column-type.ts";
import type { ColumnInfo } from "../schema.ts";
import type { Change } from "./change.ts";
import { type NameInFormula, replaceNames } from "./formula-names.ts";
import { updateMetadata } from "./metadata.ts";

/**
 * Formulas follow when what they name is renamed: tables by their name, columns where the text tells of which table
 * they are. What takes understanding the formula (a column of a record kept in a variable) is not followed.
 */

/** In the formulas of all tables, the name of the table where it stands by itself. */
export function followTableRename(change: Change, from: string, to: string): void {
  rewriteFormulas(
    change,
    () =>
      ({ name, after }) =>
        after === "" && name === from ? to : undefined,
  );
}

export interface ColumnRename {
  readonly table: string;
  readonly from: string;
  readonly to: string;
}

/**
 * The column where it is taken from a record of its table (`$Name`, `rec.Name`, `$Owner.Name`, `Pets.all.Name`,
 * `Pets.lookupOne(…).Name`) or looked up by (`Pets.lookupRecords(Name=…)`).
 */
export function followColumnRename(change: Change, rename: ColumnRename): void {
  rewriteFormulas(change, (owner) => ({ name, after, path }) => {
    if (name !== rename.from || after === "") return undefined;
    const isIts = recordsTable(change, owner, after, path, rename) === rename.table;
    return isIts ? rename.to : undefined;
  });
}

/** The table of whose records a name is a column, as far as the text tells. */
function recordsTable(
  change: Change,
  owner: string,
  after: NameInFormula["after"],
  path: readonly string[] | undefined,
  rename: ColumnRename,
): string | undefined {
  if (after === "$") return owner;
  if (!path) return undefined;
  if (after === ".") return tableAt(change, owner, path, rename);
  const [table = "", lookup = "", ...more] = path;
  return more.length === 0 && LOOKUPS.has(lookup) && change.schema.tableById.has(table) ? table : undefined;
}

const LOOKUPS: ReadonlySet<string> = new Set(["lookupRecords", "lookupOne"]);

/** The table whose records a chain of names ends with. */
function tableAt(change: Change, owner: string, path: readonly string[], rename: ColumnRename): string | undefined {
  const [first = "", ...rest] = path;
  if (first === "rec") return follow(change, owner, rest, rename);
  if (first.startsWith("$")) return follow(change, owner, [first.slice(1), ...rest], rename);
  if (!change.schema.tableById.has(first)) return undefined;
  const [step = "", call, ...more] = rest;
  if (step === "all") return follow(change, first, rest.slice(1), rename);
  return LOOKUPS.has(step) && call === "()" ? follow(change, first, more, rename) : undefined;
}

/** Goes from table to table by references. */
function follow(change: Change, table: string, columns: readonly string[], rename: ColumnRename): string | undefined {
  let at: string | undefined = table;
  for (const name of columns) {
    const id: string = at === rename.table && name === rename.from ? rename.to : name;
    const column: ColumnInfo | undefined =
      at === undefined ? undefined : change.schema.tableById.get(at)?.columnById.get(id);
    at = column && columnType(column.type).target;
  }
  return at;
}

type Renaming = (name: NameInFormula) => string | undefined;

function rewriteFormulas(change: Change, renamingFor: (table: string) => Renaming): void {
  for (const table of change.schema.tables) {
    const renaming = renamingFor(table.id);
    for (const column of table.columns) {
      if (column.formula === "") continue;
      const formula = replaceNames(column.formula, renaming);
      if (formula !== column.formula) setFormula(change, table.id, column, formula);
    }
  }
}

function setFormula(change: Change, table: string, column: ColumnInfo, formula: string): void {
  change.apply(["ModifyColumn", table, column.id, { formula }]);
  updateMetadata(change, "_grist_Tables_column", column.ref, { formula });
  change.touched.columnKept(table, column.id);
}
