import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { detectFileFormat, titleOf } from "../../src/exchange/file-formats.ts";
import { stagedRows, stageTables } from "../../src/exchange/staging.ts";
import type { TablePart, TableReader } from "../../src/exchange/table-parts.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const reader = (parts: readonly TablePart[], end?: Error): TableReader => ({
  texts: "anything",
  async *read() {
    yield* parts;
    if (end) throw end;
  },
});

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: unknown) => String(error),
  );

test("stages rows on disk; omits columns without name and values", async () => {
  const to = join(tempFolder(), "s");
  const rows = Array.from({ length: 5000 }, (_, i) => [i, "", `text "${i}" \n`.repeat(20), null]);
  const parts: TablePart[] = [
    { kind: "table", name: "One", labels: ["n", ""] },
    { kind: "rows", rows: rows.slice(0, 3000) },
    { kind: "rows", rows: rows.slice(3000) },
    { kind: "table", name: "Empty", labels: [] },
    { kind: "table", name: "Heads", labels: ["only"] },
  ];
  const [one, heads, ...others] = await stageTables(reader(parts), { path: "", name: "" }, to);
  expect(others).toEqual([]);
  expect([one?.columns.map(({ label, at }) => [label, at]), one?.rowCount]).toEqual([
    [
      ["n", 0],
      ["", 2],
    ],
    5000,
  ]);
  expect(one?.columns.map(({ evidence }) => [evidence.numbers, evidence.texts])).toEqual([
    [5000, 0],
    [0, 5000],
  ]);
  expect(heads).toMatchObject({ name: "Heads", columns: [{ label: "only" }], rowCount: 0 });
  expect(one && [...stagedRows(one)].flat()).toEqual(rows);
  expect(heads && [...stagedRows(heads)]).toEqual([]);
});

test("leaves no file if reading fails, or if the file is empty", async () => {
  const folder = tempFolder();
  const to = join(folder, "s");
  const parts: TablePart[] = [
    { kind: "table", name: "A", labels: ["a"] },
    { kind: "rows", rows: [[1]] },
    { kind: "table", name: "B", labels: ["b"] },
  ];
  expect(await refusalOf(stageTables(reader(parts, new Error("broken")), { path: "", name: "" }, to))).toContain(
    "broken",
  );
  expect(await refusalOf(stageTables(reader([]), { path: "", name: "" }, to))).toContain("no table");
  const empty: TablePart[] = [{ kind: "table", name: "A", labels: [] }];
  expect(await refusalOf(stageTables(reader(empty), { path: "", name: "" }, to))).toContain("no table");
  const many = Array.from({ length: 501 }, (_, i): TablePart => ({ kind: "table", name: `${i}`, labels: ["a"] }));
  expect(await refusalOf(stageTables(reader(many), { path: "", name: "" }, to))).toContain("more than 500");
  expect(readdirSync(folder)).toEqual([]);
});

const SQLITE = `SQLite format 3\0${"\0".repeat(100)}`;
const FORMATS: [name: string, content: string, kind: string][] = [
  ["a.grist", SQLITE, "document"],
  ["a.csv", SQLITE, "document"],
  ["a.CSV", "a,b", "tables"],
  ["a.tsv", "", "tables"],
  ["a.json", "[]", "tables"],
  ["a.bin", "PK\u0003\u0004", "tables"],
  ["a.grist", "a,b", "refused"],
  ["a.xls", "\u00d0\u00cf\u0011\u00e0", "refused"],
  ["a.pdf", "%PDF", "refused"],
  ["csv", "a,b", "refused"],
  ["", "", "refused"],
];
test.each(FORMATS)("a file %j beginning with %j is %s", async (name, content, kind) => {
  const path = join(tempFolder(), "f");
  writeFileSync(path, content, "latin1");
  const format = await detectFileFormat(path, name).then(
    ({ kind: found }) => found,
    ({ code }: { code: string }) => (code === "invalid" ? "refused" : code),
  );
  expect(format).toBe(kind);
});

test.each([
  ["weather data.csv", "weather data"],
  ["a.b.xlsx", "a.b"],
  ["../../etc/passwd.csv", "passwd"],
  ["C:\\temp\\x.csv", "x"],
  [".hidden", ".hidden"],
  ["plain", "plain"],
])("the title of %j is %j", (name, title) => expect(titleOf(name)).toBe(title));
