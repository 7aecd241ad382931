import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { cellFor, cellsFor, rowFor, shown, type Source, VALUES } from "./random-values.ts";

/** Generates one kind of action; undefined when the document has nothing to apply it to. */
export type Maker = (source: Source) => UserAction | undefined;

/** Actions on rows, with their weights. */
export const RECORD_ACTIONS: readonly (readonly [weight: number, make: Maker])[] = [
  [14, (source) => inTable(source, (table) => bulkAdd(source, table.id, cellsFor(source, table, 3)))],
  [3, (source) => inTable(source, (table) => ["AddRecord", table.id, newId(source), rowFor(source, table)])],
  [14, (source) => inTable(source, (table) => ["UpdateRecord", table.id, source.id(table.id), rowFor(source, table)])],
  [4, bulkUpdate],
  [4, (source) => inTable(source, (table) => ["RemoveRecord", table.id, source.id(table.id)])],
  [
    4,
    (source) => inTable(source, (table) => ["BulkRemoveRecord", table.id, source.random.some(source.ids(table.id), 2)]),
  ],
  [3, replaceRows],
  [4, addOrUpdate],
  [2, bulkAddOrUpdate],
];

type Table = Source["tables"][number];

function inTable(source: Source, make: (table: Table) => UserAction): UserAction | undefined {
  const table = source.table();
  return table && make(table);
}

const newId = ({ random }: Source): number | null => (random.oneIn(2) ? null : 1 + random.below(60));

function bulkAdd(source: Source, table: string, values: Record<string, unknown[]>): UserAction {
  return ["BulkAddRecord", table, [null, newId(source), null], values];
}

function bulkUpdate(source: Source): UserAction | undefined {
  return inTable(source, (table) => {
    const ids = source.random.some(source.ids(table.id), 2);
    return ["BulkUpdateRecord", table.id, ids, cellsFor(source, table, ids.length)];
  });
}

function replaceRows(source: Source): UserAction | undefined {
  return inTable(source, (table) => {
    const { random } = source;
    const ids = random.pick([[null, null, null], [1, 2, 3], [], [50 + random.below(50), null]]);
    return ["ReplaceTableData", table.id, ids, cellsFor(source, table, ids.length)];
  });
}

function addOrUpdate(source: Source): UserAction | undefined {
  const { random } = source;
  const found = source.column();
  if (!found) return undefined;
  const options = random.pick([
    {},
    { on_many: random.pick(["first", "none", "all"]) },
    { add: false },
    { update: false },
    { allow_empty_require: true },
  ]);
  const { table, column } = found;
  const required = random.oneIn(20) ? {} : { [column.id]: cellFor(random, column) };
  return ["AddOrUpdateRecord", table.id, required, rowFor(source, table), options];
}

function bulkAddOrUpdate(source: Source): UserAction | undefined {
  const { random } = source;
  return inTable(source, (table) => {
    const columns = random.some(shown(table), 3);
    const required = Object.fromEntries(columns.map(({ id }) => [id, [random.pick(VALUES), random.pick(VALUES)]]));
    const options = random.pick([{}, {}, { on_many: "all" }, { add: false }]);
    return ["BulkAddOrUpdateRecord", table.id, required, cellsFor(source, table, 2), options];
  });
}
