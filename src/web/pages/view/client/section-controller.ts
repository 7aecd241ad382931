/** What the page needs of each of its sections, whatever their kind. */
import type { SectionData } from "../../../base/views/section-data.ts";
import type { SectionLink } from "../../../base/views/section-link.ts";
import type { RecordJson, TablePageData } from "../../../base/table-data.ts";

/** The table of a section as the page has it: its columns have the settings of the section. */
export type SectionTable = TablePageData & { readonly table: string };

export interface SectionController {
  /**
   * The selected row: null on the row for new ones and in a section without rows, undefined while it is being loaded.
   */
  readonly activeRow: RecordJson | null | undefined;
  /** Returns the text by which people know a row. */
  nameOf(row: RecordJson): string;
  /** Subscribes to changes of the selected row, of its cells too. */
  onChange(listener: () => void): void;
  setLink(link: SectionLink): void;
  /** Its metadata or its columns have changed. */
  update(section: SectionData, table: SectionTable): void;
  /** Rows changed in this window, or the changes of this window failed. */
  refresh(): void;
  /** Rows changed elsewhere. */
  refreshFromRemote(): Promise<void>;
  /** Reads again, when the connection is back, what could not be read. */
  retryFailedLoad(): void;
  /** Keys and commands of the page are for it from now on. */
  activated(): void;
  /** A panel covers the right edge, by this width in pixels. */
  coverRight(width: number): void;
  /** Focuses its active cell or card. */
  focus(): void;
  showError(error: unknown, retry?: () => void): void;
  /** Replaces temporary ids of added rows, which changes may contain; undefined for other ids. */
  storedId(id: number): number | undefined;
}
