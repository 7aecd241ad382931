import { cellFromHistory } from "./history-cells.ts";
import type { CellChange, ColumnChanges, DocumentChanges, Known, TableChanges } from "./changes.ts";
import type { Named } from "./names.ts";

/** Changes as the API tells them, as pieces of JSON. */
export function* changesJson(changes: DocumentChanges): Generator<string> {
  yield `{"tableRenames":${JSON.stringify(renames(changes.all))},"tableDeltas":{`;
  let separator = "";
  for (const table of changes.all) {
    const columns = [...table.columns.all];
    const columnRenames = renames(columns);
    const deltas = columns.filter(({ cells }) => cells.size > 0);
    if (table.rows.size === 0 && columnRenames.length === 0 && deltas.length === 0) continue;
    yield `${separator}${JSON.stringify(shownName(table))}:${rowsJson(table)},"columnDeltas":{`;
    yield* columnsJson(deltas);
    yield `},"columnRenames":${JSON.stringify(columnRenames)}${table.isCut ? ',"mayBeIncomplete":true' : ""}}`;
    separator = ",";
  }
  yield "}}";
}

const renames = (things: Iterable<Named>): [string | null, string | null][] =>
  [...things].filter(({ before, after }) => before !== after).map(({ before, after }) => [before, after]);

/** What is there no more has a name that nothing else can have. */
const shownName = ({ before, after }: Named): string => after ?? `-${before}`;

/** The lists of rows; one that was removed and came back stands in two of them. */
function rowsJson({ rows }: TableChanges): string {
  const ids = [...rows].sort(([a], [b]) => a - b);
  const updateRows = ids.filter(([, row]) => row.after && row.isUpdated).map(([id]) => id);
  const removeRows = ids.filter(([, row]) => row.before && (!row.after || row.wasGone)).map(([id]) => id);
  const addRows = ids.filter(([, row]) => row.after && (!row.before || row.wasGone)).map(([id]) => id);
  return JSON.stringify({ updateRows, removeRows, addRows }).slice(0, -1);
}

function* columnsJson(columns: readonly ColumnChanges[]): Generator<string> {
  let separator = "";
  for (const column of columns) {
    const shown = [...column.cells].filter(([, { isShown }]) => isShown).sort(([a], [b]) => a - b);
    const cells = shown.map(([id, cell]) => `"${id}":${cellJson(cell)}`);
    yield `${separator}${JSON.stringify(shownName(column))}:{${cells.join(",")}}`;
    separator = ",";
  }
}

const cellJson = ({ before, after }: CellChange): string => `[${knownJson(before)},${knownJson(after)}]`;

const knownJson = (known: Known): string => (known ? `[${JSON.stringify(cellFromHistory(known[0]))}]` : "null");
