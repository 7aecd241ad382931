import { expect, test } from "bun:test";
import { DirtyCells } from "../../../src/doc/actions/dirty-cells.ts";

test("removes more rows at once than a call can take arguments", () => {
  const dirty = new DirtyCells();
  dirty.rowsRemoved(
    "T",
    Array.from({ length: 2_000_000 }, () => 7),
  );
  expect(dirty.take().tables.get("T")?.removed.length).toBe(2_000_000);
  expect(dirty.take().isEmpty).toBeTrue();
});

test("tracks a changed column under its new name after a rename", () => {
  const dirty = new DirtyCells();
  dirty.columnChanged("T", "Old");
  dirty.columnRenamed("T", "Old", "New");
  const found = dirty.take().tables.get("T");
  expect([...(found?.columns ?? [])]).toEqual(["New"]);
  expect([...(found?.changedNames ?? [])]).toEqual(["Old", "New"]);
});
