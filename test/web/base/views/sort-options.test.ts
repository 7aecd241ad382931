import { expect, test } from "bun:test";
import type { SortFlag, SortKey } from "../../../../src/web/base/view-state.ts";
import { hasEffect, offeredFlags, withDirection, withEffect } from "../../../../src/web/base/views/sort-options.ts";

const key = (isDescending: boolean, flags?: SortFlag[]): SortKey => ({
  columnId: "Name",
  isDescending,
  ...(flags && { flags }),
});

test("types offer the options that change their order", () => {
  expect(offeredFlags("Choice")).toEqual(["orderByChoice", "naturalSort", "emptyLast"]);
  expect(offeredFlags("Text")).toEqual(["naturalSort", "emptyLast"]);
  expect(offeredFlags("ChoiceList")).toEqual(["emptyLast"]);
  for (const type of ["Int", "Numeric", "Date", "DateTime", "Bool"]) expect(offeredFlags(type)).toEqual([]);
});

test("an option of empty cells means the same in both directions", () => {
  expect(hasEffect(key(false), "emptyLast")).toBe(true);
  expect(hasEffect(key(true), "emptyLast")).toBe(true);
  expect(hasEffect(key(false, []), "emptyLast")).toBe(false);
  expect(hasEffect(key(false, ["emptyLast"]), "emptyLast")).toBe(true);
  expect(hasEffect(key(true, []), "emptyLast")).toBe(true);
  expect(hasEffect(key(true, ["emptyLast"]), "emptyLast")).toBe(false);
  for (const isDescending of [false, true]) {
    for (const isOn of [false, true]) {
      const set = withEffect(key(isDescending, ["naturalSort"]), { flag: "emptyLast", isOn, type: "Text" });
      expect(hasEffect(set, "emptyLast")).toBe(isOn);
      expect(hasEffect(set, "naturalSort")).toBe(true);
    }
  }
});

test("a key without options gets those of its type with the first option", () => {
  const natural = { flag: "naturalSort", isOn: true, type: "Text" } as const;
  expect(withEffect(key(false), natural).flags).toEqual(["emptyLast", "naturalSort"]);
  expect(withEffect(key(true), natural).flags).toEqual(["naturalSort"]);
});

test("another direction keeps all options but that of empty cells", () => {
  expect(withDirection(key(false), true, "Text")).toEqual(key(true));
  expect(withDirection(key(false, ["naturalSort", "emptyLast"]), true, "Text")).toEqual(key(true, ["naturalSort"]));
  expect(withDirection(key(true, ["orderByChoice"]), false, "Choice")).toEqual(
    key(false, ["orderByChoice", "emptyLast"]),
  );
  expect(withDirection(key(false, []), false, "Text")).toEqual(key(false, []));
});
