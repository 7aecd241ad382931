import type { FileColumn, FileSummary, FileTable } from "../../exchange/schema-file/model.ts";
import { GROUP_FORMULA } from "../actions/summaries/summary-columns.ts";
import type { Path } from "../../exchange/schema-file/problems.ts";

/** The tables and columns of a schema file, in lists that refer to each other. */

export interface WantedColumn {
  readonly key: string;
  readonly path: Path;
  readonly table: WantedTable;
  readonly file: FileColumn;
}

export interface WantedTable {
  readonly key: string;
  readonly path: Path;
  /** Empty for summaries, whose ids are derived. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly onDemand: boolean;
  /** In the order of display, by key. */
  readonly columns: ReadonlyMap<string, WantedColumn>;
  /** Null for tables that are no summaries. */
  readonly summaryOf: { readonly source: WantedTable; readonly groupBy: readonly string[] } | null;
}

/** Returns the tables of a file by key, each followed by its summaries. */
export function wantedTables(tables: Readonly<Record<string, FileTable>>): WantedTable[] {
  return Object.entries(tables).flatMap(([key, file]) => {
    const path = ["tables", key];
    const { id, onDemand = false, summaries = {} } = file;
    const table = wantedTable(file, { key, path, id, onDemand, summaryOf: null });
    return [
      table,
      ...Object.entries(summaries).map(([summaryKey, summary]) =>
        wantedTable(summary, {
          key: summaryKey,
          path: [...path, "summaries", summaryKey],
          id: "",
          onDemand: false,
          summaryOf: { source: table, groupBy: summary.groupBy },
        }),
      ),
    ];
  });
}

function wantedTable(
  { title = "", description = "", columns }: FileTable | FileSummary,
  rest: Pick<WantedTable, "key" | "path" | "id" | "onDemand" | "summaryOf">,
): WantedTable {
  const byKey = new Map<string, WantedColumn>();
  const table = { ...rest, title, description, columns: byKey };
  for (const [key, file] of Object.entries(columns)) {
    byKey.set(key, { key, path: [...rest.path, "columns", key], table, file });
  }
  return table;
}

/** Returns the column of a summary for the rows of a group, which files contain only if it has an unusual id. */
export const groupColumnOf = ({ columns }: WantedTable): WantedColumn | undefined =>
  [...columns.values()].find(({ file }) => file.formula === GROUP_FORMULA);

/** Returns the key of the table that a column refers to; undefined for other types and for internal tables. */
export function targetKey(type: string): string | undefined {
  const [, target] = /^(?:Ref|RefList):(.+)$/.exec(type) ?? [];
  return target === undefined || target.startsWith("_grist_") ? undefined : target;
}

/** Returns true if a table of the file has a column with this key, which may be one that a summary groups by. */
export const hasColumnKey = (table: WantedTable | undefined, key: string): boolean =>
  table !== undefined && (table.columns.has(key) || (table.summaryOf?.groupBy.includes(key) ?? false));
