import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { Context } from "../../../services/context.ts";
import { fetchRecords } from "../../../services/documents/content.ts";
import { parseRendered } from "../../base/parse-rendered.ts";
import type { RecordJson, RecordsPage } from "../../base/table-data.ts";
import { type CellFormats, formatCell } from "./cell-display.ts";
import { firstColumn, type PastColumn, type PastSchema } from "./past-schema.ts";

/**
 * The texts of rows and the names of files as they are now, for the cells of a history that refer to them. They are
 * read like a table, under the access rules for the reader.
 */

const ATTACHMENTS = "_grist_Attachments";

type Names = Pick<CellFormats, "rowText" | "fileName">;

interface CurrentRowsOptions extends Pick<CellFormats, "t" | "settings"> {
  /** The current schema. */
  readonly current: PastSchema;
  /** The schemas that the ids of tables are looked up in. */
  readonly past: readonly PastSchema[];
}

/**
 * Returns what `render` returns with the names that it asks for. It is called twice: the first time without names, to
 * find out which are needed, so that they can be read at once.
 */
export async function withCurrentRows<T>(
  { ctx, grant }: { ctx: Context; grant: DocumentGrant },
  options: CurrentRowsOptions,
  render: (names: Names) => T,
): Promise<T> {
  const needed = new Map<string, Set<number>>();
  const note = (table: string, row: number): undefined => {
    needed.set(table, (needed.get(table) ?? new Set()).add(row));
  };
  const tableNow = (id: string) => currentTable(options, id);
  render({
    rowText: (table, _, row) => {
      const now = tableNow(table);
      return now && note(now.id, row);
    },
    fileName: (id) => note(ATTACHMENTS, id),
  });
  const read = await Promise.all(
    [...needed].map(async ([table, rows]) => [table, await readRows(ctx, grant, table, [...rows])] as const),
  );
  const records = new Map(read);
  return render({
    rowText(table, visibleRef, row) {
      const now = tableNow(table);
      const record = now && records.get(now.id)?.get(row);
      const column = now && (options.current.columnByRef(visibleRef) ?? firstColumn(now));
      return record && column && recordText(record, column, options);
    },
    fileName(id) {
      const name = records.get(ATTACHMENTS)?.get(id)?.fields["fileName"];
      return typeof name === "string" ? name : undefined;
    },
  });
}

function currentTable({ current, past }: CurrentRowsOptions, id: string) {
  const then = past.map((schema) => schema.table(id)).find((table) => table !== undefined);
  return then && current.tableByRef(then.ref);
}

function recordText(record: RecordJson, column: PastColumn, { t, settings, current }: CurrentRowsOptions): string {
  const valueOf = ({ id }: PastColumn): unknown => {
    const error = record.errors?.[id];
    return error === undefined ? record.fields[id] : ["E", error];
  };
  const display = current.columnByRef(column.displayRef);
  // References to further rows are followed only as far as the display column does.
  const formats = { t, settings, schema: current, rowText: () => undefined, fileName: () => undefined };
  return formatCell(formats, column, { value: valueOf(column), ...(display && { shown: valueOf(display) }) });
}

/** Returns nothing of tables that the reader cannot read. */
async function readRows(
  ctx: Context,
  grant: DocumentGrant,
  table: string,
  id: readonly number[],
): Promise<ReadonlyMap<number, RecordJson>> {
  try {
    const args = { table, hidden: true, typed: false, filter: JSON.stringify({ id }) };
    const { records } = await parseRendered<RecordsPage>(ctx, grant, await fetchRecords(ctx, grant, args));
    return new Map(records.map((record) => [record.id, record]));
  } catch (error) {
    if (error instanceof AppError) return new Map();
    throw error;
  }
}
