import type { DocAction } from "../actions/doc-action.ts";
import { allIds } from "../actions/rows.ts";
import type { RowCells } from "./contract.ts";
import type { JudgedChange } from "./judged-change.ts";
import { blocked } from "./refusals.ts";
import type { TableAccess } from "./table-rules.ts";
import { readRuleRows } from "./table-rows.ts";

const ROWS_ACTIONS = ["BulkAddRecord", "BulkUpdateRecord", "BulkRemoveRecord", "ReplaceTableData"] as const;

/** An action on rows, in its long form. */
export type RowsAction = Extract<DocAction, readonly [(typeof ROWS_ACTIONS)[number], ...unknown[]]>;

export const isRowsAction = (action: DocAction): action is RowsAction =>
  (ROWS_ACTIONS as readonly string[]).includes(action[0]);

/** Is told what came of an action; not called when nothing did. */
export type AfterRows = (done: DocAction) => void;

type WritePermission = "create" | "update" | "delete";

/** Rows that wait for the end of the change, to be judged by what they were and what they have become. */
interface Waiting {
  readonly access: TableAccess;
  readonly permission: "create" | "update";
  readonly ids: readonly number[];
  /** The columns that were written of which rules say something particular; none for new rows. */
  readonly columns: readonly string[];
  /** The rows as they were; none for new ones. */
  readonly before: ReadonlyMap<number, RowCells>;
}

/** The rows that a caller wrote in tables where it depends on the row whether he may. */
export class WrittenRows {
  readonly #change: JudgedChange;
  readonly #waiting: Waiting[] = [];

  constructor(change: JudgedChange) {
    this.#change = change;
  }

  /** To be asked before an action is applied. @throws AppError `forbidden` */
  before(access: TableAccess, action: RowsAction): AfterRows | null {
    switch (action[0]) {
      case "BulkAddRecord":
        return this.#afterAdding(access);
      case "BulkUpdateRecord":
        return this.#beforeUpdate(access, action[2], Object.keys(action[3]));
      case "BulkRemoveRecord":
        this.#judgeRemoval(access, action[2]);
        return null;
      case "ReplaceTableData":
        this.#judgeRemoval(access, allIds(this.#change.db, action[1]));
        return this.#afterAdding(access);
      default:
        return action satisfies never;
    }
  }

  /** Judges what waits, by the rows as they are now. @throws AppError `forbidden` */
  settle(): void {
    for (const waiting of this.#waiting.splice(0)) this.#judge(waiting);
  }

  #afterAdding(access: TableAccess): AfterRows | null {
    if (access.create === "allow") return null;
    return (done) => {
      if (done[0] !== "BulkAddRecord" && done[0] !== "ReplaceTableData") return;
      this.#waiting.push({ access, permission: "create", ids: done[2], columns: [], before: new Map() });
    };
  }

  #beforeUpdate(access: TableAccess, ids: readonly number[], given: readonly string[]): AfterRows | null {
    const particular = given.filter((id) => access.column(id).update !== "allow");
    if (particular.length === 0) return null;
    const read = particular.flatMap((id) => access.verdict("update", id).columns);
    const before = this.#rows(access, read, ids);
    return (done) => {
      if (done[0] !== "BulkUpdateRecord") return;
      const [, , changed, values] = done;
      // Cells that hold the value already were dropped.
      const columns = particular.filter((id) => Object.hasOwn(values, id));
      if (columns.length > 0) this.#waiting.push({ access, permission: "update", ids: changed, columns, before });
    };
  }

  /** Rows that go are judged at once, and those that wait before they are gone. */
  #judgeRemoval(access: TableAccess, ids: readonly number[]): void {
    this.settle();
    if (access.delete === "allow") return;
    const { columns } = access.verdict("delete");
    for (const row of this.#rows(access, columns, ids).values()) check(access, "delete", { rec: row, newRec: row });
  }

  #judge({ access, permission, ids, columns, before }: Waiting): void {
    const verdicts =
      permission === "create" ? [access.verdict("create")] : columns.map((id) => access.verdict("update", id));
    const after = this.#rows(
      access,
      verdicts.flatMap((verdict) => verdict.columns),
      ids,
    );
    for (const id of ids) {
      const newRec = after.get(id) ?? before.get(id);
      if (!newRec) continue;
      const rows = { rec: before.get(id) ?? newRec, newRec };
      if (permission === "create") check(access, "create", rows);
      else for (const column of columns) check(access, "update", { ...rows, column });
    }
  }

  #rows(access: TableAccess, columns: readonly string[], ids: readonly number[]): Map<number, RowCells> {
    const { db, catalog } = this.#change;
    return readRuleRows(db, catalog.table(access.table.id), { columns, ids });
  }
}

/** @throws AppError `forbidden` when the rules deny it for the row */
function check(
  access: TableAccess,
  permission: WritePermission,
  { column, ...rows }: { rec: RowCells; newRec: RowCells; column?: string },
): void {
  const question = { ...access.question, ...rows };
  if (access.verdict(permission, column).forRow(question) === "allow") return;
  const isRow = permission !== "update" || access.deniesRow("update", question);
  throw blocked(
    isRow ? "row" : "column",
    permission,
    access.memos(permission, { ...(column && { column }), question }),
  );
}
