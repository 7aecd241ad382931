import { expect, test } from "bun:test";
import { delimitedChunks, type DelimitedFormat, SEPARATORS } from "../../src/exchange/write-delimited.ts";
import type { HeaderKind } from "../../src/exchange/exported-table.ts";
import type { CellValue } from "../../src/values/cell.ts";
import { Random } from "../helpers/random.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { createTable, type ColumnFixture } from "./exported-tables.ts";

const written = (columns: readonly ColumnFixture[], format: DelimitedFormat = "csv", header: HeaderKind = "label") =>
  Buffer.concat([...delimitedChunks(createTable(columns), { format, header })]).toString();

test("writes labels or ids as the header", () => {
  const columns = [
    { id: "Qty", type: "Int", label: "How, many" },
    { id: "B", type: "Text", label: "" },
  ];
  expect(written(columns)).toBe('"How, many",\n');
  expect(written(columns, "csv", "colId")).toBe("Qty,B\n");
});

test("quotes cells only where necessary", () => {
  const cells = ["plain", " ends ", "=1+1", "a,b", 'say "hi"', "two\nlines", "old\rmac", "tab\there", "", null];
  const lines = [
    "A",
    "plain",
    " ends ",
    "=1+1",
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    '"old\rmac"',
    "tab\there",
    "",
    "",
  ];
  expect(written([{ id: "A", type: "Text", cells }])).toBe(lines.map((line) => `${line}\n`).join(""));
});

test.each([
  ["tsv", '"a\tb"\tc,d💩\n'],
  ["dsv", 'a\tb💩"c,d💩"\n'],
  ["csv", 'a\tb,"c,d💩"\n'],
] as const)("%s has its own separator", (format, line) => {
  const columns = [
    { id: "A", type: "Text", cells: ["a\tb"] },
    { id: "B", type: "Text", cells: ["c,d💩"] },
  ];
  expect(written(columns, format).split("\n").slice(1).join("\n")).toBe(line);
});

test("formats cells by type and options, with rows in order across batches", () => {
  const columns: ColumnFixture[] = [
    { id: "N", type: "Numeric", cells: [1e21, 0.1 + 0.2, null, -0], options: {} },
    { id: "E", type: "Numeric", cells: [1234.5, -1, 0, "n/a"], options: { numMode: "currency", currency: "EUR" } },
    { id: "B", type: "Bool", cells: [true, false, null, "maybe"] },
    { id: "D", type: "Date", cells: [951_782_400, null, 0, -86_400], options: { dateFormat: "D.M.YYYY" } },
    { id: "C", type: "ChoiceList", cells: [["L", "a", "b, c"], null, ["L"], "text"] },
    { id: "X", type: "Any", cells: [["E", "ZeroDivisionError"], ["E", "TypeError"], ["d", 0], 1 / 3] },
  ];
  expect(written(columns)).toBe(
    [
      "N,E,B,D,C,X",
      '1000000000000000000000,"€1,234.50",true,29.2.2000,"a, ""b, c""",#DIV/0!',
      "0.3,-€1.00,false,,,#TypeError",
      ",€0.00,,1.1.1970,,1970-01-01",
      "-0,n/a,maybe,31.12.1969,text,0.3333333333333333",
      "",
    ].join("\n"),
  );
});

test("formats references by the displayed column, or as table and id without one", () => {
  const plain: ColumnFixture[] = [
    { id: "R", type: "Ref:Teams", cells: [3, 0, "gone"] },
    { id: "L", type: "RefList:Teams", cells: [["L", 1, 2], null, "odd"] },
  ];
  expect(written(plain)).toBe('R,L\nTeams[3],"Teams[1], Teams[2]"\n,\ngone,odd\n');
  const shown: ColumnFixture[] = [
    {
      id: "R",
      type: "Ref:Teams",
      cells: [3, 0, "gone"],
      shown: {
        type: "Numeric",
        options: { numMode: "currency", currency: "USD" },
        cells: [5, 0, ["E", "InvalidTypedValue"]],
      },
    },
    {
      id: "L",
      type: "RefList:Teams",
      cells: [["L", 1, 2], null, "odd"],
      shown: { type: "Date", cells: [["L", ["d", 0], ["d", 86_400]], null, ["E", "InvalidTypedValue"]] },
    },
  ];
  expect(written(shown)).toBe('R,L\n$5.00,"1970-01-01, 1970-01-02"\n$0.00,\ngone,odd\n');
});

const PARTS = [
  "a",
  "Malmö",
  "日本",
  "💩",
  "\ud800",
  '"',
  ",",
  "\t",
  "\n",
  "\r",
  " ",
  "\0",
  "x".repeat(70),
  "é".repeat(70),
];

test("random texts are quoted as text functions would quote them, in UTF-8", () => {
  for (let seed = 0; seed < randomRuns(40, 2000); seed++) {
    const random = new Random(seed);
    const text = () => Array.from({ length: random.below(4) }, () => random.pick(PARTS)).join("");
    const rows = random.below(60);
    const columns = Array.from({ length: 1 + random.below(4) }, (_, at): ColumnFixture => {
      const cells = Array.from({ length: rows }, (): CellValue => (random.oneIn(5) ? null : text()));
      return { id: `C${at}`, type: random.pick(["Text", "Any", "Int"]), cells };
    });
    const format = random.pick(["csv", "tsv", "dsv"] as const);
    const separator = SEPARATORS[format];
    const quoted = (cell: CellValue | undefined) => {
      const shown = typeof cell === "string" ? cell : "";
      const isAmbiguous = [separator, '"', "\n", "\r"].some((special) => shown.includes(special));
      return isAmbiguous ? `"${shown.replaceAll('"', '""')}"` : shown;
    };
    const lines = Array.from({ length: rows }, (_, row) => columns.map(({ cells = [] }) => quoted(cells[row])));
    const expected = [columns.map(({ id }) => id), ...lines].map((cells) => `${cells.join(separator)}\n`).join("");
    expect(written(columns, format)).toBe(Buffer.from(expected).toString());
  }
});

test("random numbers are formatted as Intl formats them", () => {
  const intl = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 10 });
  const random = new Random(7);
  const cells = Array.from({ length: randomRuns(20_000, 500_000) }, (): number => {
    const number = (random.below(2 ** 31) - 2 ** 30) / random.pick([1, 7, 10, 997, 1e3, 1e9, 2 ** 31]);
    return random.pick([
      number,
      number,
      Number(number.toFixed(random.below(15))),
      number * 10 ** (random.below(40) - 20),
      0,
      -0,
    ]);
  });
  cells.push(0.99999999999, 9.99999999999, -99.999999999999, 0.00000000005, 1e-6, 1e21, 999999999999999900000);
  const lines = written([{ id: "N", type: "Numeric", cells }])
    .split("\n")
    .slice(1, -1);
  for (const [row, value] of cells.entries()) expect(`${value} ${lines[row]}`).toBe(`${value} ${intl.format(value)}`);
});
