/** What a link between sections makes of the section that it leads to. */
import type { RecordJson } from "../table-data.ts";
import type { ViewFilter } from "../view-state.ts";

export interface SectionLink {
  /** Selects rows, in addition to the section's own filter; null for links that only move the cursor. */
  readonly filter: ViewFilter | null;
  /** Cells of new rows. */
  readonly values: RecordJson["fields"];
  /** The row that becomes the active one; null for none. */
  readonly row: number | null;
  /** Shown in place of rows while no row of the source is selected; null otherwise. */
  readonly missing: string | null;
}

export const NO_LINK: SectionLink = { filter: null, values: {}, row: null, missing: null };
