import { invalidFile } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import { MAX_COLUMNS } from "../table-parts.ts";
import { cellOfSerialDate } from "./dates.ts";
import { type ColumnFormat, isWholeFormOf } from "./formats.ts";
import type { Workbook } from "./workbook.ts";
import type { XmlHandler } from "./xml-reader.ts";
import { unescapeXmlText } from "./xml-escape.ts";

/** Collects the rows of a sheet from its XML. Skips rows without a value. */
export class SheetRowCollector implements XmlHandler {
  /** Complete rows that have not been consumed yet. */
  readonly completedRows: CellValue[][] = [];
  /** Number of empty rows above or between others. */
  blankRows = 0;
  /** Number of cells with an error value. */
  errorCells = 0;
  readonly #workbook: Workbook;
  readonly #name: string;
  #rowNumber = 0;
  #lastFilledRow = 0;
  #row: CellValue[] = [];
  #column = -1;
  #type = "n";
  #style = 0;
  #text = "";
  #isText = false;
  #isPhonetic = false;
  /** By column: number of values per cell style. */
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
        this.#rowNumber = rowNumberOf(attributes["r"]) ?? this.#rowNumber + 1;
        return;
      case "c":
        this.#column = columnIndexOf(attributes["r"]) ?? this.#column + 1;
        if (this.#column >= MAX_COLUMNS) throw tooManyColumns(this.#name);
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
        this.#endRow();
    }
  }

  text(value: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text += value;
  }

  /** Returns the most frequent format of each column. */
  formats(): (ColumnFormat | null)[] {
    return Array.from({ length: Math.max(-1, ...this.#styles.keys()) + 1 }, (_, column) => {
      const styles = [...(this.#styles.get(column) ?? [])].toSorted(([, one], [, other]) => other - one);
      const [mostFrequent = null, ...others] = styles.map(([style]) => this.#workbook.formats.get(style) ?? null);
      return others.find((other) => mostFrequent && other && isWholeFormOf(mostFrequent, other)) ?? mostFrequent;
    });
  }

  #endRow(): void {
    if (this.#row.every((cell) => cell === null || (typeof cell === "string" && cell.trim() === ""))) return;
    this.blankRows += Math.max(0, this.#rowNumber - this.#lastFilledRow - 1);
    this.#lastFilledRow = this.#rowNumber;
    this.completedRows.push(this.#row);
  }

  #countStyle(): void {
    const styles = this.#styles.get(this.#column) ?? new Map<number, number>();
    this.#styles.set(this.#column, styles);
    styles.set(this.#style, (styles.get(this.#style) ?? 0) + 1);
  }

  #value(): CellValue {
    if (this.#type === "e") {
      this.errorCells++;
      return null;
    }
    const text = this.#text;
    if (text === "") return null;
    switch (this.#type) {
      case "s":
        return this.#textValue(this.#workbook.sharedStrings[Number(text)] ?? null);
      case "b":
        return text === "1" || text === "true";
      case "n": {
        const number = Number(text);
        if (!Number.isFinite(number)) return text;
        this.#countStyle();
        const kind = this.#workbook.dateKinds.get(this.#style);
        return kind ? cellOfSerialDate(number, kind, this.#workbook) : number;
      }
      case "d":
        return text;
      default:
        return this.#textValue(unescapeXmlText(text));
    }
  }

  /** Texts in a number format are no evidence about the column: the header is one. */
  #textValue(text: string | null): CellValue {
    if (this.#workbook.formats.get(this.#style)?.of === "texts") this.#countStyle();
    return text;
  }
}

/** Returns 2 for `C7`; undefined if a cell has no reference. */
function columnIndexOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function rowNumberOf(text: string | undefined): number | undefined {
  const row = Number(text);
  return Number.isSafeInteger(row) && row > 0 ? row : undefined;
}

const tooManyColumns = (name: string) =>
  invalidFile(`The sheet ${JSON.stringify(name)} has more than ${MAX_COLUMNS} columns`);
