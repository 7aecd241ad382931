import type { CellValue } from "../values/cell.ts";
import type { UserAction } from "./actions/apply-user-actions.ts";
import type { Difference } from "./import-updates.ts";

/** How much an import writes, and how much history the document keeps. */
export interface ImportSize {
  readonly rows: number;
  readonly cells: number;
  /** About how much history the change takes. */
  readonly bytes: number;
  readonly keptBytes: number;
}

/** Bytes of a history entry for each changed row (its id, in three lists) and for the encoding of each value. */
const BYTES_PER_ROW = 15;
const BYTES_PER_CELL = 10;

/** Returns the size of the change that the actions of an import make: what they write, and what they replace. */
export function importSize(
  { actions, replaced = [] }: { actions: readonly UserAction[]; replaced?: readonly Difference[] | undefined },
  keptBytes: number,
): ImportSize {
  let rows = 0;
  let cells = 0;
  let valueBytes = 0;
  const add = (value: CellValue) => {
    valueBytes += sizeOf(value);
  };
  for (const [name, , ids, columns] of actions) {
    if (name !== "BulkAddRecord" && name !== "BulkUpdateRecord") continue;
    rows += (ids as readonly unknown[]).length;
    for (const values of Object.values(columns as Record<string, readonly CellValue[]>)) {
      cells += values.length;
      values.forEach(add);
    }
  }
  for (const { before } of replaced) before.forEach(add);
  return { rows, cells, bytes: BYTES_PER_ROW * rows + BYTES_PER_CELL * cells + valueBytes, keptBytes };
}

const sizeOf = (value: CellValue): number =>
  typeof value === "string" ? Buffer.byteLength(value) : value === null ? 1 : JSON.stringify(value).length;
