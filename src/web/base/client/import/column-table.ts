/** The columns of a table of the file: whether and where they are imported, their types, and what does not fit. */
import type { DocumentSettings } from "../../table-data.ts";
import { typeName } from "../../type-names.ts";
import { h, icon, nameElement, replaceChildren, dataElement } from "../dom.ts";
import { t } from "../texts.ts";
import type { FileReport, ReportColumn, ReportTable } from "./import-report.ts";
import { sourceOf } from "./import-report.ts";
import type { ColumnGoal, ImportChoices } from "./import-request.ts";
import type { TargetColumn } from "./import-target.ts";
import { joinTexts, kindText, reasonText, sampleText } from "./import-words.ts";

const TYPES = ["Text", "Numeric", "Int", "Bool", "Date", "DateTime", "Choice"] as const;

export interface ColumnTableOptions {
  readonly settings: DocumentSettings;
  /** Whether columns can be added to the existing table. */
  readonly canAddColumns: boolean;
  readonly setType: (source: string, type: string | null) => void;
  readonly setGoal: (source: string, goal: ColumnGoal) => void;
  readonly setLeftOut: (source: string, isLeftOut: boolean) => void;
}

/** What a table of columns shows. */
export interface ColumnsToShow {
  readonly report: FileReport;
  readonly table: ReportTable;
  /** What happens to it; null while that is unknown. */
  readonly planned: ReportTable | null;
  readonly choices: ImportChoices;
  /** The columns of the existing table; null for a new one. */
  readonly targets: readonly TargetColumn[] | null;
}

/** The table of columns of one table of the file. */
export class ColumnTable {
  readonly element: HTMLElement;
  readonly #options: ColumnTableOptions;
  readonly #body = h("tbody", {});
  readonly #into = h("th", { scope: "col" }, t("import.column.into"));
  #rows: readonly ColumnRow[] = [];
  #drawn = "";

  constructor(name: string, options: ColumnTableOptions) {
    this.#options = options;
    const heads = [t("import.column.name"), t("import.column.sample")].map((text) => h("th", { scope: "col" }, text));
    const lastHeads = [t("import.column.type"), t("import.column.problems")].map((text) =>
      h("th", { scope: "col" }, text),
    );
    const label = t("import.columns.of", { table: name });
    this.element = h(
      "div",
      { class: "table-box import-columns", role: "region", tabindex: 0, "aria-label": label },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads, this.#into, ...lastHeads)), this.#body),
    );
  }

  show(shown: ColumnsToShow): void {
    const { table, targets } = shown;
    this.#into.hidden = targets === null;
    const drawn = JSON.stringify([table.columns.map(sourceOf), targets]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#rows = table.columns.map((column) => new ColumnRow(column, targets, this.#options));
      replaceChildren(this.#body, ...this.#rows.map(({ element }) => element));
    }
    for (const [at, column] of table.columns.entries()) this.#rows[at]?.show(column, shown);
  }
}

const goalValue = (goal: ColumnGoal | undefined): string =>
  goal?.kind === "column" ? `=${goal.id}` : goal?.kind === "new" ? "+" : "";

const goalOf = (value: string): ColumnGoal =>
  value === "" ? { kind: "none" } : value === "+" ? { kind: "new" } : { kind: "column", id: value.slice(1) };

class ColumnRow {
  readonly element: HTMLElement;
  readonly #options: ColumnTableOptions;
  readonly #check: HTMLInputElement;
  readonly #goal: HTMLSelectElement;
  readonly #type: HTMLSelectElement;
  readonly #detected = h("option", { value: "" });
  readonly #targetType = h("span", {});
  readonly #reason = h("small", { class: "quiet" });
  readonly #sample = h("td", { class: "sample" });
  readonly #into: HTMLElement;
  readonly #problems = h("td", { class: "problems" });

