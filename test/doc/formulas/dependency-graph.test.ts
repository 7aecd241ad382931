import { afterEach, beforeEach, expect, test } from "bun:test";
import { Catalog } from "../../../src/doc/actions/catalog.ts";
import { DependencyGraph } from "../../../src/doc/formulas/dependency-graph.ts";
import { CompiledFormulas, type ColumnNode } from "../../../src/doc/formulas/nodes.ts";
import type { PathContext } from "../../../src/doc/formulas/paths.ts";
import type { RowSelection } from "../../../src/doc/formulas/pending-rows.ts";
import { Scratch } from "../actions/scratch.ts";

let scratch: Scratch;
let graph: DependencyGraph;

beforeEach(() => {
  scratch = new Scratch();
  scratch.do("AddTable", "People", [{ id: "Name" }, { id: "Age", type: "Int" }]);
  scratch.do("AddTable", "Items", [
    { id: "Key" },
    { id: "N", type: "Int" },
    { id: "Owner", type: "Ref:People" },
    { id: "Twice", formula: "$N * 2" },
    { id: "Four", formula: "$Twice * 2" },
    { id: "Who", formula: "$Owner.Name" },
    { id: "Same", formula: "len(Items.lookupRecords(Key=$Key))" },
  ]);
  graph = createGraph();
});
afterEach(() => scratch[Symbol.dispose]());

/** The graph alone: paths that reach rows are followed by maps that never find any. */
function createGraph(): DependencyGraph {
  const { schema } = scratch.document;
  const compiled = new CompiledFormulas((name) => schema.tableById.has(name));
  const fail = (): never => {
    throw new Error("nothing is evaluated");
  };
  const context: PathContext = {
    table: (id) => graph.table(id),
    pathOf: (column) => graph.pathOf(column),
    map: (table, columns) => graph.lookups.find(table, columns),
    reverseMap: (column, target) => graph.lookups.find(column.table, [{ node: column, by: "reference", target }]),
    registerOrder: fail,
    refresh: fail,
    value: fail,
    load: fail,
    summaryKey: fail,
    onLookup: null,
    currentRow: 0,
    currentGeneration: 0,
  };
  graph = new DependencyGraph(new Catalog(schema), { schema, compiled, timezone: "UTC" }, context);
  graph.link();
  return graph;
}

function node(table: string, id: string): ColumnNode {
  const found = graph.tables.get(table)?.columns.get(id);
  if (!found) throw new Error(`${table}.${id} is missing`);
  return found;
}

function affectedBy(column: ColumnNode, rows: RowSelection): Record<string, RowSelection> {
  const found: Record<string, RowSelection> = {};
  graph.visitReaders(column, rows, {
    affected: (reader, affected) => (found[reader.id] = affected),
    triggered: () => undefined,
  });
  return found;
}

test("a formula depends on the cells of its own row that its text names", () => {
  expect(affectedBy(node("Items", "N"), [3, 5])).toEqual({ Twice: [3, 5] });
  expect(affectedBy(node("Items", "Twice"), "all")).toEqual({ Four: "all" });
});

test("a formula depends on the rows that its references reach", () => {
  const map = graph.lookups.find(graph.table("Items"), [
    { node: node("Items", "Owner"), by: "reference", target: "People" },
  ]);
  const owners = new Map([[1, 7], [2, 8], [3, 7]]); // prettier-ignore
  map.refresh(
    {
      scan: (_, visit) => owners.forEach((owner, row) => visit(row, [owner])),
      read: () => undefined,
      hasRow: (row) => owners.has(row),
    },
    () => false,
  );
  expect(affectedBy(node("People", "Name"), [7])).toMatchObject({ Who: [1, 3] });
});

test("until a formula was computed for all rows, whatever its text mentions may affect it", () => {
  const key = node("Items", "Key");
  expect(affectedBy(key, [1])["Same"]).toBe("all");
  graph.markResolved(node("Items", "Same"));
  expect(affectedBy(key, [1])["Same"]).toEqual([1]);
});

test("the order of columns follows from what they read", () => {
  const [n, twice, four, same] = ["N", "Twice", "Four", "Same"].map((id) => node("Items", id));
  if (!n || !twice || !four || !same) throw new Error("a column is missing");
  expect([graph.reads(four, twice), graph.reads(twice, four), graph.readsOtherRows(four, twice)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(graph.readsOtherRows(same, node("Items", "Key"))).toBe(true);
  expect(graph.readsOtherRows(same, n)).toBe(false);
});
