/** Files of all formats with random corruptions. */
import { strToU8, unzipSync, zipSync } from "fflate";
import { gzipSync } from "node:zlib";
import { Random } from "../../helpers/random.ts";
import { book, sheetXml } from "../../exchange/book.ts";

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

/** Returns a file with some bytes changed, cut, repeated or inserted. */
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

const WORDS = [
  "0",
  "-1",
  "1e999",
  "9".repeat(20),
  "null",
  "true",
  "A1",
  "XFD1048576",
  "str",
  "d",
  "2024-02-30",
  "1.2.3",
];

/** Returns a file with some words replaced: most often it can still be read, with another meaning. */
function reworded(bytes: Uint8Array, random: Random): Uint8Array {
  let text = Buffer.from(bytes).toString("latin1");
  for (let left = 1 + random.below(4); left > 0; left--) {
    const words = [...text.matchAll(/[\w.-]+/g)];
    const chosen = words[random.below(words.length)];
    if (!chosen) break;
    const other = random.below(2) === 0 ? WORDS[random.below(WORDS.length)] : words[random.below(words.length)]?.[0];
    text = `${text.slice(0, chosen.index)}${other ?? ""}${text.slice(chosen.index + chosen[0].length)}`;
  }
  return Buffer.from(text, "latin1");
}

const changed = (bytes: Uint8Array, random: Random): Uint8Array =>
  random.below(2) === 0 ? spoilt(bytes, random) : reworded(bytes, random);

/** Corrupts the content of an archive, so that the archive itself is valid. */
function spoiltInside(bytes: Uint8Array, random: Random): Uint8Array {
  const parts = Object.entries(unzipSync(bytes));
  const chosen = random.below(parts.length);
  const contents = parts.map(
    ([name, content], at) => [name, at === chosen ? changed(content, random) : content] as const,
  );
  return zipSync({ ...Object.fromEntries(contents), "docProps/x.xml": strToU8("<x/>") });
}

export interface SpoiltFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Returns the file of a seed. */
export function spoiltFile(own: number): SpoiltFile {
  const [name = "", bytes = new Uint8Array()] = ORIGINALS[own % ORIGINALS.length] ?? [];
  // Consecutive seeds have similar first numbers.
  const random = new Random(Math.imul(own + 1, 0x9e37_79b1));
  const isInside = random.below(3) > 0;
  if (isInside && name.endsWith(".xlsx")) return { name, bytes: spoiltInside(bytes, random) };
  if (isInside && name.endsWith(".gz"))
    return { name, bytes: gzipSync(changed(Bun.gunzipSync(Buffer.from(bytes)), random)) };
  return { name, bytes: changed(bytes, random) };
}
