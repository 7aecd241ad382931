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

/** A cell whose stored value differs from the result of its formula. */
export interface CellDifference {
  readonly table: string;
  readonly column: string;
  readonly row: number;
  readonly stored: CellValue;
  readonly computed: CellValue;
}

export interface FileRecalculation {
  /** Differing cells, except those of volatile columns. */
  readonly differences: readonly CellDifference[];
  /** Columns whose results vary with each evaluation or with the clock: `Table.Column` */
  readonly volatile: readonly string[];
  /** Summary tables whose rows did not match their groups. */
  readonly summaries: readonly string[];
}

/**
 * Evaluates all formulas of a document's file and compares the results with the stored values. The file is only read;
 * an older version is evaluated as it would be after the upgrade.
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
 * Evaluates all formulas of a document's file and stores the results. The file must not be open elsewhere.
 * @throws AppError `invalid` for a read-only file
 */
export function recalculateFile(path: string, { clock }: { clock: Clock }): FileRecalculation {
  // The file mode does not restrict root, but it is respected as a statement of intent.
  if ((statSync(path).mode & WRITABLE) === 0)
    throw invalid(`${path} is read-only; use --check to compare without writing`);
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

/** True for pending cells, which have no stored result to compare. */
const isPending = (cell: CellValue | undefined): boolean => Array.isArray(cell) && cell[0] === CELL_CODES.pending;

const keyOf = (table: string, column: string, row: number): string => `${table} ${column} ${row}`;
