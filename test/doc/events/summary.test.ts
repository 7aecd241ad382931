import { expect, test } from "bun:test";
import { mergeSummary, MAX_ROWS, summarise } from "../../../src/doc/events/change-summary.ts";
import type { RecordedAction } from "../../../src/doc/history/read-state.ts";

/** Returns the summary of a table in short. */
function summaryOf(actions: RecordedAction[], more: RecordedAction[] = []): unknown {
  const summary = summarise(actions);
  mergeSummary(summary, summarise(more));
  return Object.fromEntries(
    [...summary.tables.all].map(({ before, after, extent, added, updated, removed, columns }) => [
      after ?? `-${before}`,
      extent === "rows" ? [[...added], [...updated], [...removed], [...columns]] : [extent, [...columns]],
    ]),
  );
}

const ids = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);

test("lists each row once, by its final change", () => {
  const actions: RecordedAction[] = [
    ["BulkAddRecord", "T", [5, 6], { A: [1, 2] }],
    ["UpdateRecord", "T", 5, { A: 3 }],
    ["BulkUpdateRecord", "T", [1, 5], { B: [3, 4] }],
    ["RemoveRecord", "T", 6],
    ["RemoveRecord", "T", 2],
  ];
  expect(summaryOf(actions)).toEqual({ T: [[5], [1], [2], ["B"]] });
  for (let i = 0; i < actions.length; i++) {
    // A table-wide list of columns: in separate summaries, columns written only in a new row are not known.
    const columns = expect.arrayContaining(["B"]);
    expect(summaryOf(actions.slice(0, i), actions.slice(i))).toEqual({ T: [[5], [1], [2], columns] });
  }
});

test("lists a row that was removed and restored as removed and added", () => {
  const actions: RecordedAction[] = [
    ["RemoveRecord", "T", 2],
    ["AddRecord", "T", 2, { A: 1 }],
    ["UpdateRecord", "T", 2, { A: 2 }],
  ];
  expect(summaryOf(actions)).toEqual({ T: [[2], [], [2], []] });
  expect(summaryOf(actions.slice(0, 1), actions.slice(1))).toEqual({ T: [[2], [], [2], []] });
});

test("reports only the extent for too many rows", () => {
  expect(summaryOf([["BulkUpdateRecord", "T", ids(MAX_ROWS), { A: [] }]])).toMatchObject({
    T: [[], ids(MAX_ROWS), [], ["A"]],
  });
  const many: RecordedAction = ["BulkUpdateRecord", "T", ids(MAX_ROWS + 1), { A: [] }];
  expect(summaryOf([many], [["UpdateRecord", "T", 1, { B: 1 }]])).toEqual({ T: ["cells", ["A", "B"]] });
  expect(summaryOf([many], [["RemoveRecord", "T", 1]])).toEqual({ T: ["everything", []] });
  expect(summaryOf([["AddRecord", "T", 9999, {}]], [many])).toEqual({ T: ["everything", []] });
  expect(summaryOf([["BulkAddRecord", "T", ids(MAX_ROWS + 1), {}]], [many])).toEqual({ T: ["everything", []] });
  expect(summaryOf([["BulkRemoveRecord", "T", ids(MAX_ROWS + 1)]])).toEqual({ T: ["everything", []] });
  expect(summaryOf([["ReplaceTableData", "T", [1], {}]])).toEqual({ T: ["everything", []] });
});

test("distinguishes changes of schema, settings and rules from changes of rows", () => {
  expect(summarise([["AddRecord", "T", 1, {}]])).toMatchObject({ schema: false, rules: false });
  expect(summarise([["ModifyColumn", "T", "A", {}]]).schema).toBe(true);
  expect(summarise([["UpdateRecord", "_grist_DocInfo", 1, {}]]).schema).toBe(true);
  expect(summarise([["UpdateRecord", "_grist_ACLRules", 1, {}]])).toMatchObject({ schema: false, rules: true });
  const tables: RecordedAction[] = [
    ["RenameTable", "A", "X"],
    ["RenameTable", "B", "A"],
    ["RenameTable", "X", "B"],
    ["AddTable", "New", [{ id: "C" }]],
    ["AddTable", "Short", []],
    ["RemoveTable", "Old"],
  ];
  const names = [...summarise(tables).tables.all].map(({ before, after }) => [before, after]);
  expect(names).toContainEqual(["A", "B"]);
  expect(names).toContainEqual(["B", "A"]);
  expect(names).toContainEqual([null, "New"]);
  expect(names).toContainEqual(["Old", null]);
});

test("ignores unknown actions of other programs", () => {
  const odd = [["Nothing"], ["UpdateRecord"], ["UpdateRecord", "T"], ["UpdateRecord", "T", "x", 5]] as RecordedAction[];
  expect(summaryOf(odd)).toEqual({ T: [[], [], [], []] });
});
