import { METADATA_TABLES } from "../../../src/doc/metadata-tables.ts";
import type { DocumentChanges, TableChanges } from "../../../src/doc/history/changes.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import { columnType } from "../../../src/values/column-type.ts";
import type { Scratch } from "../actions/scratch.ts";

/** Cells as JSON, by table, column and row, including tables and columns without rows. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<number, string>>>;

/** Returns the present contents of a document. */
export function snapshot(scratch: Scratch): Snapshot {
  const { db, schema } = scratch.document;
  const known = METADATA_TABLES.filter(({ id }) => schema.stored.has(id.toLowerCase()));
  return new Map(
    [...schema.tables, ...known].map((table) => {
      const columns = table.columns.map(({ id, type }) => {
        const kind = columnType(type);
        const rows = db.values(`select id, ${quote(id)} from ${quote(table.id)} order by id`);
        const cells = rows.map(([row, cell]) => [Number(row), JSON.stringify(kind.decodeRaw(cell ?? null))] as const);
        return [id, new Map(cells)] as const;
      });
      return [table.id, new Map(columns)] as const;
    }),
  );
}

/**
 * Returns the differences between reported changes and those between two snapshots, each as a sentence. Tables and
 * columns removed within a range of more than one state are described as of their removal, which neither snapshot
 * shows.
 */
export function wrongIn(changes: DocumentChanges, before: Snapshot, after: Snapshot, isOneState: boolean): string[] {
  const reported = [...changes.all];
  const wrong: string[] = [];
  const say = (text: string) => wrong.push(text);
  for (const id of before.keys()) {
    if (!after.has(id) && !reported.some((table) => table.before === id)) say(`nothing tells that ${id} is gone`);
  }
  for (const table of reported) {
    const was = table.before === null ? undefined : before.get(table.before);
    const is = table.after === null ? undefined : after.get(table.after);
    if (table.before !== null && !was) say(`there was no ${table.before}`);
    if (table.after !== null && !is) say(`there is no ${table.after}`);
    if (isOneState || table.after !== null) {
      wrong.push(...wrongInTable(table, was ?? new Map(), is ?? new Map(), isOneState));
    }
  }
  for (const [id, columns] of after) {
    if (reported.some((table) => table.after === id)) continue;
    if (JSON.stringify(asObject(columns)) !== JSON.stringify(asObject(before.get(id)))) say(`${id} changed`);
  }
  return wrong;
}

type Columns = ReadonlyMap<string, ReadonlyMap<number, string>>;
const NO_CELLS: ReadonlyMap<number, string> = new Map();

function wrongInTable(table: TableChanges, was: Columns, is: Columns, isOneState: boolean): string[] {
  const { changes } = table;
  const wrong: string[] = [];
  const name = table.after ?? `-${table.before}`;
  const idsOf = (columns: Columns) => new Set([...columns.values()].flatMap((cells) => [...cells.keys()]));
  const [before, after] = [idsOf(was), idsOf(is)];
  for (const id of new Set([...before, ...after])) {
    const row = changes.rows.get(id);
    const [b, a] = row ? [row.before, row.after] : [true, true];
    // A table without columns shows no rows.
    if ((before.has(id) !== b && was.size > 0) || (after.has(id) !== a && is.size > 0)) wrong.push(`${name} row ${id}`);
  }
  const columns = [...changes.columns.all];
  const untold = [...is.keys()].filter((id) => !columns.some((column) => column.after === id));
  const reported = columns.filter((column) => isOneState || column.after !== null);
  for (const column of [...reported, ...untold.map((id) => ({ before: id, after: id, cells: new Map() }))]) {
    const wasCells = (column.before !== null && was.get(column.before)) || NO_CELLS;
    const isCells = (column.after !== null && is.get(column.after)) || NO_CELLS;
    for (const id of new Set([...wasCells.keys(), ...isCells.keys(), ...column.cells.keys()])) {
      const cell = column.cells.get(id);
      const [b, a] = [wasCells.get(id), isCells.get(id)];
      const isSame = cell
        ? (!cell.before || column.before === null || JSON.stringify(cell.before[0]) === b) &&
          (!cell.after || JSON.stringify(cell.after[0]) === a)
        : a === b;
      // Cells of tables added or removed as a whole may be omitted.
      const isWhole = a === undefined || b === undefined || changes.rows.get(id)?.wasRemoved === true;
      const hasBoth = cell ? isWhole || (cell.before !== null && cell.after !== null) : isSame || isWhole;
      if ((cell && !isSame) || !hasBoth)
        wrong.push(
          `${name}.${column.after ?? `-${column.before}`} ${id}: ${b} → ${a}, reported ${JSON.stringify(cell)}`,
        );
    }
  }
  return wrong;
}

const asObject = (columns: Columns | undefined): object =>
  Object.fromEntries([...(columns ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, cells]) => [id, [...cells]]));
