import type { DocumentGrant } from "../../authorization.ts";
import { sha256Hex } from "../../lib/ids.ts";
import type { CellValue } from "../../values/cell.ts";
import { ListBudget } from "../dry-run/list-budget.ts";
import { cellFromHistory } from "../history/history-cells.ts";
import { isHiddenColumn } from "../schema.ts";
import type { UndoConflict, UndoDraft } from "./draft.ts";
import type { PlannedUndo } from "./plan-undo.ts";

export interface UndoneCell {
  readonly table: string;
  readonly row: number;
  readonly column: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** An undo in the form of the API. Lists are cut; counts are not. */
export interface UndoReport {
  readonly planId: string;
  /** The state whose later changes are undone. */
  readonly since: number;
  readonly counts: {
    readonly cells: number;
    readonly removedRows: number;
    readonly restoredRows: number;
    readonly conflicts: number;
  };
  readonly cells: readonly UndoneCell[];
  readonly removedRows: readonly { readonly table: string; readonly row: number }[];
  readonly restoredRows: readonly {
    readonly table: string;
    readonly row: number;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
  readonly conflicts: readonly UndoConflict[];
  /** False if a list was cut. */
  readonly isComplete: boolean;
}

/**
 * Describes a plan. Its id is a digest of everything that would be changed, so that it names the same plan on every node, and no
 * other one.
 */
export function describeUndo({ actor, uuid }: DocumentGrant, { since, draft }: PlannedUndo): UndoReport {
  const cells = cellsOf(draft);
  const removed = removedOf(draft);
  const restored = restoredOf(draft);
  const conflicts = draft.conflicts.toSorted(byPlace);
  const caller = actor.kind === "anonymous" ? null : [actor.keyId ?? null, actor.email];
  const budget = new ListBudget();
  const cut = <T>(items: readonly T[], show: (item: T) => T = (item) => item): T[] => {
    const list: T[] = [];
    for (const item of items) budget.add(list, () => show(item));
    return list;
  };
  return {
    planId: sha256Hex(JSON.stringify([uuid, caller, since, cells, removed, restored])).slice(0, 32),
    since,
    counts: {
      cells: cells.length,
      removedRows: removed.length,
      restoredRows: restored.length,
      conflicts: conflicts.length,
    },
    cells: cut(cells),
    removedRows: cut(removed),
    restoredRows: cut(restored, withoutHiddenColumns),
    conflicts: cut(conflicts),
    isComplete: !budget.isExceeded,
  };
}

interface Place {
  readonly table: string;
  readonly row?: number;
  readonly column?: string;
}

const byPlace = (a: Place, b: Place): number =>
  compareTexts(a.table, b.table) || (a.row ?? 0) - (b.row ?? 0) || compareTexts(a.column ?? "", b.column ?? "");

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const cellsOf = ({ cells }: UndoDraft): UndoneCell[] =>
  [...cells]
    .flatMap(([table, columns]) =>
      [...columns].flatMap(([column, rows]) =>
        [...rows].map(([row, { from, to }]) => ({ table, row, column, from: shown(from), to: shown(to) })),
      ),
    )
    .toSorted(byPlace);

const removedOf = ({ removed }: UndoDraft) =>
  [...removed].flatMap(([table, rows]) => [...rows].map((row) => ({ table, row }))).toSorted(byPlace);

const restoredOf = ({ restored }: UndoDraft) =>
  [...restored]
    .flatMap(([table, rows]) =>
      [...rows].map(([row, cells]) => ({
        table,
        row,
        fields: Object.fromEntries([...cells].map(([column, cell]) => [column, shown(cell)])),
      })),
    )
    .toSorted(byPlace);

const shown = (cell: CellValue): unknown => cellFromHistory(cell);

const withoutHiddenColumns = <T extends UndoReport["restoredRows"][number]>(restored: T): T => ({
  ...restored,
  fields: Object.fromEntries(Object.entries(restored.fields).filter(([column]) => !isHiddenColumn(column))),
});
