import { describe, expect, test } from "bun:test";
import { formatCell } from "../../../../src/web/pages/history/cell-display.ts";
import { summarizeTable } from "../../../../src/web/pages/history/changed-rows.ts";
import { chooseLanguage, textsOf } from "../../../../src/web/texts/languages.ts";

const t = textsOf(chooseLanguage(null, "en"));

describe("cells of a history", () => {
  const cases: readonly [unknown, string, object][] = [
    [null, "Text", { text: "" }],
    ["Oak", "Text", { text: "Oak" }],
    [true, "Bool", { text: "true" }],
    [0.1 + 0.2, "Numeric", { text: "0.3" }],
    [12345678901, "Int", { text: "12345678901" }],
    [1790000000, "Date", { text: "2026-09-21" }],
    [1790000000, "DateTime:Europe/Berlin", { time: "2026-09-21T14:13:20.000Z" }],
    [1e300, "Date", { text: "1e+300" }],
    [3, "Ref:People", { text: "row 3 of People" }],
    [0, "Ref:People", { text: "" }],
    [["L", "a", "b"], "ChoiceList", { text: "a, b" }],
    [["L", 1, 2], "RefList:People", { text: "row 1 of People, row 2 of People" }],
    [["L", 7], "Attachments", { text: "attachment 7" }],
    [["E", "ValueError", "no"], "Any", { text: "Error: ValueError: no" }],
    [["d", 1790000000], "Any", { text: "2026-09-21" }],
    [["D", 1790000000, "UTC"], "Any", { time: "2026-09-21T14:13:20.000Z" }],
    [["R", "People", 3], "Any", { text: "row 3 of People" }],
    [["O", { a: 1 }], "Any", { text: '{"a":1}' }],
    [["?"], "Any", { text: "[]" }],
    [{ odd: true }, "Any", { text: '{"odd":true}' }],
    ["x".repeat(400), "Text", { text: `${"x".repeat(300)}…` }],
  ];
  test.each(cases)("%j in a column of type %s", (value, type, shown) => {
    expect(formatCell(t, value, type)).toEqual(shown as ReturnType<typeof formatCell>);
  });
});

describe("rows of a change", () => {
  const delta = {
    addRows: [2, 5],
    updateRows: [1, 2],
    removeRows: [4, 5],
    columnDeltas: {
      manualSort: { "2": [null, [2]] as [null, [number]] },
      "-Gone": { "1": [["was"], null] as [[string], null] },
      Name: {
        "1": [["a"], ["b"]] as [[string], [string]],
        "2": [null, ["new"]] as [null, [string]],
        "4": [["old"], null] as [[string], null],
        "5": [["x"], ["y"]] as [[string], [string]],
      },
      Empty: { "2": [null, [null]] as [null, [null]] },
    },
    columnRenames: [],
  };
  const now = new Map([
    ["Name", { label: "Full name", type: "Text" }],
    ["Empty", { label: "Empty", type: "Text" }],
  ]);

  test("are listed with their kind of change and their changed columns", () => {
    const { columns, rows, omittedRows } = summarizeTable("T", delta, { t, maxRows: 10, columns: now });
    expect(columns).toEqual(["Full name", "Gone"]);
    expect(rows.map(({ id, kind }) => [id, kind])).toEqual([
      [1, "changed"],
      [2, "added"],
      [4, "deleted"],
      [5, "changed"],
    ]);
    expect(rows[0]?.cells).toEqual([
      { before: { text: "a" }, after: { text: "b" } },
      { before: { text: "was" }, after: null },
    ]);
    expect(omittedRows).toBe(0);
  });

  test("are truncated when there are many", () => {
    const { rows, omittedRows, isDeleted, name } = summarizeTable("-T", delta, { t, maxRows: 2, columns: now });
    expect([rows.length, omittedRows, isDeleted, name]).toEqual([2, 2, true, "T"]);
  });
});
