import { AppError } from "../../../errors.ts";
import type { DocumentGrant } from "../../../authorization.ts";
import { listColumns } from "../../../services/documents/content.ts";
import type { Context } from "../../../services/context.ts";
import { parseRendered } from "../../base/parse-rendered.ts";

/** A column in its current form. */
export interface CurrentColumn {
  readonly label: string;
  readonly type: string;
}

/** The current columns of tables, by table id, in order. */
export type CurrentColumns = ReadonlyMap<string, ReadonlyMap<string, CurrentColumn>>;

interface Listing {
  readonly id: string;
  readonly fields: CurrentColumn;
}

/** Reads the columns of tables; deleted and renamed tables have none. */
export async function readCurrentColumns(
  ctx: Context,
  grant: DocumentGrant,
  tables: Iterable<string>,
): Promise<CurrentColumns> {
  const columnsByTable = new Map<string, ReadonlyMap<string, CurrentColumn>>();
  for (const table of new Set(tables)) {
    try {
      const answer = await listColumns(ctx, grant, { table, hidden: false });
      const { columns } = await parseRendered<{ columns: Listing[] }>(ctx, grant, answer);
      const labelCounts = Map.groupBy(columns, ({ fields }) => fields.label);
      // Ids distinguish columns with equal labels.
      const named = columns.map(({ id, fields: { label, type } }) => {
        const isAmbiguous = (labelCounts.get(label)?.length ?? 0) > 1 && id !== label;
        return [id, { label: isAmbiguous ? `${label} (${id})` : label, type }] as const;
      });
      columnsByTable.set(table, new Map(named));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return columnsByTable;
}

/** Returns the current label of a column; its id when it no longer exists. */
export const columnLabel = (columns: CurrentColumns, table: string, id: string): string =>
  columns.get(table)?.get(id)?.label || id;
