import { expect, test } from "bun:test";
import { ColumnKinds } from "../../src/exchange/column-kinds.ts";
import type { TextMeaning } from "../../src/exchange/table-parts.ts";
import type { CellValue } from "../../src/values/cell.ts";

const typeOf = (values: readonly CellValue[], texts: TextMeaning = "anything"): string => {
  const kinds = new ColumnKinds(texts);
  for (const value of values) kinds.add(value);
  return kinds.type;
};

const TEXTS: [values: string[], type: string][] = [
  [["1", "-2.50", "0", "1e-7", "", " 3 "], "Numeric"],
  [["1", "x"], "Text"],
  [["007"], "Text"],
  [["+49"], "Text"],
  [["$2"], "Text"],
  [["1,234"], "Text"],
  [["1234567890123456"], "Text"],
  [["123456789012345"], "Numeric"],
  [["true", "false"], "Text"],
  [["2024-02-29", ""], "Date"],
  [["2023-02-29"], "Text"],
  [["2024-2-9"], "Text"],
  [["2024-02-29T10:00:00Z", "2024-02-29 10:00"], "DateTime:UTC"],
  [["2024-02-29 25:00"], "Text"],
  [["2024-02-29", "2024-02-29 10:00"], "Text"],
  [["2024-02-29", "5"], "Text"],
  [["2024"], "Numeric"],
  [["", ""], "Text"],
  [[], "Text"],
  [["NaN"], "Text"],
  [["Infinity"], "Text"],
];
test.each(TEXTS)("texts %j are %s", (values, type) => expect(typeOf(values)).toBe(type));

const VALUES: [values: CellValue[], texts: TextMeaning, type: string][] = [
  [[1, 2.5, null], "dates", "Numeric"],
  [[1, "2"], "dates", "Text"],
  [["5"], "dates", "Text"],
  [["2024-02-29"], "dates", "Date"],
  [["2024-02-29"], "text", "Text"],
  [[true, null, false], "dates", "Bool"],
  [[true, 1], "dates", "Text"],
  [[["d", 0], null], "text", "Date"],
  [
    [
      ["d", 0],
      ["D", 60, "UTC"],
    ],
    "text",
    "DateTime:UTC",
  ],
  [[["d", 0], 5], "text", "Text"],
];
test.each(VALUES)("values %j, where texts mean %s, are %s", (values, texts, type) => {
  expect(typeOf(values, texts)).toBe(type);
});

test("whether there was anything is known", () => {
  const kinds = new ColumnKinds("anything");
  kinds.add("");
  kinds.add(null);
  expect(kinds.isEmpty).toBe(true);
  kinds.add("x");
  expect(kinds.isEmpty).toBe(false);
});
