import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { delimitedReader } from "../../src/exchange/read-delimited.ts";
import { guessDelimiter } from "../../src/exchange/guess-delimiter.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { readAll } from "./exported-tables.ts";

const folder = tempFolder();
let count = 0;

async function read(content: string | Uint8Array): Promise<{ labels: readonly string[]; rows: unknown[] }> {
  const path = join(folder, `${++count}.csv`);
  writeFileSync(path, content);
  const [table = { labels: [], rows: [] }] = await readAll(delimitedReader, path);
  return { labels: table.labels, rows: table.rows };
}

const utf16 = (text: string, { isBig = false, hasMark = true } = {}): Buffer => {
  const bytes = Buffer.from(`${hasMark ? "\ufeff" : ""}${text}`, "utf16le");
  return isBig ? bytes.swap16() : bytes;
};

describe("lines become rows", () => {
  const FILES: [content: string, labels: string[], rows: string[][]][] = [
    ["a,b\n1,2\n", ["a", "b"], [["1", "2"]]],
    [
      "a,b\r\n1,2\r\n3,4",
      ["a", "b"],
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    [
      "a;b\n1,5;x\n2,5;y\n",
      ["a", "b"],
      [
        ["1,5", "x"],
        ["2,5", "y"],
      ],
    ],
    ["a\tb\n1\t\n", ["a", "b"], [["1", ""]]],
    ["a|b\nx|y\n", ["a", "b"], [["x", "y"]]],
    ["a💩b\nx,y💩z\n", ["a", "b"], [["x,y", "z"]]],
    [
      'a,b\n"x, y","say ""hi"""\n"two\nlines",\n',
      ["a", "b"],
      [
        ["x, y", 'say "hi"'],
        ["two\nlines", ""],
      ],
    ],
    ["only\none\ntwo\n", ["only"], [["one"], ["two"]]],
    [
      "a,b,c\n1\n1,2\n",
      ["a", "b", "c"],
      [
        ["1", "", ""],
        ["1", "2", ""],
      ],
    ],
    ["a,b\n1,2,\n", ["a", "b"], [["1", "2"]]],
    ["a,b\n\n1,2\n\n", ["a", "b"], [["1", "2"]]],
    [" a , \n1,2\n", ["a", ""], [["1", "2"]]],
    [
      "a,b\n1,x\r\n2,y\n",
      ["a", "b"],
      [
        ["1", "x"],
        ["2", "y"],
      ],
    ],
    [
      'a,b\r1,"x\ny"\r2,z',
      ["a", "b"],
      [
        ["1", "x\ny"],
        ["2", "z"],
      ],
    ],
    ["a,b\n", ["a", "b"], []],
    ["sep=;\r\na,x;b\r\n1;2\r\n", ["a,x", "b"], [["1", "2"]]],
    ['"sep=|"\na|b\n1|2\n', ["a", "b"], [["1", "2"]]],
    ['a,b\n5" pipe,x\n', ["a", "b"], [['5" pipe', "x"]]],
  ];
  test.each(FILES)("%j", async (content, labels, rows) => expect(await read(content)).toEqual({ labels, rows }));

  test("some with more cells than the header", async () => {
    expect(await read("a,b\n1,2\n1,2,3,,4,\n5\n")).toEqual({
      labels: ["a", "b"],
      rows: [
        ["1", "2"],
        ["1", "2", "3", "", "4"],
        ["5", ""],
      ],
    });
  });

  test("many of them, in batches", async () => {
    const { rows } = await read(`n\n${Array.from({ length: 2345 }, (_, i) => `${i}\n`).join("")}`);
    expect(rows.length).toBe(2345);
    expect(rows.at(-1)).toEqual(["2344"]);
  });
});

describe("characters are decoded", () => {
  const expected = { labels: ["né", "ø"], rows: [["雪", "x"]] };
  const text = "né,ø\n雪,x\n";
  const FILES: [what: string, content: Uint8Array][] = [
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16", utf16(text)],
    ["UTF-16, the other way round", utf16(text, { isBig: true })],
  ];
  test.each(FILES)("in %s", async (_, content) => expect(await read(content)).toEqual(expected));

  test("in UTF-16 without a byte order mark", async () => {
    expect(await read(utf16("a,b\n1,2\n", { hasMark: false }))).toEqual({ labels: ["a", "b"], rows: [["1", "2"]] });
  });

  test("in Latin-1, also if only the end shows it", async () => {
    const start = `a,b\n${"x,y\n".repeat(100_000)}`;
    const { rows } = await read(Buffer.from(`${start}caf\u00e9,\u0080`, "latin1"));
    expect(rows.at(-1)).toEqual(["café", "€"]);
  });

  test("that are split between chunks", async () => {
    const line = `${"x".repeat(262_144 - 4)}é\n`;
    expect((await read(`a\n${line}`)).rows).toEqual([[line.trim()]]);
  });
});

test("reports skipped lines: titles, blank lines and lines with delimiters only", async () => {
  const path = join(folder, "notes.csv");
  writeFileSync(path, "Report;;\n\n;;\nName;Amount;City\nAda;5;Rome\n\n;;\nBob;6;Oslo\n\n\n");
  const parts = await Array.fromAsync(delimitedReader.read({ path, name: "notes" }));
  expect(parts).toEqual([
    { kind: "table", name: "notes", labels: ["Name", "Amount", "City"] },
    {
      kind: "rows",
      rows: [
        ["Ada", "5", "Rome"],
        ["Bob", "6", "Oslo"],
      ],
    },
    {
      kind: "notes",
      notes: { delimiter: ";", encoding: "utf-8", header: 2, droppedLines: ["Report;;"], blankLines: 6 },
    },
  ]);
});

describe("the request specifies", () => {
  async function readAs(content: string | Uint8Array, choices: object): Promise<unknown> {
    const path = join(folder, `${++count}.csv`);
    writeFileSync(path, content);
    const parts = await Array.fromAsync(delimitedReader.read({ path, name: "x", choices }));
    return parts.flatMap((part) => (part.kind === "table" ? [part.labels] : part.kind === "rows" ? part.rows : []));
  }
  test("a delimiter", async () => expect(await readAs("a;b,c;d", { delimiter: "," })).toEqual([["a;b", "c;d"]]));
  test("no header", async () => expect(await readAs("a,b\n1,2", { header: 0 })).toEqual([[], ["a", "b"], ["1", "2"]]));
  test("the row of the header", async () => {
    expect(await readAs("x,y\n\na,b\n1,2", { header: 2 })).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
  });
  test("a row beyond the end of the file", async () => {
    const refusal = await readAs("a,b\n1,2", { header: 3 }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "invalid", message: "header is 3, but the file has only 2 rows" });
  });
  test("an encoding", async () => {
    expect(await readAs(Uint8Array.of(0xb3, 0x2c, 0x62), { encoding: "iso-8859-2" })).toEqual([["ł", "b"]]);
  });
  test.each([["nonsense"], ["utf-8"]])("the encoding %s, which does not match", async (encoding) => {
    const refusal = await readAs(Uint8Array.of(0xb3, 0, 0x2c, 0x62), { encoding }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "invalid" });
  });
});

