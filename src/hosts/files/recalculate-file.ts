import {
  compareFileWithFormulas,
  type FileRecalculation,
  recalculateFile as recalculateDocumentFile,
} from "../../doc/recalculate-file.ts";
import type { Clock } from "../../lib/time/clock.ts";

export type { FileRecalculation };

interface RecalculateFileOptions {
  readonly clock: Clock;
  /** Reports the differences and leaves the file unchanged. */
  readonly checkOnly: boolean;
}

/** Recomputes all formulas of a document's file. */
export function recalculateFile(path: string, { clock, checkOnly }: RecalculateFileOptions): FileRecalculation {
  return checkOnly ? compareFileWithFormulas(path, { clock }) : recalculateDocumentFile(path, { clock });
}
