import { h, nameElement, replaceChildren } from "../dom.ts";
import { t } from "../texts.ts";
import { ColumnTable, type ColumnsToShow, type ColumnTableOptions } from "./column-table.ts";
import type { FileReport, ReportTable } from "./import-report.ts";

/** How many tables of a file are unfolded at first. */
const MAX_OPEN = 3;

/** The columns of all imported tables of a file. */
export class ColumnTables {
  readonly element = h("div", { class: "import-tables" });
  readonly #options: ColumnTableOptions;
  #tables = new Map<string, ColumnTable>();
  #drawn = "";

  constructor(options: ColumnTableOptions) {
    this.#options = options;
  }

  show(
    tables: readonly ReportTable[],
    shown: Omit<ColumnsToShow, "table" | "planned"> & { planned: FileReport | null },
  ) {
    const drawn = JSON.stringify(tables.map(({ name }) => name));
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#tables = new Map(tables.map(({ name }) => [name, new ColumnTable(name, this.#options)]));
      const parts = [...this.#tables].map(([name, { element }], at) =>
        tables.length === 1
          ? element
          : h(
              "details",
              { open: at < MAX_OPEN },
              h("summary", {}, ...t.rich("import.columns.ofTable", { table: nameElement(name) })),
              element,
            ),
      );
      replaceChildren(this.element, ...parts);
    }
    for (const table of tables) {
      const planned = shown.planned?.tables?.find(({ name }) => name === table.name) ?? null;
      this.#tables.get(table.name)?.show({ ...shown, table, planned });
    }
  }
}
