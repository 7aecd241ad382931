/** Data embedded in a page with sections for its script. */
import type { DataPage, RecordsPage, TableContent } from "../table-data.ts";
import type { BoxLayout } from "./box-layout.ts";
import type { SectionParameters } from "./section-address.ts";
import type { SectionData } from "./section-data.ts";

export interface ViewPageData extends DataPage {
  /** Row id in `_grist_Views`. */
  readonly view: number;
  readonly name: string;
  /** Of the sections that the reader sees. */
  readonly layout: BoxLayout;
  /** As stored. */
  readonly layoutSpec: string;
  readonly sections: readonly SectionData[];
  /** By table id. */
  readonly contents: Readonly<Record<string, TableContent>>;
  /** The first rows, by section; those of other sections are read by the script. */
  readonly first: Readonly<Record<number, RecordsPage>>;
  /** The reader's own views, by section. */
  readonly personal: Readonly<Record<number, SectionParameters>>;
  /** Whether the reader can have views of their own. */
  readonly canSaveForMe: boolean;
  /** Whether the reader may change the page. */
  readonly canChangePage: boolean;
}
