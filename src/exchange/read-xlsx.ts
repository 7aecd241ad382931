import { invalidFile } from "../errors.ts";
import type { CellValue } from "../values/cell.ts";
import { MOST_COLUMNS, type FileToRead, type TablePart, type TableReader } from "./table-parts.ts";
import type { ColumnFormat } from "./xlsx-formats.ts";
import { dateOfSerial } from "./xlsx-dates.ts";
import { readWorkbook, type Workbook } from "./xlsx-workbook.ts";
import { XmlReader } from "./xml-events.ts";
import { readXmlText } from "./xml-text.ts";
import { ZipFiles } from "./zip-files.ts";

/** What a workbook may unfold to, in bytes. */
const MOST_BYTES = 1024 ** 3;
/** Rows handed on at a time. */
const PORTION = 500;

/**
 * Workbooks: each sheet with anything on it is a table. The first row names the columns when it holds nothing but
 * texts. Formulas come as their last results.
 */
export const xlsxReader: TableReader = { texts: "text", read };

async function* read({ path }: FileToRead): AsyncGenerator<TablePart> {
  using files = await ZipFiles.open(path, MOST_BYTES);
  const workbook = await readWorkbook(files);
  for (const { name, path: part } of workbook.sheets) yield* sheet(files.read(part), { name, workbook });
}

async function* sheet(
  chunks: AsyncIterable<Uint8Array>,
  { name, workbook }: { name: string; workbook: Workbook },
): AsyncGenerator<TablePart> {
  const rows = new SheetRows(workbook, name);
  const reader = new XmlReader(rows);
  let hasTable = false;
  const take = function* (): Generator<TablePart> {
    const taken = rows.ready.splice(0);
    if (taken.length === 0) return;
    if (!hasTable) {
      hasTable = true;
      const labels = labelsOf(taken[0] ?? []);
      yield { kind: "table", name, labels: labels ?? [] };
      if (labels) taken.shift();
    }
    if (taken.length > 0) yield { kind: "rows", rows: taken };
  };
  for await (const chunk of chunks) {
    reader.write(chunk);
    if (rows.ready.length >= PORTION) yield* take();
  }
  reader.end();
  yield* take();
  if (hasTable) yield { kind: "formats", formats: rows.formats() };
}

/** The names of columns when a row is made of texts; null when it holds values. */
function labelsOf(row: readonly CellValue[]): string[] | null {
  const isHeader = row.every((cell) => cell === null || typeof cell === "string");
  return isHeader ? row.map((cell) => (typeof cell === "string" ? cell.trim() : "")) : null;
}

/** Gathers the rows of a sheet from its XML. Rows without a value are passed over. */
class SheetRows {
  readonly ready: CellValue[][] = [];
  readonly #workbook: Workbook;
  readonly #name: string;
  #row: CellValue[] = [];
  #column = -1;
  #type = "n";
  #style = 0;
  #text = "";
  #isText = false;
  #isPhonetic = false;
  /** By column: how many of its numbers have which look. */
  readonly #styles = new Map<number, Map<number, number>>();

  constructor(workbook: Workbook, name: string) {
    this.#workbook = workbook;
    this.#name = name;
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    switch (tag) {
      case "row":
        this.#row = [];
        this.#column = -1;
        return;
      case "c":
        this.#column = columnOf(attributes["r"]) ?? this.#column + 1;
        if (this.#column >= MOST_COLUMNS) throw tooWide(this.#name);
        this.#type = attributes["t"] ?? "n";
        this.#style = Number(attributes["s"] ?? 0);
        this.#text = "";
        return;
      case "v":
      case "t":
        this.#isText = true;
        return;
      case "rPh":
        this.#isPhonetic = true;
    }
  }

  close(tag: string): void {
    switch (tag) {
      case "v":
      case "t":
        this.#isText = false;
        return;
      case "rPh":
        this.#isPhonetic = false;
        return;
      case "c": {
        const value = this.#value();
        if (value === null) return;
        while (this.#row.length < this.#column) this.#row.push(null);
        this.#row[this.#column] = value;
        return;
      }
      case "row":
        if (this.#row.length > 0) this.ready.push(this.#row);
    }
  }

  text(value: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text += value;
  }

  /** Of each column, the format that most of its numbers have. */
  formats(): (ColumnFormat | null)[] {
    return Array.from({ length: Math.max(-1, ...this.#styles.keys()) + 1 }, (_, column) => {
      const [most] = [...(this.#styles.get(column) ?? [])].toSorted(([, one], [, other]) => other - one);
      return (most && this.#workbook.formats.get(most[0])) ?? null;
    });
  }

  #countStyle(): void {
    const styles = this.#styles.get(this.#column) ?? new Map<number, number>();
    this.#styles.set(this.#column, styles);
    styles.set(this.#style, (styles.get(this.#style) ?? 0) + 1);
  }

  #value(): CellValue {
    const text = this.#text;
    if (text === "") return null;
    switch (this.#type) {
      case "s":
        return this.#workbook.texts[Number(text)] ?? null;
      case "b":
        return text === "1" || text === "true";
      case "n": {
        const number = Number(text);
        if (!Number.isFinite(number)) return text;
        this.#countStyle();
        return this.#workbook.dateStyles.has(this.#style) ? dateOfSerial(number, this.#workbook) : number;
      }
      case "d":
      case "e":
        return text;
      default:
        return readXmlText(text);
    }
  }
}

/** `C7` → 2; undefined where a cell does not say where it is. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place ?? "")?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

const tooWide = (name: string) =>
  invalidFile(`The sheet ${JSON.stringify(name)} has more than the ${MOST_COLUMNS} columns of a table`);