  constructor(column: ReportColumn, targets: readonly TargetColumn[] | null, options: ColumnTableOptions) {
    this.#options = options;
    const source = sourceOf(column);
    this.#check = h("input", { type: "checkbox", "aria-label": t("import.column.import", { column: source }) });
    this.#check.addEventListener("change", () => options.setLeftOut(source, !this.#check.checked));
    this.#goal = h(
      "select",
      { "aria-label": t("import.column.intoOf", { column: source }) },
      h("option", { value: "" }, t("import.column.none")),
      ...(options.canAddColumns ? [h("option", { value: "+" }, t("import.column.new"))] : []),
      ...(targets ?? []).map(({ id, label }) => h("option", { value: `=${id}`, translate: "no" }, label)),
    );
    this.#goal.addEventListener("change", () => options.setGoal(source, goalOf(this.#goal.value)));
    this.#type = h(
      "select",
      { "aria-label": t("import.column.typeOf", { column: source }) },
      this.#detected,
      ...TYPES.map((type) => h("option", { value: type }, typeName(t, type))),
    );
    this.#type.addEventListener("change", () => options.setType(source, this.#type.value || null));
    this.#into = h("td", { class: "into", hidden: targets === null }, this.#goal);
    const name =
      targets === null ? h("label", { class: "choice" }, this.#check, nameElement(source)) : nameElement(source);
    this.element = h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      this.#sample,
      this.#into,
      h("td", { class: "type" }, this.#type, this.#targetType, this.#reason),
      this.#problems,
    );
  }

  show(column: ReportColumn, { report, planned, choices, targets }: ColumnsToShow): void {
    const source = sourceOf(column);
    const goal = choices.into?.goals.get(source);
    const target = goal?.kind === "column" ? targets?.find(({ id }) => id === goal.id) : undefined;
    const isLeftOut = targets === null ? choices.leftOut.includes(source) : goal === undefined || goal.kind === "none";
    this.#check.checked = !isLeftOut;
    this.#goal.value = goalValue(goal);
    this.element.classList.toggle("left-out", isLeftOut);
    const { decimal, locale, currency } = report;
    const settings = { ...this.#options.settings, ...(locale && { locale }), ...(currency && { currency }) };
    replaceChildren(this.#sample, dataElement(sampleText(column, settings)));
    const chosen = choices.types[source];
    this.#type.value = chosen ?? "";
    if (chosen === undefined) this.#detected.textContent = kindText(column, { ...(decimal && { decimal }) });
    this.#type.hidden = target !== undefined || isLeftOut || column.type === "Any" || !isImportable(column.type);
    const fixed = target ? target.type : isLeftOut ? null : column.type;
    this.#targetType.textContent =
      !this.#type.hidden || fixed === null ? "" : fixed === "Any" ? t("import.kind.empty") : typeName(t, fixed);
    const isDecided = chosen !== undefined || (target !== undefined && column.ambiguous !== true);
    const reason = isLeftOut || isDecided ? null : reasonText(column);
    this.#reason.textContent = reason ?? "";
    const outcome = planned && outcomeOf(planned, { column, target });
    replaceChildren(this.#problems, ...(isLeftOut ? [t("import.column.leftOut")] : problems(outcome ?? null)));
  }
}

/** References and lists of a JSON file have their types from its structure. */
const isImportable = (type: string): boolean => (TYPES as readonly string[]).includes(type.replace(/:.*/s, ""));

/** The counts of a column in the report of the import. */
function outcomeOf(
  { columns }: ReportTable,
  { column, target }: { column: ReportColumn; target: TargetColumn | undefined },
): ReportColumn | null {
  const isSame = (each: ReportColumn) =>
    target ? each.kind === "existing" && each.id === target.id : sourceOf(each) === sourceOf(column);
  return columns.find(isSame) ?? null;
}

function problems(outcome: ReportColumn | null): (Node | string)[] {
  if (!outcome) return [];
  const { converted = 0, unconverted = 0, examples = [], type } = outcome;
  if (type === "Any" || converted + unconverted === 0) return [t("import.column.empty")];
  if (unconverted === 0) return [t("import.column.fits")];
  const total = converted + unconverted;
  const values = h("bdi", { translate: "no" }, joinTexts(examples.map(cutExample)));
  return [
    h("span", { class: "stray" }, icon("triangle-alert"), t("import.column.stray", { count: unconverted, total })),
    h("small", { class: "quiet" }, ...t.rich("import.column.examples", { values })),
  ];
}

const MAX_EXAMPLE_LENGTH = 40;

const cutExample = (text: string): string =>
  text.length > MAX_EXAMPLE_LENGTH ? `${text.slice(0, MAX_EXAMPLE_LENGTH)}…` : text;
