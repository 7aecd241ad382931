import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";
import { book, sheetXml } from "../exchange/book.ts";

let server: TestApp;
let place: DocumentFixture;
beforeAll(async () => {
  server = await testApp({ flags: { "max-upload": "150MB" } });
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

type Content = string | Uint8Array;

function send(name: string, content: Content) {
  const raw = new FormData();
  const bytes = new Uint8Array(typeof content === "string" ? Buffer.from(content) : content);
  raw.append("upload", new File([bytes], name));
  return server.call("owner", "POST", `${place.shelf}/import?report=1`, undefined, { raw });
}

/** Returns what an import could leave behind: documents, files, and open file handles. */
async function traces(): Promise<unknown> {
  const { docs } = await server.must<{ docs: unknown[] }>("GET", place.shelf);
  const temporary = join(server.folder, "tmp");
  const files = [readdirSync(join(server.folder, "docs")).length, readdirSync(temporary)];
  return { docs: docs.length, files, open: openFiles().filter((path) => path.startsWith(temporary)) };
}

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(join("/proc/self/fd", fd))];
    } catch {
      // The handle of reading the folder.
      return [];
    }
  });
}

const MB = 1024 ** 2;
const COMPOUND = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), Buffer.alloc(4096)]);
const random = (count: number) => Uint8Array.from({ length: count }, (_, at) => (at * 2_654_435_761) >>> 24);
const sharedTexts = (xml: string) => book({ "xl/sharedStrings.xml": xml });

type Refusal = [what: string, name: string, content: () => Content, status: number, code: string, message: RegExp];
const REFUSED: Refusal[] = [
  ["an old workbook", "a.xls", () => COMPOUND, 400, "file.unsupported", /Save it as XLSX/],
  [
    "a page of HTML that is called a workbook",
    "a.xls",
    () => "<table><tr><td>1</table>",
    400,
    "file.unsupported",
    /Save it as XLSX/,
  ],
  ["an OpenDocument sheet", "a.ods", () => book({}), 400, "file.unsupported", /\.ods .*Save it as XLSX/],
  ["a Numbers sheet", "a.numbers", () => book({}), 400, "file.unsupported", /\.numbers .*Save it as XLSX/],
  ["a binary workbook", "a.xlsb", () => book({}), 400, "file.unsupported", /Save it as XLSX/],
  ["an encrypted workbook", "a.xlsx", () => COMPOUND, 400, "file.encrypted", /Save it as XLSX without a password/],
  ["a PDF", "a.pdf", () => "%PDF-1.7", 400, "file.unsupported", /Save its table as CSV or XLSX/],
  ["an archive", "a.zip", () => book({}), 400, "file.unsupported", /Unpack it first/],
  ["an unknown ending", "a.what", () => "a,b\n1,2\n", 400, "file.unsupported", /Save it as CSV/],
  ["no ending", "README", () => "a,b\n1,2\n", 400, "file.unsupported", /Save it as CSV/],
  ["binary data named .csv", "a.csv", () => random(5000), 400, "file.invalid", /./],
  ["NUL bytes", "a.csv", () => "a,b\n1,\0\0\n", 400, "file.invalid", /./],
  ["an empty file", "a.csv", () => "", 400, "file.invalid", /^The file is empty$/],
  ["an empty workbook", "a.xlsx", () => "", 400, "file.invalid", /./],
  ["empty JSON", "a.json", () => "", 400, "file.invalid", /^The file is empty$/],
  ["a million columns", "a.csv", () => `${"x,".repeat(1_000_000)}x\n`, 400, "file.invalid", /1998 columns/],
  ["one line of 100 MB", "a.csv", () => Buffer.alloc(100 * MB, "x"), 400, "file.invalid", /Line 1 is too long/],
  [
    "10,000 levels of JSON",
    "a.json",
    () => `[{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}]`,
    400,
    "file.invalid",
    /20 levels/,
  ],
  ["plain JSON", "a.json", () => "5", 400, "file.invalid", /^Nothing to import/],
  [
    "external entities",
    "a.xlsx",
    () => sharedTexts('<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><sst><si><t>&x;</t></si></sst>'),
    400,
    "file.invalid",
    /./,
  ],
  [
    "a shared-strings table of 1 GB",
    "a.xlsx",
    () => sharedTexts(`<sst><si><t>${"x".repeat(64 * MB)}</t></si></sst>`),
    413,
    "limit.size",
    /./,
  ],
  ["a gzip bomb", "a.csv.gz", () => gzipSync(Buffer.alloc(30 * MB, "a,b\n")), 413, "limit.upload_size", /200 times/],
  ["gzip in gzip", "a.csv.gz", () => gzipSync(gzipSync("a,b\n1,2\n")), 400, "file.unsupported", /compressed twice/],
  ["a damaged gzip file", "a.csv.gz", () => gzipSync("a,b\n1,2\n").subarray(0, -3), 400, "file.invalid", /damaged/],
  [
    "bytes after the end of gzip",
    "a.csv.gz",
    () => Buffer.concat([gzipSync("a,b\n1,2\n"), Buffer.alloc(9)]),
    400,
    "file.invalid",
    /trailing data/,
  ],
  ["a text named .gz", "a.csv.gz", () => "a,b\n1,2\n", 400, "file.invalid", /not a gzip file/],
  ["a workbook in gzip", "a.xlsx.gz", () => gzipSync(book({})), 400, "file.unsupported", /Unpack it first/],
  [
    "a workbook in gzip named .csv.gz",
    "a.csv.gz",
    () => gzipSync(book({})),
    400,
    "file.unsupported",
    /Unpack it first/,
  ],
  ["an archive in gzip", "a.tar.gz", () => gzipSync("x"), 400, "file.unsupported", /Unpack it first/],
  ["gzip named .csv", "a.csv", () => gzipSync("a,b\n1,2\n"), 400, "file.unsupported", /"a\.csv\.gz"/],
];

