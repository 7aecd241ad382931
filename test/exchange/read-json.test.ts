import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonLinesReader, jsonReader } from "../../src/exchange/read-json.ts";
import type { DeclaredType, TableReadOptions } from "../../src/exchange/table-parts.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const folder = tempFolder();

interface Read {
  readonly name: string;
  readonly number: number | undefined;
  readonly labels: readonly string[];
  readonly rows: unknown[];
  types: readonly (DeclaredType | null)[];
}

async function read(
  content: string | Uint8Array,
  choices: TableReadOptions = {},
  reader = jsonReader,
): Promise<Read[]> {
  const path = join(folder, "a.json");
  writeFileSync(path, content);
  const tables: Read[] = [];
  for await (const part of reader.read({ path, name: "file", choices })) {
    const table = tables.at(-1);
    if (part.kind === "table")
      tables.push({ name: part.name, number: part.number, labels: part.labels, rows: [], types: [] });
    else if (part.kind === "rows") table?.rows.push(...part.rows);
    else if (part.kind === "types" && table) table.types = part.types;
  }
  return tables;
}

const readValue = (value: unknown, choices?: TableReadOptions): Promise<Read[]> => read(JSON.stringify(value), choices);

const brief = (tables: readonly Read[]) => tables.map(({ name, labels, rows }) => ({ name, labels, rows }));

test("a list of objects is a table whose columns are all keys in order of first occurrence", async () => {
  const content = [{ b: 1, a: "x" }, { a: null, c: true, b: 2 }, {}, JSON.parse('{"__proto__": 7}')];
  expect(brief(await readValue(content))).toEqual([
    {
      name: "file",
      labels: ["b", "a", "c", "__proto__"],
      rows: [
        [1, "x", null, null],
        [2, null, true, null],
        [null, null, null, null],
        [null, null, null, 7],
      ],
    },
  ]);
});

test("an object of lists of objects is a table for each, without parent", async () => {
  expect(brief(await read('\ufeff{"People": [{"n": 1}], "Pets": [{"n": 2}], "None": []}'))).toEqual([
    { name: "People", labels: ["n"], rows: [[1]] },
    { name: "Pets", labels: ["n"], rows: [[2]] },
  ]);
});

test("a list of lists is a table by position, with a header if the request specifies one", async () => {
  const lists = [["x", "y"], [1, 2, 3], []];
  expect(brief(await readValue(lists))).toEqual([
    {
      name: "file",
      labels: ["", "", ""],
      rows: [
        ["x", "y", null],
        [1, 2, 3],
        [null, null, null],
      ],
    },
  ]);
  const [named] = await readValue(lists, { header: 1 });
  expect(named).toMatchObject({
    labels: ["x", "y", ""],
    rows: [
      [1, 2, 3],
      [null, null, null],
    ],
  });
});

test("values other than objects are in a column without a name", async () => {
  expect(brief(await readValue([1, { a: 2 }, "x"]))).toEqual([
    {
      name: "file",
      labels: ["", "a"],
      rows: [
        [1, null],
        [null, 2],
        ["x", null],
      ],
    },
  ]);
});

test("one object is a row", async () => {
  expect(brief(await readValue({ a: 1, b: "x" }))).toEqual([{ name: "file", labels: ["a", "b"], rows: [[1, "x"]] }]);
});

test("a nested object is a row of another table, and a reference to it", async () => {
  const tables = await readValue([
    { id: 1, to: { city: "Bern", geo: { lat: 46.9 } } },
    { id: 2, to: null },
    { id: 3, to: {} },
    { id: 4, to: { city: "Rome" } },
  ]);
  expect(brief(tables)).toEqual([
    {
      name: "file",
      labels: ["id", "to"],
      rows: [
        [1, 1],
        [2, null],
        [3, null],
        [4, 2],
      ],
    },
    {
      name: "file_to",
      labels: ["city", "geo"],
      rows: [
        ["Bern", 1],
        ["Rome", null],
      ],
    },
    { name: "file_to_geo", labels: ["lat"], rows: [[46.9]] },
  ]);
  const [file, to, geo] = tables;
  expect(file?.types).toEqual([null, { kind: "reference", parts: Number(to?.number) }]);
  expect(to?.types).toEqual([null, { kind: "reference", parts: Number(geo?.number) }]);
});

test("lists of short texts are choice lists", async () => {
  const [table, second] = await readValue([{ tags: ["b", "a"] }, { tags: [] }, { tags: null }, { tags: ["a"] }]);
  expect(second).toBeUndefined();
  expect(table).toMatchObject({ labels: ["tags"], rows: [[["L", "b", "a"]], [null], [null], [["L", "a"]]] });
  expect(table?.types).toEqual([{ kind: "choices", choices: ["b", "a"] }]);
});

const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);
test.each<[string, unknown[], boolean]>([
  ["200 different texts", words(200), true],
  ["201 different texts", words(201), false],
  ["a text of 50 characters", ["x".repeat(50)], true],
  ["a text of 51 characters", ["x".repeat(51)], false],
  ["an empty text", ["a", ""], false],
  ["a number", ["a", 1], false],
])("choices or a table: %s", async (_, list, areChoices) => {
  const tables = await readValue([{ k: 0, list }]);
  expect(tables.length).toBe(areChoices ? 1 : 2);
});