test("UTF-8 with a few broken characters stays UTF-8; bytes without a character in Windows-1252 are rejected", async () => {
  const broken = Buffer.concat([Buffer.from("Quantité,Größe\nÄ,"), Uint8Array.of(0xff), Buffer.from("x\n")]);
  expect(await read(broken)).toEqual({ labels: ["Quantité", "Größe"], rows: [["Ä", "\ufffdx"]] });
  const impossible = Buffer.concat([Buffer.from("a,b\n"), Uint8Array.of(0x81, 0x41)]);
  const refusal = await read(impossible).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ message: expect.stringContaining("save it as UTF-8") });
});

describe("malformed files are rejected", () => {
  const FILES: [what: string, content: string | Uint8Array, sentence: RegExp][] = [
    ["nothing", "", /empty/],
    ["blank lines", "\n\n", /empty/],
    ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13), /not a text file/],
    ["an open quote", 'a,b\n"1,2\n3,4\n', /quote is opened and not closed/],
    ["half of a UTF-16 character", Buffer.concat([utf16("a,b\n"), Uint8Array.of(65)]), /not valid UTF-16LE/],
    ["thousands of columns", `${"a,".repeat(2000)}\n`, /2000 cells, more than the maximum of 1998/],
    ["thousands of cells beyond the columns", `a\n${"1,".repeat(2000)}1\n`, /Line 2 has 2001 cells/],
  ];
  test.each(FILES)("%s", async (_, content, sentence) => {
    const error = await read(content).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "invalid", message: expect.stringMatching(sentence) });
  });
});

const SEPARATED: [text: string, separator: string][] = [
  ["a,b;c\n1,2\n", ","],
  ["a;b\n1,5;2,5\n1,5;2,5\n", ";"],
  ["name\nx, y and z\n", ","],
  ['"a;b",c\n"d;e",f\n', ","],
  ["a\tb,c\nd\te\n", "\t"],
  ["", ","],
  ["Report 2024\n\na;b\n1,5;2\n", ";"],
  ['a;"x\ny, z\nw"\nb;"u, v"\n', ";"],
  ['a,b\n5" pipe,x\n6" pipe,y\n', ","],
];
test.each(SEPARATED)("the delimiter of %j is %j", (text, separator) => {
  expect(guessDelimiter(text)).toBe(separator);
});
