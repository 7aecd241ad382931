import { expect, test } from "bun:test";
import type { DocAction } from "../../../src/doc/actions/doc-action.ts";
import { changedRows } from "../../../src/doc/webhooks/changed-rows.ts";
import { rowWindows } from "../../../src/doc/webhooks/row-windows.ts";
import { Random } from "../../helpers/random.ts";

const rowsOf = (undo: readonly DocAction[]) =>
  Array.from(changedRows(undo), ([table, { rows }]) => [table, [...rows]] as const);

test("the rows of all windows together are the changed rows, at most so many at once", () => {
  const random = new Random(5);
  for (let round = 0; round < 100; round++) {
    const ids = () => Array.from({ length: 1 + random.below(30) }, () => 1 + random.below(60));
    const undo = Array.from({ length: 1 + random.below(6) }, (): DocAction => {
      const table = random.pick(["A", "B"]);
      const rows = [...new Set(ids())];
      return random.pick<DocAction>([
        ["BulkUpdateRecord", table, rows, { X: rows.map((id) => id * round) }],
        ["BulkAddRecord", table, rows, { X: rows, Y: rows.map(String) }],
        ["BulkRemoveRecord", table, rows],
        ["UpdateRecord", table, rows[0] ?? 1, { X: "one" }],
        ["RenameColumn", table, "X", "X"],
        ["UpdateRecord", "_grist_Tables", 1, { tableId: "A" }],
      ]);
    });
    const merged = new Map<string, Map<number, unknown>>();
    for (const part of rowWindows(undo, 7)) {
      for (const [table, rows] of rowsOf(part)) {
        expect(rows.length).toBeLessThanOrEqual(7);
        const known = merged.get(table) ?? new Map<number, unknown>();
        for (const [id, row] of rows) {
          expect(known.has(id)).toBe(false);
          known.set(id, row);
        }
        merged.set(table, known);
      }
    }
    for (const [table, rows] of rowsOf(undo)) {
      const found = merged.get(table) ?? new Map<number, unknown>();
      expect(new Map<number, unknown>(rows)).toEqual(found);
    }
  }
});

test("a change that replaces all rows is one window, because rows that it does not name are new", () => {
  const ids = Array.from({ length: 50 }, (_, i) => i + 1);
  const undo: DocAction[] = [["ReplaceTableData", "A", ids, { X: ids }]];
  expect([...rowWindows(undo, 7)]).toEqual([undo]);
});
