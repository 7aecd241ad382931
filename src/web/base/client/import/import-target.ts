/** What the import window is about: the workspace or document of its page, and how the page imports. */
import type { DocumentSettings, NamedTable } from "../../table-data.ts";
import type { FileReport } from "./import-report.ts";
import type { ImportRequest } from "./import-request.ts";

/** A file, or the address of one. */
export type ImportSource = { readonly file: File } | { readonly url: string };

/** A column of an existing table. */
export interface TargetColumn {
  readonly id: string;
  readonly label: string;
  readonly type: string;
}

/** Imports into a document. */
export interface DocumentTarget {
  /** The tables that rows can be added to. */
  readonly tables: readonly NamedTable[];
  /** The table that is chosen at first; null for new tables. */
  readonly table: string | null;
  /** Whether the user may add tables and columns. */
  readonly canAddTables: boolean;
  readonly settings: DocumentSettings;
  /**
   * Returns the columns of a table that can be imported into.
   * @throws Failure
   */
  readonly columnsOf: (table: string) => Promise<readonly TargetColumn[]>;
}

/** An import with its choices, ready to run. */
export interface PlannedImport extends ImportRequest {
  readonly rows: number;
  /** The name of the file. */
  readonly fileName: string;
  /** The report of the dry run. */
  readonly report: FileReport;
  /** The existing table that it changes; null for new ones. */
  readonly table: string | null;
}

/** An import that runs. */
export interface RunningImport extends PlannedImport {
  /** Called when the server has imported the file: leaving the page then loses nothing. */
  readonly saved: () => void;
}

export interface ImportTarget {
  /** The path of uploads and imports: `/api/workspaces/12`, `/api/docs/…`. */
  readonly path: string;
  readonly maxBytes: number;
  /** Null for new documents. */
  readonly document: DocumentTarget | null;
  /**
   * Imports. Returns the content that the window then shows; null closes the window. False when the user cancels a
   * question, which leads back to the preview.
   * @throws Failure
   */
  readonly run: (running: RunningImport) => Promise<ImportDone | null | false>;
}

/** A new document. */
export interface ImportDone {
  readonly name: string;
  readonly href: string;
}
