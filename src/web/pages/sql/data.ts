import type { DocumentSettings } from "../../base/table-data.ts";

/** Data embedded in the SQL page for its script. */
export interface SqlPageData {
  readonly docId: string;
  readonly name: string;
  /** Whether the user may save queries. */
  readonly canSave: boolean;
  /** How values are shown. */
  readonly settings: DocumentSettings;
  /** The limits of a query. */
  readonly timeoutMs: number;
}
