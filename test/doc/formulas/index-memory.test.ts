import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { evictIndexes } from "../../../src/doc/formulas/calculation-cache.ts";
import { cellKey } from "../../../src/doc/formulas/lookups/lookup-keys.ts";
import { FORMULA_LIMITS } from "../../../src/formula/runtime/budget.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { Scratch } from "../actions/scratch.ts";

const ROWS = 200;
const IDS = Array.from({ length: ROWS }, (_, i) => i + 1);

/** A document with a lookup column; its indexes may take `indexBytes`. */
function createDocument(indexBytes: number) {
  const folder = tempFolder();
  const scratch = new Scratch({
    formulas: { ...FORMULA_LIMITS, temporary: { folder, maxBytes: 1024 ** 3 } },
    calculation: { indexBytes, idleIndexBytes: 0 },
  });
  scratch.do("AddTable", "T", [{ id: "Key" }]);
  scratch.do(
    "BulkAddRecord",
    "T",
    IDS.map(() => null),
    { Key: IDS.map((id) => `k${id % 50}`) },
  );
  const addColumn = () =>
    scratch.do("AddColumn", "T", "F", { type: "Int", isFormula: true, formula: "len(T.lookupRecords(Key=$Key))" });
  return { scratch, folder, addColumn };
}

test("indexes beyond the limit of their memory move to a temporary file, which is deleted with the document", () => {
  const { scratch, folder, addColumn } = createDocument(30_000);
  expect(readdirSync(folder)).toEqual([]);
  addColumn();
  expect(readdirSync(folder)).toHaveLength(1);
  scratch.do("UpdateRecord", "T", 1, { Key: "k2" });
  expect(readdirSync(folder)).toHaveLength(1);
  expect(Object.values(scratch.rows("T", "F")).flat().slice(0, 4)).toEqual([5, 5, 4, 4]);
  scratch.document.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("indexes below the limit of their memory need no file", () => {
  const { scratch, folder, addColumn } = createDocument(10_000_000);
  addColumn();
  expect(readdirSync(folder)).toEqual([]);
  scratch.document.close();
});

test("an idle document drops large indexes; later changes have the same results", () => {
  const { scratch, addColumn } = createDocument(10_000_000);
  addColumn();
  evictIndexes(scratch.document.db);
  scratch.do("UpdateRecord", "T", 1, { Key: "k2" });
  scratch.do("UpdateRecord", "T", 51, { Key: "k2" });
  expect(scratch.rows("T", "F")).toMatchObject({ 1: [6], 2: [6], 51: [6], 101: [2] });
  scratch.document.close();
});

test("an idle document keeps no memory of the indexes that it drops", () => {
  const rows = 30_000;
  const scratch = new Scratch({ calculation: { idleIndexBytes: 0 } });
  scratch.do("AddTable", "T", [{ id: "Key", type: "Int" }]);
  const ids = Array.from({ length: rows }, (_, i) => i + 1);
  scratch.apply([["BulkAddRecord", "T", ids, { Key: ids }]]);
  const memory = () => {
    Bun.gc(true);
    return heapStats().extraMemorySize;
  };
  const before = memory();
  scratch.do("AddColumn", "T", "F", { type: "Int", isFormula: true, formula: "len(T.lookupRecords(Key=$Key))" });
  // Not the last evaluation: it may be on the stack of the change that ended.
  scratch.do("UpdateRecord", "T", 1, { Key: 2 });
  const withIndexes = memory();
  expect(withIndexes - before).toBeGreaterThan(rows * 50);
  evictIndexes(scratch.document.db);
  expect(memory() - before).toBeLessThan((withIndexes - before) / 3);
  scratch.document.close();
});

test("look-ups tell long texts apart", () => {
  const long = "x".repeat(200);
  const texts = [`${long}1`, `${long}2`, `${long}1`, `${long}ā`, `${long}\ufffd`, long, ""];
  using scratch = new Scratch();
  scratch.do("AddTable", "T", [
    { id: "Key", type: "Text" },
    { id: "Other", type: "Text" },
    { id: "One", isFormula: true, formula: "len(T.lookupRecords(Key=$Key))" },
    { id: "Two", isFormula: true, formula: "len(T.lookupRecords(Key=$Key, Other=$Other))" },
  ]);
  const ids = texts.map((_, i) => i + 1);
  scratch.apply([["BulkAddRecord", "T", ids, { Key: texts, Other: texts.toReversed() }]]);
  const counts = texts.map((text) => texts.filter((other) => other === text).length);
  expect(Object.values(scratch.rows("T", "One")).flat()).toEqual(counts);
  expect(Object.values(scratch.rows("T", "Two")).flat()).toEqual(texts.map(() => 1));
});

test("keys are short and equal only for equal cells, also for texts whose UTF-8 is the same", () => {
  const long = "x".repeat(10_000);
  const digest = String(cellKey(long));
  const cells: CellValue[] = [
    long,
    `${long} `,
    digest,
    digest.slice(1),
    `\0"${digest}`,
    ["L", long],
    `["L","${long}"]`,
  ];
  const lone = ["\ud83d", "\ude00", "\ufffd"].map((end) => long + end);
  const keys = [...cells, ...lone, ...lone.map((text) => JSON.stringify(text))].map((cell) => cellKey(cell));
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(String(key).length).toBeLessThanOrEqual(40);
  expect(cellKey(["L", long])).toBe(cellKey(["L", long]));
});
