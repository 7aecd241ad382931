import type { RecordJson } from "../../../../base/table-data.ts";
import type { Column } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";
import type { UserAction } from "../undo-manager.ts";

/** The cells that a change replaces or removes. */
export interface ReplacedCells {
  readonly rows: readonly RecordJson[];
  readonly columns: readonly Pick<Column, "id">[];
}

/** For the lists of row ids. */
const BYTES_PER_ROW = 15;

/**
 * Asks before actions that write more than the history keeps. Resolves to whether a snapshot is saved first, and to null
 * when the user cancels.
 */
export async function askIfLarge(
  sheet: Sheet,
  actions: readonly UserAction[],
  replaced: ReplacedCells = { rows: [], columns: [] },
): Promise<boolean | null> {
  const { keptBytes } = sheet.large;
  const ids = replaced.columns.map(({ id }) => id);
  const before = replaced.rows.map(({ fields }) => ids.map((id) => fields[id]));
  // The history has what was written and what it replaced.
  const rows = actions.reduce((sum, [, , ids]) => sum + (Array.isArray(ids) ? ids.length : 0), 0);
  const bytes = JSON.stringify(actions).length + JSON.stringify(before).length + BYTES_PER_ROW * rows;
  if (bytes <= keptBytes) return false;
  const { askBeforeLarge } = await import("./too-large.ts");
  const count = actions.reduce((sum, action) => sum + writtenCells(action), 0);
  return askBeforeLarge(sheet.large, count > 0 ? count : replaced.rows.length * ids.length);
}

function writtenCells([, , , values]: UserAction): number {
  if (typeof values !== "object" || values === null) return 0;
  return Object.values(values).reduce<number>((sum, cells) => sum + (Array.isArray(cells) ? cells.length : 0), 0);
}