test("other lists are rows of a table with a reference to the parent", async () => {
  const tables = await readValue([
    { no: "A", lines: [{ qty: 1 }, { qty: 2, of: [3] }], empty: [] },
    { no: "B", lines: [] },
    { no: "C", lines: { qty: 5 } },
  ]);
  expect(brief(tables)).toEqual([
    {
      name: "file",
      labels: ["no", "empty"],
      rows: [
        ["A", null],
        ["B", null],
        ["C", null],
      ],
    },
    {
      name: "file_lines",
      labels: ["qty", "file"],
      rows: [
        [1, 1],
        [2, 1],
        [5, 3],
      ],
    },
    { name: "file_lines_of", labels: ["", "file_lines"], rows: [[3, 2]] },
  ]);
  expect(tables[1]?.types).toEqual([null, { kind: "reference", parts: Number(tables[0]?.number) }]);
});

test("an object that contains only a list names its table", async () => {
  expect(brief(await readValue({ items: [1, { a: 2 }] }))).toEqual([
    {
      name: "file_items",
      labels: ["", "a"],
      rows: [
        [1, null],
        [null, 2],
      ],
    },
  ]);
});

test("an object in a row has a table to refer to, even if it contains only a list", async () => {
  const [file, to, list] = await readValue([{ to: { list: [1] } }]);
  expect([file?.rows, to?.labels, to?.rows, list?.rows]).toEqual([[[1]], [], [[]], [[1, 1]]]);
  expect(file?.types).toEqual([{ kind: "reference", parts: Number(to?.number) }]);
});

test("values of several kinds stay in one column, with lists and objects as JSON", async () => {
  expect(brief(await readValue([{ a: 1 }, { a: { d: [1] } }, { a: ["x"] }]))).toEqual([
    { name: "file", labels: ["a"], rows: [[1], ['{"d":[1]}'], ['["x"]']] },
  ]);
});

test("integers with more digits than a double represents become texts", async () => {
  const [table] = await read('[{"id": 12345678901234567890, "n": 1234567890123456.5, "m": -9007199254740991}]');
  expect(table?.rows).toEqual([["12345678901234567890", 1234567890123456.5, -9007199254740991]]);
});

describe("lines of JSON", () => {
  const rows = [
    {
      name: "file",
      labels: ["a", "b"],
      rows: [
        [1, null],
        [2, "x"],
      ],
    },
  ];
  const lines = '\n{"a": 1}\r\n{"a": 2, "b": "x"}\n\n';

  test("are rows of a table", async () => {
    expect(brief(await read(lines, {}, jsonLinesReader))).toEqual(rows);
    expect(brief(await read('{"a": 1, "b": 2}', {}, jsonLinesReader))).toMatchObject([{ rows: [[1, 2]] }]);
  });

  test("are read in files with the extension .json", async () => expect(brief(await read(lines))).toEqual(rows));

  test("are rejected with the number of the malformed line", async () => {
    expect(read('{"a": 1}\n{"a": \n', {}, jsonLinesReader)).rejects.toMatchObject({
      message: "Line 2 is not valid JSON",
    });
  });
});

test("reads UTF-16", async () => {
  expect((await read(Buffer.from('\ufeff[{"é": "雪"}]', "utf16le")))[0]?.rows).toEqual([["雪"]]);
});

test.each(["{}", "[]", "5", '"text"', "null", "true", "[{}, {}]", "[[], []]", '{"a": []}', "[null]"])(
  "there is nothing to import in %s",
  (content) => {
    expect(read(content)).rejects.toMatchObject({
      reason: "file.invalid",
      message: expect.stringMatching(/^Nothing to import/),
    });
  },
);

test.each([
  ["", "The file is empty"],
  [" \n", "The file is empty"],
  ["[{]", "The file is not valid JSON"],
  ['[{"a": 1}', "The file is not valid JSON"],
])("%j is refused", (content, message) => {
  expect(read(content)).rejects.toMatchObject({ reason: "file.invalid", message });
});

describe("deep nesting is rejected", () => {
  const deep = (count: number, [open, close]: [string, string]) =>
    `[{"a":${open.repeat(count)}1${close.repeat(count)}}]`;
  test.each([10_000, 1_000_000])("%d lists", (count) => {
    expect(read(deep(count, ["[", "]"]))).rejects.toMatchObject({ reason: "file.invalid" });
  });
  test("10,000 objects", () => {
    expect(read(deep(10_000, ['{"b":', "}"]))).rejects.toMatchObject({ reason: "file.invalid" });
  });
  test("in a column of several kinds of values", () => {
    const content = `[{"a": 1}, ${deep(1_000_000, ["[", "]"]).slice(1)}`;
    expect(read(content)).rejects.toMatchObject({ reason: "file.invalid" });
  });
});

test("rejects more keys than a table can have columns", () => {
  const row = Object.fromEntries(Array.from({ length: 1999 }, (_, at) => [`k${at}`, at]));
  expect(readValue([row])).rejects.toMatchObject({ message: expect.stringContaining("1998") });
});
