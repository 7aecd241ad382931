import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invalid } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { type CellValue, CELL_CODES } from "../values/cell.ts";
import { type RecalculationResult, recalculateDocument } from "./actions/apply-user-actions.ts";
import { sameCell } from "./actions/row-storage.ts";
import { OpenDocument } from "./document.ts";
import { importDocumentFile } from "./import-document.ts";
import { SYSTEM_USER } from "./user-info.ts";

const WRITABLE = 0o222;

/** A cell that was stored otherwise than its formula gives it. */
export interface CellDifference {
  readonly table: string;
  readonly column: string;
  readonly row: number;
  readonly stored: CellValue;
  readonly computed: CellValue;
}

export interface FileRecalculation {
  /** Cells that differ, but those of volatile columns. */
  readonly differences: readonly CellDifference[];
  /** Columns whose cells are others each time or by the clock: `Table.Column` */
  readonly volatile: readonly string[];
  /** Summary tables whose rows were not those of their groups. */
  readonly summaries: readonly string[];
}

/**
 * Computes all formulas of a document's file anew and tells what was stored otherwise. The file is only read; for one
 * of an older version, what it becomes when it is opened is computed.
 * @throws AppError as `importDocumentFile`
 */
export function compareFileWithFormulas(path: string, { clock }: { clock: Clock }): FileRecalculation {
  const folder = mkdtempSync(join(tmpdir(), "quern-recalculate-"));
  try {
    const copy = join(folder, "document.grist");
    importDocumentFile(path, copy, { recalculates: false });
    using document = new OpenDocument(copy, { durability: "normal", clock });
    const done = recalculateDocument(document, { user: SYSTEM_USER, nowMs: clock.now() }, { persist: false });
    return toFileRecalculation(done);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Computes all formulas of a document's file anew and stores the results. Nobody else may have it open.
 * @throws AppError `invalid` for a file that nobody may write
 */
export function recalculateFile(path: string, { clock }: { clock: Clock }): FileRecalculation {
  // For the system's administrator the mode would be no obstacle; it says all the same what is wanted.
  if ((statSync(path).mode & WRITABLE) === 0) throw invalid(`${path} is read-only; --check changes nothing`);
  using document = new OpenDocument(path, { clock });
  const done = recalculateDocument(document, { user: SYSTEM_USER, nowMs: clock.now() }, { persist: true });
  return toFileRecalculation(done);
}

function toFileRecalculation({ calculated, undo, volatile }: RecalculationResult): FileRecalculation {
  const stored = new Map<string, CellValue>();
  for (const action of undo) {
    if (action[0] !== "BulkUpdateRecord") continue;
    const [, table, ids, values] = action;
    for (const [column, cells] of Object.entries(values)) {
      for (const [r, row] of ids.entries()) {
        const key = keyOf(table, column, row);
        if (!stored.has(key)) stored.set(key, cells[r] ?? null);
      }
    }
  }
  const differences = new Map<string, CellDifference>();
  const summaries = new Set<string>();
  for (const action of calculated) {
    const [name, table] = action;
    if (name !== "BulkUpdateRecord") {
      summaries.add(table);
      continue;
    }
    const [, , ids, values] = action;
    for (const [column, cells] of Object.entries(values)) {
      if (volatile.includes(`${table}.${column}`)) continue;
      for (const [r, row] of ids.entries()) {
        const key = keyOf(table, column, row);
        const before = stored.get(key) ?? null;
        const computed = cells[r] ?? null;
        if (isPending(before) || sameCell(before, computed)) continue;
        differences.set(key, { table, column, row, stored: before, computed });
      }
    }
  }
  return { differences: [...differences.values()], volatile, summaries: [...summaries] };
}

/** True for cells that wait for their formula: nothing was claimed of them. */
const isPending = (cell: CellValue | undefined): boolean => Array.isArray(cell) && cell[0] === CELL_CODES.pending;

const keyOf = (table: string, column: string, row: number): string => `${table} ${column} ${row}`;
