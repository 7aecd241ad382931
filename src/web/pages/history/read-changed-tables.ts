import type { DocumentGrant } from "../../../authorization.ts";
import type { Context } from "../../../services/context.ts";
import type { Changes } from "../../../wire/documents/history.ts";
import { type ChangedRowsOptions, type ChangedTable, summarizeTable } from "./changed-rows.ts";
import { withCurrentRows } from "./current-rows.ts";
import type { RowRange } from "./row-pages.tsx";
import { isMetadata } from "./summaries.ts";

interface ReadOptions extends Pick<ChangedRowsOptions, "t" | "settings" | "current" | "before" | "after"> {
  readonly tableDeltas: Changes["tableDeltas"];
  readonly range: RowRange;
}

/** Returns the user tables of changes that have rows to show: all, or the one of a page of rows. */
export async function readChangedTables(
  ctx: Context,
  grant: DocumentGrant,
  { tableDeltas, range, ...options }: ReadOptions,
): Promise<ChangedTable[]> {
  const own = Object.entries(tableDeltas).filter(([name]) => {
    const id = name.replace(/^-/, "");
    return !isMetadata(id) && (range.table === null || range.table === id);
  });
  const past = [options.after, options.before];
  const tables = await withCurrentRows({ ctx, grant }, { ...options, past }, (rows) =>
    own.map(([name, delta]) => summarizeTable(name, delta, { ...options, ...rows, ...range })),
  );
  return tables.filter((table) => table.rows.length > 0);
}
