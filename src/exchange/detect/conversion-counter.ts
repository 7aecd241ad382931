import type { CellValue } from "../../values/cell.ts";

/** Results of converting the values of a column. */
export interface ConversionCounts {
  /** Number of values that became cells of the column's type. */
  readonly converted: number;
  /** Number of values that remain texts. */
  readonly unconverted: number;
  /** Excerpts of the first unconverted values. */
  readonly examples: readonly string[];
  /** The first value that is not blank, as the cell stores it; null if all are blank. */
  readonly firstValue: CellValue;
}

const MAX_EXAMPLES = 5;
const MAX_EXAMPLE_LENGTH = 100;

/** Converts the values of a column and counts the results. */
export class ConversionCounter {
  readonly #read: (value: CellValue) => CellValue;
  readonly #isText: boolean;
  readonly #examples: string[] = [];
  #converted = 0;
  #unconverted = 0;
  #firstValue: CellValue = null;

  /** @param isText true for a column in which every text is valid */
  constructor(read: (value: CellValue) => CellValue, { isText }: { isText: boolean }) {
    this.#read = read;
    this.#isText = isText;
  }

  read(value: CellValue): CellValue {
    const cell = this.#read(value);
    if (cell === null || cell === "") return cell;
    if (typeof cell === "string" && !this.#isText) this.#addUnconverted(cell);
    else this.#converted++;
    this.#firstValue ??= typeof cell === "string" ? cell.slice(0, MAX_EXAMPLE_LENGTH) : cell;
    return cell;
  }

  get counts(): ConversionCounts {
    return {
      converted: this.#converted,
      unconverted: this.#unconverted,
      examples: this.#examples,
      firstValue: this.#firstValue,
    };
  }

  #addUnconverted(cell: string): void {
    this.#unconverted++;
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(cell.slice(0, MAX_EXAMPLE_LENGTH));
  }
}
