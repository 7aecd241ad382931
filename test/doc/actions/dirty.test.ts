import { expect, test } from "bun:test";
import { DirtyCells } from "../../../src/doc/actions/dirty-cells.ts";

test("more rows can go at once than a call has arguments", () => {
  const dirty = new DirtyCells();
  dirty.rowsRemoved(
    "T",
    Array.from({ length: 2_000_000 }, () => 7),
  );
  expect(dirty.take().tables.get("T")?.removed.length).toBe(2_000_000);
  expect(dirty.take().isEmpty).toBeTrue();
});

test("a column that changed and was renamed is the one of its new name", () => {
  const dirty = new DirtyCells();
  dirty.columnChanged("T", "Old");
  dirty.columnRenamed("T", "Old", "New");
  const found = dirty.take().tables.get("T");
  expect([...(found?.columns ?? [])]).toEqual(["New"]);
  expect([...(found?.changedNames ?? [])]).toEqual(["Old", "New"]);
});
