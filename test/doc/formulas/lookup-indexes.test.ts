import { afterEach, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileKeyNumbers, FileRowKeys } from "../../../src/doc/formulas/lookups/file-indexes.ts";
import type { KeyNumbers, RowKeys } from "../../../src/doc/formulas/lookups/index-forms.ts";
import { IndexFile } from "../../../src/doc/formulas/lookups/index-file.ts";
import { MemoryKeyNumbers } from "../../../src/doc/formulas/lookups/key-numbers.ts";
import type { Key } from "../../../src/doc/formulas/lookups/lookup-keys.ts";
import { RowKeyIndex } from "../../../src/doc/formulas/lookups/row-key-index.ts";
import { Random } from "../../helpers/random.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

const opened: IndexFile[] = [];

afterEach(() => {
  for (const file of opened.splice(0)) file.clear();
});

function newFile({ folder = tempFolder(), maxBytes = 1024 ** 3 } = {}): IndexFile {
  const file = new IndexFile({ folder, maxBytes });
  opened.push(file);
  return file;
}

const ROW_KEYS: readonly [form: string, make: () => RowKeys][] = [
  ["in memory", () => new RowKeyIndex()],
  ["in a file", () => new FileRowKeys(newFile())],
];

const KEY_NUMBERS: readonly [form: string, make: () => KeyNumbers][] = [
  ["in memory", () => new MemoryKeyNumbers()],
  ["in a file", () => new FileKeyNumbers(newFile())],
];

test.each(ROW_KEYS)("the index %s finds keys by row and rows by key, after any additions and removals", (_, make) => {
  const random = new Random(3);
  const index = make();
  const expected = new Map<number, number[]>();
  for (let step = 0; step < 5000; step++) {
    const row = 1 + random.below(300);
    const key = 1 + random.below(40);
    const keys = expected.get(row) ?? [];
    if (random.below(4) === 0) {
      index.removeRow(row);
      expected.delete(row);
    } else if (!keys.includes(key)) {
      index.add(row, key);
      expected.set(row, [...keys, key]);
    }
    const now = expected.get(row) ?? [];
    expect(new Set(index.keysOf(row))).toEqual(new Set(now));
    expect(index.onlyKeyOf(row)).toBe(now.length > 1 ? -1 : (now[0] ?? 0));
    expect(index.has(row, key)).toBe(now.includes(key));
    if (step % 50 !== 0) continue;
    const rows = [...expected].flatMap(([id, list]) => (list.includes(key) ? [id] : [])).toSorted((a, b) => a - b);
    expect([index.rowsOf(key), index.hasRows(key)]).toEqual([rows, rows.length > 0]);
    if (step % 500 === 0) index.dropLists();
  }
  expect(index.size).toBe([...expected.values()].reduce((sum, keys) => sum + keys.length, 0));
  expect([...index.rows()].toSorted((a, b) => a - b)).toEqual([...expected.keys()].toSorted((a, b) => a - b));
});

test.each(ROW_KEYS)(
  "the index %s lists the rows of keys that are asked for in order, also after changes",
  (_, make) => {
    const index = make();
    const rowsOf = new Map<number, number[]>();
    const add = (row: number, key: number) => {
      index.add(row, key);
      rowsOf.set(key, [...(rowsOf.get(key) ?? []), row]);
    };
    // Some keys have no rows, one row, or more than are read together.
    for (let row = 1; row <= 400; row++) add(row, row % 3 === 0 ? 7 : (row * 2) % 100);
    const checkAll = () => {
      for (let key = 0; key <= 110; key++) expect([key, index.rowsOf(key)]).toEqual([key, rowsOf.get(key) ?? []]);
    };
    checkAll();
    checkAll();
    index.removeRow(10);
    rowsOf.set(20, rowsOf.get(20)?.filter((row) => row !== 10) ?? []);
    for (let row = 401; row <= 500; row++) add(row, row % 110);
    checkAll();
  },
);

test.each(ROW_KEYS)("a list of rows that an index %s returned does not change", (_, make) => {
  const index = make();
  index.add(1, 1);
  const before = index.rowsOf(1);
  index.add(2, 1);
  expect([before, index.rowsOf(1)]).toEqual([[1], [1, 2]]);
});

