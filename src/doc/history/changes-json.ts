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

/** Changes as the API tells them, as pieces of JSON. */
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
 * The changes of tables or columns by name. What exists no more is shown under a name that nothing else can have, and
 * what happened to it before it was removed under its last name, unless something else has that now.
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

/** The lists of rows; one that was removed and came back stands in two of them. */
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
