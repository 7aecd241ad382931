import { afterAll, beforeAll, expect, test } from "bun:test";
import { strToU8, unzipSync, zipSync } from "fflate";
import { readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { AppError } from "../../../src/errors.ts";
import { decideTables } from "../../../src/exchange/decide-tables.ts";
import { runFileJob } from "../../../src/hosts/file-job.ts";
import { STATUS } from "../../../src/http/errors.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { tempFolder } from "../../helpers/folder.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { freshPlace, type Place } from "../../helpers/steps.ts";
import { Random } from "../../doc/actions/random-actions.ts";
import { book, sheetXml } from "../../exchange/book.ts";

/** `QUERN_TEST_SEQUENCES=10000 bun test test/api/imports-fuzz` after a change to a reader. */
const FILES = randomRuns(300, 300);
/** One of so many goes through the server. */
const SERVED_EVERY = 10;
/** As usual for the checks of a change, longer for many files. */
const TIMEOUT_MS = Math.max(120_000, FILES * 400);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

let server: TestApp;
let place: Place;
beforeAll(async () => {
  server = await testApp();
  place = await freshPlace(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const CSV = 'Name;Price;Due\r\n"O""Neil";1.234,50 €;31.12.2024\r\nZürich;12,5;1.1.2025\r\n;;\r\n';
const JSON_TEXT = JSON.stringify([
  { a: 1, b: "x", tags: ["x", "y"], to: { c: [1, { d: null }] } },
  { a: 2.5, é: "2024-02-29", to: null },
]);
const CELLS = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Day</t></is></c></row>
  <row r="2"><c r="A2"><v>1.5</v></c><c r="B2" s="1"><v>45351.5</v></c><c r="C2" t="b"><v>1</v></c></row>
  <row r="3"><c r="A3" t="e"><v>#N/A</v></c><c r="B3" s="2"><v>0.5</v></c></row>`;
const WORKBOOK = book({
  "xl/sharedStrings.xml": "<sst><si><t>Name</t></si></sst>",
  "xl/styles.xml":
    '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/></cellXfs></styleSheet>',
  "xl/worksheets/sheet1.xml": sheetXml(CELLS),
});

const ORIGINALS: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ["a.csv", Buffer.from(CSV)],
  ["latin.csv", Buffer.from(CSV.replace("€", "$"), "latin1")],
  ["wide.tsv", Buffer.from(`\ufeff${CSV.replaceAll(";", "\t")}`, "utf16le")],
  ["a.json", Buffer.from(JSON_TEXT)],
  ["a.ndjson", Buffer.from('{"a": 1}\n{"a": [1, 2], "b": {"c": 3}}\n')],
  ["a.xlsx", WORKBOOK],
  ["a.csv.gz", gzipSync(CSV)],
  ["a.json.gz", gzipSync(JSON_TEXT)],
];

const PIECES = [
  '"',
  "\n",
  ",",
  ";",
  "\t",
  "[",
  "{",
  "}",
  "]",
  "<",
  "/>",
  "&",
  "1e999",
  "-",
  "\0",
  "\ud800",
  "1".repeat(400),
  "ÿ",
];

/** A file with some bytes changed, cut, repeated or put in. */
function spoilt(bytes: Uint8Array, random: Random): Uint8Array {
  let result = Buffer.from(bytes);
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(result.length + 1);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const change = random.below(6);
    if (change === 0) result = Buffer.from(before);
    else if (change === 1) result = Buffer.concat([before, after.subarray(random.below(20))]);
    else if (change === 2)
      result = Buffer.concat([before, Buffer.from(PIECES[random.below(PIECES.length)] ?? ""), after]);
    else if (change === 3) result = Buffer.concat([before, before.subarray(random.below(before.length + 1)), after]);
    else if (change === 4) result = Buffer.concat([after, before]);
    else result = Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)]);
  }
  return result;
}

/** What is in an archive spoilt, so that the archive itself is whole. */
function spoiltInside(bytes: Uint8Array, random: Random): Uint8Array {
  const parts = Object.entries(unzipSync(bytes));
  const chosen = random.below(parts.length);
  const changed = parts.map(
    ([name, content], at) => [name, at === chosen ? spoilt(content, random) : content] as const,
  );
  return zipSync({ ...Object.fromEntries(changed), "docProps/x.xml": strToU8("<x/>") });
}

function randomFile(own: number): { name: string; bytes: Uint8Array } {
  const random = new Random(own);
  const [name = "", bytes = new Uint8Array()] = ORIGINALS[random.below(ORIGINALS.length)] ?? [];
  const isInside = random.below(3) > 0;
  if (isInside && name.endsWith(".xlsx")) return { name, bytes: spoiltInside(bytes, random) };
  if (isInside && name.endsWith(".gz"))
    return { name, bytes: gzipSync(spoilt(Bun.gunzipSync(Buffer.from(bytes)), random)) };
  return { name, bytes: spoilt(bytes, random) };
}

const openHandles = (): number => readdirSync("/proc/self/fd").length;

/** Reads a file as an import does, and takes its rows away again. */
async function readFile({ name, bytes }: { name: string; bytes: Uint8Array }, folder: string): Promise<void> {
  const path = join(folder, "upload");
  const to = join(folder, "rows");
  writeFileSync(path, bytes);
  try {
    const staged = await runFileJob({ kind: "stage", from: { path, name }, choices: {}, to, maxBytes: 1024 ** 2 });
    if (!Array.isArray(staged)) throw new Error("a stage job gives tables");
    const file = decideTables(staged, { locale: "en-US" });
    await runFileJob({ kind: "preview", file, to });
    for (const table of file.tables) await rm(table.path);
  } finally {
    await rm(path);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof AppError && STATUS[error.code] < 500;

test(
  `no spoilt file breaks the readers or leaves anything behind (QUERN_TEST_SEED=${seed})`,
  async () => {
    const folder = tempFolder();
    const handles = openHandles();
    for (let own = seed; own < seed + FILES; own++) {
      const what = `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`;
      const error = await readFile(randomFile(own), folder).catch((thrown: unknown) => thrown);
      if (error !== undefined && !isRefusal(error)) throw new Error(what, { cause: error });
      expect(readdirSync(folder), what).toEqual([]);
    }
    expect(openHandles()).toBeLessThanOrEqual(handles + 2);
  },
  TIMEOUT_MS,
);

test(
  `no spoilt file gets a 5xx, or leaves anything behind (QUERN_TEST_SEED=${seed})`,
  async () => {
    for (let own = seed; own < seed + FILES; own += SERVED_EVERY) {
      const { name, bytes } = randomFile(own);
      const raw = new FormData();
      raw.append("upload", new File([new Uint8Array(bytes)], name));
      const { status, body } = await server.call("owner", "POST", `${place.shelf}/import`, undefined, { raw });
      expect([200, 400, 413], `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1 ${JSON.stringify(body)}`).toContain(
        status,
      );
      expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
      if (status === 200) await server.must("DELETE", `/o/docs/api/docs/${body.id}`);
    }
  },
  TIMEOUT_MS,
);
