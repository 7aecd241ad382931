import type { DocAction } from "../../actions/doc-action.ts";
import { allIds } from "../../actions/row-storage.ts";
import type { RowCells } from "../access-types.ts";
import type { AccessCheckedChange } from "../access-checked-change.ts";
import { rulesRefusal } from "../refusals.ts";
import type { TableAccess } from "../table-rules.ts";
import { readRuleRows } from "./read-rule-rows.ts";

const ROW_ACTION_NAMES = ["BulkAddRecord", "BulkUpdateRecord", "BulkRemoveRecord", "ReplaceTableData"] as const;

/** An action on rows, in its bulk form. */
export type RowAction = Extract<DocAction, readonly [(typeof ROW_ACTION_NAMES)[number], ...unknown[]]>;

export const isRowAction = (action: DocAction): action is RowAction =>
  (ROW_ACTION_NAMES as readonly string[]).includes(action[0]);

/** Called with the applied action; not called when it had no effect. */
export type AfterRowsCheck = (done: DocAction) => void;

type WritePermission = "create" | "update" | "delete";

/** Rows to be checked at the end of the change, against their cells before and after it. */
interface PendingCheck {
  readonly access: TableAccess;
  readonly permission: "create" | "update";
  readonly ids: readonly number[];
  /** The written columns that have rules of their own; none for new rows. */
  readonly columns: readonly string[];
  /** The rows before the action; none for new ones. */
  readonly beforeAction: ReadonlyMap<number, RowCells>;
}

/** Checks written rows in tables where write access depends on the row. */
export class RowWriteChecks {
  readonly #change: AccessCheckedChange;
  readonly #pending: PendingCheck[] = [];

  constructor(change: AccessCheckedChange) {
    this.#change = change;
  }

  /** Call before an action is applied. @throws AppError `forbidden` */
  beforeAction(access: TableAccess, action: RowAction): AfterRowsCheck | null {
    switch (action[0]) {
      case "BulkAddRecord":
        return this.#afterAdding(access);
      case "BulkUpdateRecord":
        return this.#beforeUpdate(access, action[2], Object.keys(action[3]));
      case "BulkRemoveRecord":
        this.#checkRemoval(access, action[2]);
        return null;
      case "ReplaceTableData":
        this.#checkRemoval(access, allIds(this.#change.db, action[1]));
        return this.#afterAdding(access);
      default:
        return action satisfies never;
    }
  }

  /** Checks the pending rows in their present state. @throws AppError `forbidden` */
  checkPending(): void {
    for (const pending of this.#pending.splice(0)) this.#checkRows(pending);
  }

  #afterAdding(access: TableAccess): AfterRowsCheck | null {
    if (access.create === "allow") return null;
    return (done) => {
      if (done[0] !== "BulkAddRecord" && done[0] !== "ReplaceTableData") return;
      this.#pending.push({ access, permission: "create", ids: done[2], columns: [], beforeAction: new Map() });
    };
  }

  #beforeUpdate(access: TableAccess, ids: readonly number[], updatedColumns: readonly string[]): AfterRowsCheck | null {
    const restrictedColumns = updatedColumns.filter((id) => access.column(id).update !== "allow");
    if (restrictedColumns.length === 0) return null;
    const read = restrictedColumns.flatMap((id) => access.evaluator("update", id).columns);
    const beforeAction = this.#rows(access, read, ids);
    return (done) => {
      if (done[0] !== "BulkUpdateRecord") return;
      const [, , changed, values] = done;
      // Cells that held the value already were dropped.
      const columns = restrictedColumns.filter((id) => Object.hasOwn(values, id));
      if (columns.length > 0) this.#pending.push({ access, permission: "update", ids: changed, columns, beforeAction });
    };
  }

  /** Removed rows are checked at once; pending ones among them are checked before they are gone. */
  #checkRemoval(access: TableAccess, ids: readonly number[]): void {
    this.checkPending();
    if (access.delete === "allow") return;
    const { columns } = access.evaluator("delete");
    for (const row of this.#rows(access, columns, ids).values()) check(access, "delete", { rec: row, newRec: row });
  }

  #checkRows({ access, permission, ids, columns, beforeAction }: PendingCheck): void {
    const verdicts =
      permission === "create" ? [access.evaluator("create")] : columns.map((id) => access.evaluator("update", id));
    const after = this.#rows(
      access,
      verdicts.flatMap((verdict) => verdict.columns),
      ids,
    );
    for (const id of ids) {
      const newRec = after.get(id) ?? beforeAction.get(id);
      if (!newRec) continue;
      const rows = { rec: beforeAction.get(id) ?? newRec, newRec };
      if (permission === "create") check(access, "create", rows);
      else for (const column of columns) check(access, "update", { ...rows, column });
    }
  }

  #rows(access: TableAccess, columns: readonly string[], ids: readonly number[]): Map<number, RowCells> {
    const { db, catalog } = this.#change;
    return readRuleRows(db, catalog.table(access.table.id), { columns, ids });
  }
}

/** @throws AppError `forbidden` when the rules deny the permission for the row */
function check(
  access: TableAccess,
  permission: WritePermission,
  { column, ...rows }: { rec: RowCells; newRec: RowCells; column?: string },
): void {
  const context = { ...access.context, ...rows };
  if (access.evaluator(permission, column).forRow(context) === "allow") return;
  const isRow = permission !== "update" || access.deniesRow("update", context);
  throw rulesRefusal(
    isRow ? "row" : "column",
    permission,
    access.memos(permission, { ...(column && { column }), context }),
  );
}
