/** Generates the files to import for a run: the same for both builds. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { workbookChunks } from "../../../src/exchange/xlsx/writer.ts";

export interface GeneratedFile {
  /** `texts and numbers` */
  readonly name: string;
  readonly path: string;
  readonly format: "csv" | "xlsx";
  readonly rows: number;
}

interface Column {
  readonly label: string;
  readonly type: "Text" | "Numeric" | "Date" | "Bool";
  /** The cell's text in a text file. */
  text(row: number): string;
  /** The cell's value in a workbook. */
  cell(row: number): string | number | boolean;
}

const DAY_S = 86_400;

const dayOf = (row: number): number => (10_000 + ((row * 7919) % 9000)) * DAY_S;
const isoOf = (row: number): string => new Date(dayOf(row) * 1000).toISOString();

function texts(label: string, of: (row: number) => string): Column {
  return { label, type: "Text", text: of, cell: of };
}

function numbers(label: string, of: (row: number) => number): Column {
  return { label, type: "Numeric", text: (row) => String(of(row)), cell: of };
}

function dates(label: string, text: (iso: string, row: number) => string): Column {
  return { label, type: "Date", text: (row) => text(isoOf(row), row), cell: dayOf };
}

const german = (iso: string): string => `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}`;
const clock = (row: number): string => `${String(row % 24).padStart(2, "0")}:${String(row % 60).padStart(2, "0")}`;

const PLAIN: readonly Column[] = [
  texts("Key", (row) => `key ${row}`),
  texts("City", (row) => ["Riga", "Quito", "Osaka", "Tunis", "Perth"][row % 5] ?? ""),
  texts("Note", (row) => `a note on row ${row}, which is longer`),
  texts("Code", (row) => String(row).padStart(8, "0")),
  texts("Phone", (row) => `+41 44 ${1_000_000 + row}`),
  numbers("Quantity", (row) => (row * 6151) % 1000),
  numbers("Price", (row) => ((row * 7907) % 100_000) / 100),
  numbers("Weight", (row) => ((row % 883) + 1) / 8),
  numbers("Balance", (row) => ((row * 31) % 20_001) - 10_000),
  numbers("Year", (row) => 1990 + (row % 40)),
];

const MIXED: readonly Column[] = [
  ...PLAIN.slice(0, 3),
  ...PLAIN.slice(5, 8),
  dates("Due", (iso) => iso.slice(0, 10)),
  dates("Paid", german),
  {
    label: "Done",
    type: "Bool",
    text: (row) => (row % 3 === 0 ? "true" : "false"),
    cell: (row) => row % 3 === 0,
  },
  {
    label: "Share",
    type: "Numeric",
    text: (row) => `${row % 101}%`,
    cell: (row) => (row % 101) / 100,
  },
];

const DATES: readonly Column[] = Array.from({ length: 10 }, (_, at) =>
  dates(`Day ${at}`, (iso, row) =>
    at % 3 === 0 ? iso.slice(0, 10) : at % 3 === 1 ? german(iso) : `${iso.slice(0, 10)} ${clock(row + at)}`,
  ),
);

/** Creates the files in a folder. */
export async function makeFiles(
  folder: string,
  { rows, workbookRows }: { rows: number; workbookRows: number },
): Promise<GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const [name, columns] of [
    ["texts and numbers", PLAIN],
    ["mixed", MIXED],
    ["dates", DATES],
  ] as const) {
    const path = join(folder, `${name.replaceAll(" ", "-")}.csv`);
    await write(path, csv(columns, rows));
    files.push({ name, path, format: "csv", rows });
  }
  for (const [name, columns] of [
    ["texts and numbers", PLAIN],
    ["mixed", MIXED],
  ] as const) {
    const path = join(folder, `${name.replaceAll(" ", "-")}.xlsx`);
    await write(path, workbook(columns, workbookRows));
    files.push({ name, path, format: "xlsx", rows: workbookRows });
  }
  return files;
}

async function write(path: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
  const file = await open(path, "wx");
  try {
    for (const piece of pieces) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

const PORTION = 1000;

function* csv(columns: readonly Column[], rows: number): Generator<string> {
  const quoted = (text: string) => (text.includes(",") ? `"${text}"` : text);
  yield `${columns.map(({ label }) => label).join(",")}\n`;
  for (let first = 1; first <= rows; first += PORTION) {
    const length = Math.min(PORTION, rows - first + 1);
    const lines = Array.from({ length }, (_, i) => columns.map(({ text }) => quoted(text(first + i))).join(","));
    yield `${lines.join("\n")}\n`;
  }
}

function workbook(columns: readonly Column[], rows: number): Generator<Uint8Array> {
  const table = {
    id: "Table1",
    title: "Table1",
    columns: columns.map(({ label, type, cell }) => ({
      id: label,
      label,
      description: "",
      type: { base: type },
      options: {},
      cell: ([row]: readonly unknown[]) => cell(Number(row)),
      displayColumn: null,
    })),
    settings: { locale: "en-US", timezone: "UTC" },
    maxRowCount: () => rows,
    *batches() {
      for (let row = 1; row <= rows; row++) yield [[row]];
    },
  };
  return workbookChunks([table], { header: "label", now: Date.UTC(2026, 0, 1) });
}
