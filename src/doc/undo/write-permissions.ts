import type { CellValue } from "../../values/cell.ts";
import type { Catalog } from "../actions/catalog.ts";
import type { OpenDocument } from "../document.ts";
import type { RowCells } from "../rules/access-types.ts";
import type { CallerRules } from "../rules/document-rules.ts";
import { isCensored } from "../rules/rows/derived-row-access.ts";
import { readRuleRows } from "../rules/rows/read-rule-rows.ts";
import type { TableAccess } from "../rules/table-rules.ts";
import type { UndoDraft } from "./draft.ts";

/**
 * Drops the parts of an undo that access rules do not allow the caller, and cells that they could not read afterwards: the
 * former value would tell them what became of the row.
 */
export function dropForbidden(document: OpenDocument, draft: UndoDraft, options: CheckOptions): void {
  const { rules } = options;
  if (!rules) return;
  for (const table of new Set([...draft.cells.keys(), ...draft.removed.keys(), ...draft.restored.keys()])) {
    const checked = { document, draft, table, access: rules.table(table), catalog: options.catalog };
    dropForbiddenRemovals(checked);
    dropForbiddenRestorations(checked);
    dropForbiddenUpdates(checked);
  }
}

interface CheckOptions {
  readonly catalog: Catalog;
  /** Null for a caller to whom only the role applies. */
  readonly rules: CallerRules | null;
}

interface CheckedTable {
  readonly document: OpenDocument;
  readonly draft: UndoDraft;
  readonly table: string;
  readonly access: TableAccess;
  readonly catalog: Catalog;
}

function dropForbiddenRemovals({ document: { db }, draft, table, access, catalog }: CheckedTable): void {
  const ids = [...(draft.removed.get(table) ?? [])];
  if (ids.length === 0 || access.delete === "allow") return;
  const evaluator = access.evaluator("delete");
  const rows = readRuleRows(db, catalog.table(table), { columns: evaluator.columns, ids });
  for (const id of ids) {
    const rec = rows.get(id);
    const mayDelete = rec && evaluator.forRow({ ...access.context, rec, newRec: rec }) === "allow";
    if (!mayDelete) draft.dropRemoval(table, id, "not_permitted");
  }
}

function dropForbiddenRestorations({ draft, table, access, catalog }: CheckedTable): void {
  if (access.create === "allow") return;
  const evaluator = access.evaluator("create");
  for (const [id, cells] of draft.restored.get(table) ?? []) {
    const newRec = withCells(() => undefined, { id, cells, columns: catalog.table(table).columns });
    if (evaluator.forRow({ ...access.context, rec: newRec, newRec }) !== "allow") {
      draft.dropRestoration(table, id, "not_permitted");
    }
  }
}

function dropForbiddenUpdates({ document: { db }, draft, table, access, catalog }: CheckedTable): void {
  const columns = draft.cells.get(table);
  if (!columns || (access.update === "allow" && access.read === "allow")) return;
  const reverts = new Map<number, Map<string, CellValue>>();
  for (const [column, rows] of columns) {
    for (const [row, { to }] of rows) {
      const cells = reverts.get(row);
      if (cells) cells.set(column, to);
      else reverts.set(row, new Map([[column, to]]));
    }
  }
  const reader = access.read === "allow" ? null : access.rows();
  const known = catalog.table(table);
  const needed = [...columns.keys()].flatMap((column) => access.evaluator("update", column).columns);
  const rows = readRuleRows(db, known, { columns: [...needed, ...(reader?.columns ?? [])], ids: [...reverts.keys()] });
  for (const [row, cells] of reverts) {
    const rec = rows.get(row);
    if (!rec) continue;
    const newRec = withCells(rec, { id: row, cells, columns: known.columns });
    const view = reader?.view(newRec, db) ?? "whole";
    for (const column of cells.keys()) {
      const mayWrite = access.evaluator("update", column).forRow({ ...access.context, rec, newRec }) === "allow";
      if (!mayWrite || isCensored(view, column)) draft.dropCell(table, column, row, "not_permitted");
    }
  }
}

/** Returns a row with other cells; columns that it lacks have their defaults. */
function withCells(
  rec: RowCells,
  {
    id,
    cells,
    columns,
  }: {
    id: number;
    cells: ReadonlyMap<string, CellValue>;
    columns: ReadonlyMap<string, { kind: { defaultValue: CellValue } }>;
  },
): RowCells {
  return (column) => {
    if (column === "id") return id;
    const cell = cells.get(column);
    return cell === undefined ? (rec(column) ?? columns.get(column)?.kind.defaultValue) : cell;
  };
}