describe("bad input is refused with instructions, and leaves nothing behind", () => {
  test.each(REFUSED)("%s", async (_, name, content, status, code, message) => {
    const before = await traces();
    const reply = await send(name, content());
    expect([reply.status, reply.body]).toEqual([
      status,
      { error: expect.stringMatching(message), details: expect.objectContaining({ code }) },
    ]);
    expect(await traces()).toEqual(before);
  });
});

/** Returns the labels and first cells of the only table of a file. */
async function imported(name: string, content: Content): Promise<unknown> {
  const { status, body } = await send(name, content);
  expect([status, body.error]).toEqual([200, undefined]);
  const [table] = body.tables as { id: string; columns: { id: string; label: string; type: string }[] }[];
  const data = await server.must<Record<string, unknown[]>>(
    "GET",
    `/o/docs/api/docs/${body.id}/tables/${table?.id}/data`,
  );
  return table?.columns.map(({ id, label }) => [label, ...(data[id] ?? [])]);
}

describe("unusual input that can be read is imported", () => {
  const TABLE = [
    ["a", 1, 3],
    ["b", 2, 4],
  ];
  test.each<[string, string, () => Content]>([
    ["CSV in gzip", "data.csv.gz", () => gzipSync("a,b\n1,2\n3,4\n")],
    ["TSV in gzip, in capitals", "data.TSV.GZ", () => gzipSync("a\tb\n1\t2\n3\t4\n")],
    ["JSON in gzip", "data.json.gz", () => gzipSync('[{"a": 1, "b": 2}, {"a": 3, "b": 4}]')],
    ["NDJSON in gzip", "data.ndjson.gz", () => gzipSync('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n')],
    ["UTF-16 without a mark", "data.csv", () => Buffer.from("a,b\n1,2\n3,4\n", "utf16le")],
    [
      "a workbook that tells a wrong size",
      "data.xlsx",
      () =>
        book({
          "xl/worksheets/sheet1.xml": sheetXml(
            '<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row><row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c><c><v>4</v></c></row>',
          ).replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>'),
        }),
    ],
  ])("%s", async (_, name, content) => expect(await imported(name, content())).toEqual(TABLE));

  test("the document of a gzip file is named without its extensions", async () => {
    expect((await send("sales 2024.csv.gz", gzipSync("a\n1\n"))).body.title).toBe("sales 2024");
  });
});
