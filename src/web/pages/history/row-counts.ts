import type { History } from "../../../wire/documents/history.ts";
import { markName } from "../../base/names.ts";
import type { PlainTexts } from "../../texts/texts.ts";
import { joinTruncated } from "./joined-names.ts";
import type { StateNames } from "./past-schema.ts";

/** Counts the rows and cells that states changed, by table and column, for sentences about them. */

type Table = History["states"][number]["tables"][number];

interface CountedTable {
  /** The marked title. */
  title: string;
  added: number;
  updated: number;
  removed: number;
  isReplaced: boolean;
  /** Of columns whose cells were written, by an identity that survives renames: the marked label and the count. */
  readonly columns: Map<number | string, { label: string; cells: number }>;
}

/** Adds up the changes of states, oldest first. Tables and columns have their newest names. */
export class RowCounts {
  readonly #tables = new Map<number | string, CountedTable>();

  get all(): CountedTable[] {
    return [...this.#tables.values()];
  }

  add({ table: id, added, updated, removed, isNew, isGone, isReplaced, columns }: Table, names: StateNames): void {
    const key = (isGone ? names.before : names.after).table(id)?.ref ?? id;
    if (isGone) {
      this.#tables.delete(key);
      return;
    }
    const counted = this.#at(key);
    counted.title = markName(names.after.title(id));
    // The sentence about a new table has the number of its rows.
    if (!isNew) counted.added += added;
    counted.removed += removed;
    counted.isReplaced ||= isReplaced === true;
    const written = columns.changes.filter(({ type, formula }) => type === undefined && formula === undefined);
    // Rows count as changed only where their changed cells are unknown.
    if (!columns.changes.some(({ cells }) => cells > 0)) counted.updated += updated;
    for (const { column, cells } of written) {
      const ref = names.after.table(id)?.columns.get(column)?.ref ?? column;
      const label = markName(names.after.columnName(id, column));
      if (cells > 0) counted.columns.set(ref, { label, cells: cells + (counted.columns.get(ref)?.cells ?? 0) });
    }
  }

  #at(key: number | string): CountedTable {
    let counted = this.#tables.get(key);
    if (!counted) {
      counted = { title: "", added: 0, updated: 0, removed: 0, isReplaced: false, columns: new Map() };
      this.#tables.set(key, counted);
    }
    return counted;
  }
}

/** Added 3 rows to Orders; Changed Price in 12 rows of Orders */
export function rowSentences(t: PlainTexts, counted: CountedTable): string[] {
  const { title: table, added, updated, removed, isReplaced } = counted;
  if (isReplaced) return [t("history.rows.replaced", { table })];
  return [
    ...(added > 0 ? [t("history.rows.added", { table, count: added })] : []),
    ...cellSentences(t, counted),
    ...(updated > 0 ? [t("history.rows.changed", { table, count: updated })] : []),
    ...(removed > 0 ? [t("history.rows.deleted", { table, count: removed })] : []),
  ];
}

/** More sentences about cells of one table would hide the others. */
const MAX_SENTENCES = 2;

/** Columns with the same number of changed cells share a sentence. */
function cellSentences(t: PlainTexts, { title: table, columns }: CountedTable): string[] {
  const byCount = Map.groupBy(columns.values(), ({ cells }) => cells);
  const named = (list: readonly { label: string }[]): string =>
    joinTruncated(
      t,
      list.map(({ label }) => label),
    );
  if (byCount.size > MAX_SENTENCES) {
    const count = [...columns.values()].reduce((sum, { cells }) => sum + cells, 0);
    return [t("history.cells.mixed", { count, columns: named([...columns.values()]), table })];
  }
  return [...byCount].map(([count, list]) => t("history.cells", { count, columns: named(list), table }));
}
