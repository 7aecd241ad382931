/** The row whose panel is open, in the address of its page: `row=12` for that of a table, `row.7=12` for section 7 of a page. */

/** Of a table. */
export const ROW_PARAMETER = "row";

/** The table of the row, in copied links: it shows the row to readers for whom the page or the section is not there. */
const TABLE_PARAMETER = "table";

const SECTION_ROW = /^row\.(\d{1,9})$/;

export const sectionRowParameter = (section: number): string => `${ROW_PARAMETER}.${section}`;

export function positiveId(text: string | null): number | null {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Returns `query` with another row, or none. A page shows one row at a time. */
export function withRow(
  query: URLSearchParams,
  { parameter, id, table }: { parameter: string; id: number | null; table?: string | undefined },
): URLSearchParams {
  const result = new URLSearchParams(query);
  for (const name of query.keys()) if (name === ROW_PARAMETER || SECTION_ROW.test(name)) result.delete(name);
  result.delete(TABLE_PARAMETER);
  if (id !== null) result.set(parameter, String(id));
  if (id !== null && table !== undefined) result.set(TABLE_PARAMETER, table);
  return result;
}

/** A row of a section. */
export interface LinkedSectionRow {
  readonly section: number;
  readonly row: number;
  readonly table: string;
}

/** Returns the row that a copied link is about; null for other addresses. */
export function linkedSectionRow(query: URLSearchParams): LinkedSectionRow | null {
  const table = query.get(TABLE_PARAMETER) ?? "";
  for (const [name, text] of query) {
    const section = positiveId(SECTION_ROW.exec(name)?.[1] ?? null);
    const row = positiveId(text);
    if (section !== null && row !== null && table !== "") return { section, row, table };
  }
  return null;
}
