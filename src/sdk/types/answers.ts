/** Answers of the API that do not depend on a document's declarations. */
import type { CellValue } from "./schema.ts";

export interface DryRunRow {
  /** Missing for added rows if access rules hide anything from the caller. */
  id?: number;
  fields: Record<string, CellValue>;
}

export interface DryRunTable {
  table: string;
  rows: { added: number; changed: number; removed: number };
  cells: { changed: number; recomputed: number };
  added: DryRunRow[];
  changed: {
    id: number;
    before: Record<string, CellValue>;
    after: Record<string, CellValue>;
    /** The columns among them that formulas fill. */
    recomputed: string[];
  }[];
  removed: DryRunRow[];
}

interface DryRunColumn {
  table: string;
  column: string;
}

/** What a change would do. */
export interface DryRunReport {
  tables: DryRunTable[];
  schema: {
    tables: { added: string[]; removed: string[]; renamed: { from: string; to: string }[] };
    columns: {
      added: DryRunColumn[];
      removed: DryRunColumn[];
      changed: (DryRunColumn & { before: Record<string, unknown>; after: Record<string, unknown> })[];
    };
  };
  /** For owners only. */
  webhooks?: { id: string; name: string | null; events: number }[];
  /** True when lists leave out items: the numbers of rows and cells are complete. */
  isTruncated: boolean;
}

/** The ids of upserted records. */
export interface UpsertedIds {
  /** For each record of the request, the ids of the updated records or of the new one. */
  recordIds: number[][];
  addRecordIds: number[];
  updateRecordIds: number[][];
}

export interface AttachmentInfo {
  fileName: string;
  fileSize: number;
  timeUploaded: string;
}
