import {
  type CellChange,
  type ColumnChanges,
  type DocumentChanges,
  isAdded,
  type KnownValue,
  type RowChanges,
} from "./changes.ts";
import { cellFromHistory } from "./history-cells.ts";
import type { NameHistory } from "./name-tracker.ts";

/** Yields changes as chunks of JSON in the form of the API. */
export function* changesJson(tables: DocumentChanges): Generator<string> {
  yield `{"tableRenames":${JSON.stringify(renames(tables.all))},"tableDeltas":{`;
  let separator = "";
  const touched = [...tables.all].filter(({ isTouched }) => isTouched);
  for (const [name, changes] of byName(touched, (table) => [table.changes, table.former])) {
    yield `${separator}${JSON.stringify(name)}:`;
    yield* tableJson(changes);
    separator = ",";
  }
  yield "}}";
}

function* tableJson(changes: RowChanges): Generator<string> {
  const columns = [...changes.columns.all];
  const columnRenames = renames(columns);
  yield `${rowsJson(changes)},"columnDeltas":{`;
  yield* columnsJson(columns);
  yield `},"columnRenames":${JSON.stringify(columnRenames)}${changes.isTruncated ? ',"mayBeIncomplete":true' : ""}}`;
}

const renames = (entries: Iterable<NameHistory>): [string | null, string | null][] =>
  [...entries]
    .filter(({ before, after, isRenamed }) => before !== after || isRenamed)
    .map(({ before, after }) => [before, after]);

/**
 * Returns changes of tables or columns by name. A removed one is listed under a name that no other can have, and its
 * changes before the removal under its last name, unless that has been reused.
 */
function byName<T extends NameHistory, C>(
  entries: Iterable<T>,
  changesOf: (entry: T) => readonly [changes: C, former: C | null],
): Map<string, C> {
  const named = new Map<string, C>();
  const former = new Map<string, C>();
  for (const entry of entries) {
    const [changes, before] = changesOf(entry);
    named.set(entry.after ?? `-${entry.last}`, changes);
    if (before) former.set(entry.last, before);
  }
  for (const [name, changes] of former) if (!named.has(name)) named.set(name, changes);
  return named;
}

/** The lists of rows; a row that was removed and restored is in two of them. */
function rowsJson({ rows }: RowChanges): string {
  const ids = [...rows].sort(([a], [b]) => a - b);
  const updateRows = ids.filter(([, row]) => row.after && row.isUpdated).map(([id]) => id);
  const removeRows = ids.filter(([, row]) => row.before && (!row.after || row.wasRemoved)).map(([id]) => id);
  const addRows = ids.filter(([, row]) => isAdded(row)).map(([id]) => id);
  return JSON.stringify({ updateRows, removeRows, addRows }).slice(0, -1);
}

function* columnsJson(columns: readonly ColumnChanges[]): Generator<string> {
  let separator = "";
  for (const [name, changes] of byName(columns, ({ cells, former }) => [cells, former])) {
    if (changes.size === 0) continue;
    const listed = [...changes].filter(([, { isIncluded }]) => isIncluded).sort(([a], [b]) => a - b);
    const cells = listed.map(([id, cell]) => `"${id}":${cellJson(cell)}`);
    yield `${separator}${JSON.stringify(name)}:{${cells.join(",")}}`;
    separator = ",";
  }
}

const cellJson = ({ before, after }: CellChange): string => `[${knownJson(before)},${knownJson(after)}]`;

const knownJson = (known: KnownValue): string => (known ? `[${JSON.stringify(cellFromHistory(known[0]))}]` : "null");
