import { apiWithRetry } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import { type ColumnListing, isHelperColumn } from "../../../../base/table-data.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import { FUNCTIONS } from "../columns/functions.ts";
import type { FormulaContext } from "./formula-context.ts";
import type { FormulaSchema, SchemaTable } from "./formula-schema.ts";

interface ListedTable {
  readonly id: string;
  readonly columns: readonly ColumnListing[];
}

/** Returns the tables and columns that the user can read; null when they cannot be loaded. */
export async function readFormulaSchema({
  sheet,
  columnId,
}: Pick<FormulaContext, "sheet" | "columnId">): Promise<FormulaSchema | null> {
  const { docId, table, data } = sheet;
  try {
    const { tables } = await apiWithRetry<{ tables: readonly ListedTable[] }>(`/api/docs/${docId}/tables`, {
      query: { expand: "column" },
    });
    const known = tables.map(({ id, columns }): [string, SchemaTable] => {
      const shown = columns.filter((column) => !isHelperColumn(column.id) && !(id === table && column.id === columnId));
      return [id, { id, title: titleOf(t, id, data.tables), columns: shown.map(schemaColumn) }];
    });
    return { table, tables: new Map(known), functions: FUNCTIONS };
  } catch {
    return null;
  }
}

const schemaColumn = ({ id, fields: { label, type } }: ColumnListing) => ({ id, label, type });
