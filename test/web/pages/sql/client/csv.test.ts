import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { csvChunks, type SqlValue, valueText } from "../../../../../src/web/pages/sql/client/csv.ts";
import { HOSTILE } from "../../../hostile.ts";

const csv = (columns: string[], rows: SqlValue[][], isForSpreadsheets = false): string =>
  [...csvChunks(columns, rows, { isForSpreadsheets })].join("");
const readDelimited = (text: string): string[][] => parse(text, { record_delimiter: "\n" });

test("quotes cells only where needed", () => {
  const rows = [["plain", 'say "x"', "a,b", "a\nb", "a\rb", "", null, 1.5, -2, true]];
  expect(csv(["a", "b,c"], rows)).toBe('a,"b,c"\nplain,"say ""x""","a,b","a\nb","a\rb",,,1.5,-2,true\n');
  expect(csv(["x"], [[{ type: "Buffer", data: [0, 171] }]])).toBe("x\nx'00ab'\n");
});

test("any text survives the round trip", () => {
  const rows = HOSTILE.map((text) => [text, `${text}\n"`]);
  expect(readDelimited(csv(["a", "b"], rows))).toEqual([["a", "b"], ...rows]);
});

test("escapes formulas for spreadsheets, but not numbers", () => {
  const texts = ["=1+1", "+1", "-1+cmd", "@x", "\t=1", "  =1", "-5", "+4.5", "a=1", "1=1"];
  const [head, ...rows] = readDelimited(csv(["=name"], [...texts.map((text) => [text]), [-7]], true));
  expect(head).toEqual(["\uFEFF'=name"]);
  expect(rows.flat()).toEqual(["'=1+1", "+1", "'-1+cmd", "'@x", "'\t=1", "'  =1", "-5", "+4.5", "a=1", "1=1", "-7"]);
});

test("writes values as they are shown, the name of a row with its formula escaped", () => {
  const textOf = (value: SqlValue, column: number): string =>
    column === 0 ? "=name of a row" : `$${valueText(value)}`;
  const pieces = [...csvChunks(["Customer", "2"], [[7, 5]], { isForSpreadsheets: true, textOf })];
  expect(readDelimited(pieces.join(""))).toEqual([
    ["\uFEFFCustomer", "2"],
    ["'=name of a row", "$5"],
  ]);
});

test("writes many rows in several parts", () => {
  const rows = Array.from({ length: 12_001 }, (_, at) => [at]);
  const pieces = [...csvChunks(["n"], rows, { isForSpreadsheets: false })];
  expect(pieces.length).toBe(4);
  expect(readDelimited(pieces.join(""))).toHaveLength(12_002);
});
