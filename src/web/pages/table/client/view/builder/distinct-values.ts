/** The values of a column that a filter can choose from. */
import type { CellValue } from "../../../../../../values/cell.ts";
import { api } from "../../../../../base/client/api.ts";
import type { RecordsPage } from "../../../../../base/table-data.ts";
import { cellValue } from "../../columns/columns.ts";
import type { Sheet } from "../../sheet.ts";
import type { FilterField } from "../filter-fields.ts";

export interface DistinctValue {
  readonly value: CellValue;
  /** Number of rows with the value; null if it is unknown. */
  readonly rows: number | null;
}

export interface DistinctValues {
  readonly values: readonly DistinctValue[];
  /** Whether these are the values of the loaded rows only. */
  readonly areLoaded: boolean;
}

/** Number of values offered. */
export const MAX_OFFERED = 300;

/** @param needle text that rows of references have to contain */
export async function findDistinctValues(sheet: Sheet, field: FilterField, needle = ""): Promise<DistinctValues> {
  const { column, kind } = field;
  const listed = column.choices.map((value) => ({ value, rows: null }));
  if (kind === "checkbox") return { values: [true, false].map((value) => ({ value, rows: null })), areLoaded: false };
  if (kind === "choices") return { values: listed, areLoaded: false };
  if (kind === "references" || (kind === "reference" && needle !== ""))
    return { values: await findTargets(sheet, field, needle), areLoaded: false };
  try {
    const values = await queryDistinctValues(sheet, field);
    const found = new Set(values.map(({ value }) => value));
    return { values: [...values, ...listed.filter(({ value }) => !found.has(value))], areLoaded: false };
  } catch {
    // Access rules may deny SQL.
    return { values: [...loadedValues(sheet, field), ...listed], areLoaded: true };
  }
}

interface SqlAnswer {
  readonly records: readonly { readonly fields: Readonly<Record<string, unknown>> }[];
}

async function queryDistinctValues(sheet: Sheet, { column, table }: FilterField): Promise<DistinctValue[]> {
  const name = (id: string): string => `"${id.replaceAll('"', '""')}"`;
  const sql = `select ${name(column.id)} as value, count(*) as amount from ${name(table)} group by 1 order by 2 desc, 1 limit ${MAX_OFFERED}`;
  const { records } = await api<SqlAnswer>(`/api/docs/${sheet.docId}/sql`, { method: "POST", body: { sql } });
  return records.flatMap(({ fields }) => {
    const value = fields["value"];
    if (value !== null && typeof value === "object") return [];
    // Of another table, this would be the number of its rows.
    return [{ value: value as CellValue, rows: table === sheet.table ? Number(fields["amount"]) : null }];
  });
}

function loadedValues(sheet: Sheet, { column, table }: FilterField): DistinctValue[] {
  if (table !== sheet.table) return [];
  const found = new Map<string, CellValue>();
  for (const row of sheet.rowPages.loaded()) {
    const value = cellValue(row, column.id);
    if (!Array.isArray(value)) found.set(JSON.stringify(value), value);
  }
  return [...found.values()].map((value) => ({ value, rows: null })).slice(0, MAX_OFFERED);
}

/** The rows that references can point to, by their texts. */
async function findTargets(sheet: Sheet, field: FilterField, needle: string): Promise<DistinctValue[]> {
  const { column } = field;
  const target = column.type.target ?? "";
  const columns = await sheet.fields.loadColumns(target);
  const shown = columns.find(({ ref }) => ref === column.visibleRef);
  const isText = shown !== undefined && ["Text", "Choice", "Any"].includes(shown.type.base);
  const { records } = await api<RecordsPage>(`/api/docs/${sheet.docId}/tables/${encodeURIComponent(target)}/records`, {
    query: {
      limit: MAX_OFFERED,
      hidden: true,
      sort: shown?.id ?? "id",
      filter: needle !== "" && isText ? JSON.stringify({ [shown.id]: { contains: needle } }) : undefined,
    },
  });
  return records.map((row) => {
    sheet.labels.add(field, row.id, shown ? shown.text(row) : String(row.id));
    return { value: row.id, rows: null };
  });
}
