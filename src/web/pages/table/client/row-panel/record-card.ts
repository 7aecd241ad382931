/** The record card of a table: it says which fields the panel of a row shows, and in which order. */
import { apiWithRetry } from "../../../../base/client/api.ts";
import type { ColumnListing, RecordsPage } from "../../../../base/table-data.ts";
import { leavesOf } from "../../../../base/views/box-layout.ts";
import { parseCardLayout } from "../../../../base/views/card-layout.ts";
import { columnsInSection } from "../../../../base/views/field-settings.ts";
import { jsonObject } from "../../../../base/views/metadata-values.ts";
import { readSections, type SectionData } from "../../../../base/views/section-data.ts";
import { type Column, readColumns } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";

export interface PanelColumns {
  readonly shown: readonly Column[];
  /** Columns that the record card hides. */
  readonly hidden: readonly Column[];
}

/** Returns null for tables without a record card, where it is disabled, and where access rules hide it. */
export async function readRecordCard({ docId, table, data }: Sheet): Promise<SectionData | null> {
  const tableRef = data.tables.find(({ id }) => id === table)?.ref ?? 0;
  const read = async (name: string, filter: Readonly<Record<string, readonly unknown[]>>) => {
    const query = { filter: JSON.stringify(filter) };
    return (await apiWithRetry<RecordsPage>(`/api/docs/${docId}/tables/${name}/records`, { query })).records;
  };
  try {
    const sections = await read("_grist_Views_section", {
      tableRef: [tableRef],
      parentId: [0],
      parentKey: ["single"],
    });
    const [record] = sections;
    if (!record || jsonObject(record.fields["options"])["disabled"] === true) return null;
    const fields = await read("_grist_Views_section_field", { parentId: [record.id] });
    return readSections({ sections: [record], fields, filters: [] }, new Map([[tableRef, table]]))[0] ?? null;
  } catch {
    return null;
  }
}

/** The fields of the panel, read again only when columns have changed. */
export class PanelFields {
  readonly #sheet: Sheet;
  readonly #card: SectionData | null;
  #listings: readonly ColumnListing[] | undefined;
  #columns: PanelColumns = { shown: [], hidden: [] };

  constructor(sheet: Sheet, card: SectionData | null) {
    this.#sheet = sheet;
    this.#card = card && isArranged(card, sheet) ? card : null;
  }

  /** Without an arranged record card, all columns in the order of the view. */
  get columns(): PanelColumns {
    const { data, columns } = this.#sheet;
    if (!this.#card) return { shown: columns, hidden: [] };
    if (data.columns !== this.#listings) {
      this.#listings = data.columns;
      this.#columns = columnsOfCard(this.#card, this.#sheet);
    }
    return this.#columns;
  }
}

/** The record card of a new table has all columns in their order, and follows them. */
function isArranged({ layoutSpec, fields }: SectionData, { data }: Sheet): boolean {
  const all = readColumns(data);
  const isComplete = all.length === fields.length && all.every(({ ref }, at) => fields[at]?.colRef === ref);
  return layoutSpec !== "" || !isComplete || fields.some(({ widgetOptions }) => widgetOptions !== "");
}

function columnsOfCard(card: SectionData, { data }: Sheet): PanelColumns {
  const all = readColumns({ ...data, columns: columnsInSection(data.columns, card) });
  const columnOf = new Map(card.fields.map(({ ref, colRef }) => [ref, all.find((column) => column.ref === colRef)]));
  const shown = leavesOf(parseCardLayout(card.layoutSpec, card.fields).root).flatMap(
    (leaf) => columnOf.get(leaf) ?? [],
  );
  return { shown, hidden: all.filter((column) => !shown.includes(column)) };
}
