import { expect, test } from "bun:test";
import type { CatalogColumn } from "../../../src/doc/actions/catalog.ts";
import { ColumnNode, CompiledFormulas, TableNode, type Trigger } from "../../../src/doc/formulas/nodes.ts";
import { Schedule } from "../../../src/doc/formulas/schedule.ts";
import { columnType } from "../../../src/values/column-type.ts";

const formulas = new CompiledFormulas(() => false);
const table = new TableNode(undefined, "T");

function columnNode(id: string, { trigger }: { trigger?: Trigger } = {}): ColumnNode {
  const isFormula = trigger === undefined;
  const column: CatalogColumn = { id, type: "Any", isFormula, formula: "1", kind: columnType("Any"), isStored: true };
  return new ColumnNode(table, column, { formula: formulas.get("1", !isFormula), trigger, timezone: "UTC" });
}

/** A graph in which columns read others in the same row (`same`) or in other rows (`other`). */
const relation = (reads: { same?: [ColumnNode, ColumnNode][]; other?: [ColumnNode, ColumnNode][] }) => {
  const has = (pairs: [ColumnNode, ColumnNode][] = [], a: ColumnNode, b: ColumnNode) =>
    pairs.some(([x, y]) => x === a && y === b);
  const readsOtherRows = (a: ColumnNode, b: ColumnNode) => has(reads.other, a, b);
  return { readsOtherRows, reads: (a: ColumnNode, b: ColumnNode) => has(reads.same, a, b) || readsOtherRows(a, b) };
};

const [a, b, c] = [columnNode("A"), columnNode("B"), columnNode("C")];
const scheduled = (rows: "all" | readonly number[], ...columns: ColumnNode[]): Schedule => {
  const schedule = new Schedule({ orderedCells: 10 });
  for (const column of [a, b, c]) {
    for (const row of column.pending.rowsOf(() => [])) column.pending.done(row);
    column.pending.endAll();
  }
  for (const column of columns) schedule.add(column, rows);
  return schedule;
};

test("a column with many pending cells comes after the columns that it reads", () => {
  const graph = relation({ same: [[a, b]], other: [[b, c]] });
  const schedule = scheduled("all", a, b, c);
  const order: string[] = [];
  for (let next = schedule.next(graph); next; next = schedule.next(graph)) {
    order.push(next.id);
    next.pending.endAll();
    schedule.settle(next);
  }
  expect(order).toEqual(["C", "B", "A"]);
  expect(schedule.isDone).toBe(true);
});

test("a column with few pending cells does not wait", () => {
  expect(scheduled([1, 2], a, b).next(relation({ same: [[a, b]] }))).toBe(a);
});

test("columns that read each other are computed in any order", () => {
  const graph = relation({ other: [[a, b], [b, a]] }); // prettier-ignore
  expect([a, b]).toContain(scheduled("all", a, b).next(graph) as ColumnNode);
});

test("columns are computed together when they read earlier ones in the same row only", () => {
  const together = (reads: Parameters<typeof relation>[0]) =>
    scheduled("all", a, b, c)
      .withReaders(a, relation(reads))
      .map(({ id }) => id)
      .join("");
  expect(together({})).toBe("ABC");
  expect(together({ same: [[c, a], [b, c]] })).toBe("ACB"); // prettier-ignore
  expect(together({ other: [[b, a]] })).toBe("AC");
  expect(together({ same: [[a, b]] })).toBe("AC");
  expect(together({ other: [[c, b]], same: [[b, a]] })).toBe("AB");
});

test("only newly pending cells are reported, and trigger formulas are suppressed where values were provided", () => {
  const schedule = scheduled([1, 2], a);
  expect(schedule.add(a, [2, 3])).toEqual([3]);
  const stamp = columnNode("S", { trigger: { when: 0, watchesOwnColumn: false } });
  const never = columnNode("N", { trigger: { when: 1, watchesOwnColumn: false } });
  schedule.suppress(stamp, [2]);
  expect([schedule.triggered(stamp, [1, 2]), schedule.triggered(never, [1])]).toEqual([[1], []]);
  schedule.finish();
  expect(schedule.triggered(stamp, [1, 2])).toEqual([1, 2]);
  schedule.skipsTriggers = true;
  expect(schedule.triggered(stamp, [1, 2])).toEqual([]);
});
