/** The names of tables in sentences and lists: the same code on the server and in pages. */
import type { PlainTexts } from "../texts/texts.ts";
import type { NamedTable } from "./table-data.ts";

/** Returns the title of a table by its id; the id of a table that the caller cannot read. */
export function titleOf(t: PlainTexts, id: string, tables: readonly NamedTable[]): string {
  const table = tables.find((each) => each.id === id);
  return table ? tableTitle(t, table, tables) : id;
}

/** Returns the name of a table where its source is not shown beside it: "Orders by Status". */
export function tableTitle(t: PlainTexts, table: NamedTable, tables: readonly NamedTable[]): string {
  const source = tables.find(({ ref }) => ref === table.sourceRef);
  if (table.sourceRef === 0 || !source) return table.title;
  if (table.groupedBy.length === 0) return t("base.document.totalsOf", { table: source.title });
  const columns = table.groupedBy.join(t("base.document.groupedBy.separator"));
  return t("base.document.summaryOf", { table: source.title, columns });
}
