import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFunctionTables } from "../../../src/web/base/function-list.ts";

const page = readFileSync(join(import.meta.dir, "../../../docs/functions.md"), "utf8");

test("lists every documented function with its result", () => {
  const functions = parseFunctionTables(page);
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  expect(functions).toHaveLength(rows.length);
  expect(functions.find(({ signature }) => signature.startsWith("DATE("))).toEqual({
    signature: "DATE(year, month, day)",
    about: "a date; months and days outside the year carry over; years before 1900 count from there",
  });
});
