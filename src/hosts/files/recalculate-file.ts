import {
  compareFileWithFormulas,
  type FileRecalculation,
  recalculateFile as recalculateDocumentFile,
} from "../../doc/recalculate-file.ts";
import type { Clock } from "../../lib/time/clock.ts";

export type { FileRecalculation };

interface RecalculateFileOptions {
  readonly clock: Clock;
  /** Tells what differs and leaves the file as it is. */
  readonly checkOnly: boolean;
}

/** Computes all formulas of a document's file anew. */
export function recalculateFile(path: string, { clock, checkOnly }: RecalculateFileOptions): FileRecalculation {
  return checkOnly ? compareFileWithFormulas(path, { clock }) : recalculateDocumentFile(path, { clock });
}
