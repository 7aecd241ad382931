import { describe, expect, test } from "bun:test";
import {
  DEFAULT_VIEW,
  parseViewState,
  renameColumns,
  retainColumns,
  withViewState,
  type ViewState,
} from "../../../src/web/base/view-state.ts";

const parsed = (text: string): ViewState => parseViewState(new URLSearchParams(text));
const written = (view: ViewState, before = ""): string =>
  decodeURIComponent(withViewState(new URLSearchParams(before), view).toString());

describe("each part of a view is one parameter of the address", () => {
  const PARTS: readonly [parameter: string, part: Partial<ViewState>][] = [
    ['filter={"Status":["New"]}', { filter: { Status: ["New"] } }],
    ["sort=-Ordered,Total", { sort: [key("Ordered", true), key("Total")] }],
    [
      "sort=Total:,-Ordered:naturalSort;emptyLast",
      {
        sort: [
          { ...key("Total"), flags: [] },
          { ...key("Ordered", true), flags: ["naturalSort", "emptyLast"] },
        ],
      },
    ],
    [
      "group=Status,-Ordered:month",
      {
        groups: [
          { ...key("Status"), by: null },
          { ...key("Ordered", true), by: "month" },
        ],
      },
    ],
    ["find=berg", { find: "berg" }],
    ["totals=Total:sum,Name:unique", { totals: { Total: "sum", Name: "unique" } }],
    ["hide=Note,Margin", { hidden: ["Note", "Margin"] }],
    ["order=Total,Name", { order: ["Total", "Name"] }],
    ["width=Notes:320", { widths: { Notes: 320 } }],
    ["freeze=1", { frozen: 1 }],
    ["lines=2", { lines: 2 }],
  ];
  test.each(PARTS)("%s", (parameter, part) => {
    const view = { ...DEFAULT_VIEW, ...part };
    expect(parsed(parameter)).toEqual(view);
    expect(written(view)).toBe(parameter);
    // The other way: the default removes it, and leaves other parameters alone.
    expect(written(DEFAULT_VIEW, `${parameter}&row=3`)).toBe("row=3");
  });
  test("all of them together", () => {
    const address = PARTS.map(([parameter]) => parameter)
      .filter((parameter) => !parameter.startsWith("sort=Total"))
      .join("&");
    expect(written(parsed(address))).toBe(address);
  });
});

test.each([
  ["", {}],
  ["filter=", {}],
  ["filter=[1]", {}],
  ['filter="x"', {}],
  ['filter={"a":', {}],
  ["sort=,-,a-b,A;B", {}],
  ["sort=A,-A", { sort: [key("A")] }],
  ["group=A,B,C,D", { groups: ["A", "B", "C"].map((id) => ({ ...key(id), by: null })) }],
  ["group=A:decade", { groups: [{ ...key("A"), by: null }] }],
  ["totals=A:mode,B,:sum", {}],
  ["hide=A,A,a b", { hidden: ["A"] }],
  ["width=A:2,B:9000,C:x,D:-5", { widths: { A: 48, B: 600 } }],
  ["freeze=-1&lines=0", {}],
  ["freeze=1e9&lines=99999999999", {}],
  ["freeze=500&lines=400", { frozen: 20, lines: 20 }],
] as const)("leaves out what is not valid: %s", (address, part) => {
  expect(parsed(address)).toEqual({ ...DEFAULT_VIEW, ...part } as ViewState);
});

const FULL = parsed(
  'filter={"or":[{"A":{"eq":1}},{"B.City":["x"]},{"not":{"A":[2]}}],"C":{"gt":1}}&sort=A,-B&group=A&totals=A:sum,B:count' +
    "&hide=A&order=B,A&width=A:100,B:200",
);

test("follows renamed columns", () => {
  expect(written(renameColumns(FULL, new Map([["A", "N"]])))).toBe(
    'filter={"or":[{"N":{"eq":1}},{"B.City":["x"]},{"not":{"N":[2]}}],"C":{"gt":1}}&sort=N,-B&group=N&totals=N:sum,B:count' +
      "&hide=N&order=B,N&width=N:100,B:200",
  );
});

test("drops removed columns", () => {
  expect(written(retainColumns(FULL, new Set(["B"])))).toBe(
    'filter={"or":[{"B.City":["x"]}]}&sort=-B&totals=B:count&order=B&width=B:200',
  );
  expect(retainColumns(FULL, new Set())).toEqual(DEFAULT_VIEW);
  expect(written(retainColumns(parsed('filter={"id":[1]}&sort=id'), new Set()))).toBe('filter={"id":[1]}&sort=id');
});

function key(columnId: string, isDescending = false) {
  return { columnId, isDescending };
}