/** Keys that are easily mistaken for each other or changed when they are stored. */
const UNUSUAL_KEYS: readonly Key[] = [
  "",
  " ",
  "a",
  "A",
  "\0",
  "\0null",
  "\0wNaN",
  "a\0b",
  "1",
  "1.0",
  "é",
  "e\u0301",
  "ÿ",
  "\u0100",
  "😀",
  "\ud83d",
  "\ude00",
  0,
  1,
  -1,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  1e300,
  NaN,
  Infinity,
  -Infinity,
  ..."x".repeat(70_000).concat("y", "x".repeat(70_000), "z").split("y"),
  `${"ab".repeat(40_000)}ā`,
];

function randomKey(random: Random): Key {
  const n = random.below(1500);
  return [n, n / 8, `key ${n}`, `ключ ${n}`, "long ".repeat(20) + n][random.below(5)] ?? n;
}

test.each(KEY_NUMBERS)("keys %s have the numbers that they were given, after any releases", (_, make) => {
  const random = new Random(7);
  const numbers = make();
  const expected = new Map<Key, number>();
  const add = (key: Key) => {
    const number = numbers.numberOf(key);
    expect(number).toBe(expected.get(key) ?? number);
    expected.set(key, number);
  };
  for (const key of UNUSUAL_KEYS) add(key);
  for (let step = 0; step < 8000; step++) {
    const key = randomKey(random);
    expect(numbers.find(key)).toBe(expected.get(key) ?? 0);
    if (random.below(3) > 0) add(key);
    else {
      const number = expected.get(key) ?? 0;
      numbers.release(number);
      expected.delete(key);
      expect([numbers.find(key), numbers.keyOf(number)]).toEqual([0, undefined]);
    }
  }
  expect(new Set(expected.values()).size).toBe(expected.size);
  for (const [key, number] of expected) expect([numbers.find(key), numbers.keyOf(number)]).toEqual([number, key]);
  expect(new Set(numbers.numbers())).toEqual(new Set(expected.values()));
});

test("minus zero is the same key as zero", () => {
  for (const [, make] of KEY_NUMBERS) {
    const numbers = make();
    expect(numbers.find(-0)).toBe(numbers.find(0));
    const number = numbers.numberOf(-0);
    expect([numbers.find(0), Object.is(numbers.keyOf(number), 0)]).toEqual([number, true]);
  }
});

test("keys that were released leave no texts in memory", () => {
  const numbers = new MemoryKeyNumbers();
  const start = numbers.bytes;
  const text = "x".repeat(1000);
  for (let n = 0; n < 10_000; n++) numbers.release(numbers.numberOf(text + n));
  expect(numbers.numberOf("a")).toBe(1);
  expect(numbers.bytes - start).toBeLessThan(4_000_000);
});

test("distinct texts take less than 60 bytes each", () => {
  const numbers = new MemoryKeyNumbers();
  for (let n = 0; n < 200_000; n++) numbers.numberOf(`Key ${n * 7919}`);
  expect(numbers.bytes).toBeLessThan(12_000_000);
});

test("indexes that are moved to a file keep their content and numbers", () => {
  const memory = { numbers: new MemoryKeyNumbers(), rows: new RowKeyIndex() };
  for (const [at, key] of UNUSUAL_KEYS.entries()) memory.rows.add(at % 5, memory.numbers.numberOf(key));
  memory.numbers.release(memory.numbers.find("a"));
  const file = newFile();
  const numbers = new FileKeyNumbers(file).copyFrom(memory.numbers);
  const rows = new FileRowKeys(file).copyFrom(memory.rows);
  for (const key of UNUSUAL_KEYS) {
    const number = memory.numbers.find(key);
    expect(numbers.find(key)).toBe(number);
    if (number > 0) expect(rows.rowsOf(number)).toEqual(memory.rows.rowsOf(number));
  }
  expect(numbers.find("a")).toBe(0);
});

test("an index file is deleted with everything in it, and created again when it is needed", () => {
  const folder = tempFolder();
  const file = newFile({ folder });
  expect(readdirSync(folder)).toEqual([]);
  new FileKeyNumbers(file).numberOf("a");
  expect(readdirSync(folder)).toHaveLength(1);
  file.clear();
  expect(readdirSync(folder)).toEqual([]);
  expect(new FileKeyNumbers(file).find("a")).toBe(0);
});

test("an index file beyond the limit of temporary files is refused", () => {
  const folder = tempFolder();
  const rows = new FileRowKeys(newFile({ folder, maxBytes: 100_000 }));
  rows.add(1, 1);
  writeFileSync(join(folder, "other"), "x".repeat(100_001));
  const fill = () => {
    for (let row = 2; row <= 70_000; row++) rows.add(row, row);
  };
  expect(fill).toThrow("QUERN_TEMP_BYTES");
});
