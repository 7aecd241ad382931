import { isErrorCell } from "../../../../../values/cell.ts";
import type { ColumnListing, DocumentSettings, RecordJson } from "../../../../base/table-data.ts";
import { cellValue, type Column, readColumns } from "../columns/columns.ts";
import type { ComboboxOption } from "./combobox-option.ts";

/** Columns in the second line of an option. */
const MAX_COLUMNS = 2;

/** Tells options that read alike apart, by other columns that the user may read. */
export class OptionDetails {
  readonly #settings: DocumentSettings;
  /** Loaded records by their id. */
  readonly #rows = new Map<number, RecordJson>();
  #columns: readonly Column[] = [];

  constructor(settings: DocumentSettings) {
    this.#settings = settings;
  }

  /** Takes loaded records of the referenced table; `shownId` is the column that options show. */
  add(rows: readonly RecordJson[], columns: readonly ColumnListing[], shownId: string | null): void {
    for (const row of rows) this.#rows.set(row.id, row);
    this.#columns = readColumns({ columns, shown: {}, settings: this.#settings }).filter(
      ({ id, type }) => id !== shownId && type.base !== "Attachments",
    );
  }

  /** Returns the options, with a second line where several have the same label. */
  tellApart(options: readonly ComboboxOption[]): readonly ComboboxOption[] {
    const alike = Map.groupBy(options, ({ label }) => label);
    return options.map((option) => {
      const group = alike.get(option.label) ?? [];
      if (group.length < 2) return option;
      const detail = this.#differentColumns(group)
        .map((column) => this.#textOf(option, column))
        .filter((text) => text !== "")
        .join(" · ");
      return detail === "" ? option : { ...option, detail };
    });
  }

  /** Returns the first columns whose values differ between some of the options. */
  #differentColumns(options: readonly ComboboxOption[]): Column[] {
    const found: Column[] = [];
    for (const column of this.#columns) {
      if (found.length === MAX_COLUMNS) break;
      if (new Set(options.map((option) => this.#textOf(option, column))).size > 1) found.push(column);
    }
    return found;
  }

  /** Errors and cells that access rules hide have no text. */
  #textOf({ value }: ComboboxOption, column: Column): string {
    const row = this.#rows.get(Number(value));
    if (!row) return "";
    const cell = cellValue(row, column.id);
    const shown = column.displayId === null ? cell : cellValue(row, column.displayId);
    if ([cell, shown].some((each) => isErrorCell(each) || (Array.isArray(each) && each[0] === "C"))) return "";
    return cell === 0 && column.type.base === "Ref" ? "" : column.text(row);
  }
}
