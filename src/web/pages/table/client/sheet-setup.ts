import type { TablePageData } from "../../../base/table-data.ts";
import type { SheetParts } from "./sheet-parts.ts";
import type { ViewStore } from "./view/view-store.ts";

export interface SheetSetup {
  readonly parts: SheetParts;
  readonly data: TablePageData & { table: string };
  readonly store: ViewStore;
  /** Whether keys of the page, such as those of the search, are for this sheet. */
  readonly isActive?: () => boolean;
  /** Reads the columns again, after they have changed. */
  readonly readContent?: () => Promise<ReadContent>;
}

/** What is read again when columns have changed. */
export type ReadContent = Pick<TablePageData, "columns" | "listed" | "shown" | "section">;
