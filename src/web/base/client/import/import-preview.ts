/** The preview of an import: the file, where it goes, its columns, and what the import would do. */
import type { DocumentSettings } from "../../table-data.ts";
import { announce } from "../announce.ts";
import { h, replaceChildren } from "../dom.ts";
import { clearError, showError } from "../problem.ts";
import { t } from "../texts.ts";
import { ColumnTables } from "./column-tables.ts";
import { fileLine, FileFields } from "./file-fields.ts";
import { documentNameField, goalField, RowFields } from "./goal-fields.ts";
import { importRequest, NO_CHOICES, missingChoice, type ImportChoices, type IntoTable } from "./import-request.ts";
import { sourceOf, type FileReport, type ReportTable } from "./import-report.ts";
import { MISSING_TEXTS, resultTexts, rowsToImport } from "./import-result.ts";
import type { ImportTarget, PlannedImport, TargetColumn } from "./import-target.ts";
import { joinTexts } from "./import-words.ts";
import { matchColumns } from "./match-columns.ts";
import { PreviewReader } from "./preview-reader.ts";
import { SheetFields } from "./sheet-fields.ts";
import type { KeptFile } from "./uploads.ts";

export interface ImportPreviewOptions {
  readonly target: ImportTarget;
  readonly file: KeptFile;
  readonly replace: () => void;
  readonly cancel: () => void;
  readonly start: (planned: PlannedImport) => void;
  /** Called when the first answer has arrived, or failed. */
  readonly ready: () => void;
}

/** For samples, until the report names those of a new document. */
const NO_SETTINGS: DocumentSettings = { locale: "en-US", timezone: "UTC" };

export class ImportPreview {
  readonly element: HTMLElement;
  readonly footer: HTMLElement;
  readonly #options: ImportPreviewOptions;
  readonly #reader: PreviewReader;
  readonly #fileFields: FileFields;
  readonly #sheets: SheetFields;
  readonly #rows: RowFields;
  readonly #columns: ColumnTables;
  readonly #problem = h("div", { class: "problem-place" });
  readonly #result = h("p", { class: "import-result" });
  readonly #button = h("button", { type: "button", onclick: () => this.#start() });
  #choices: ImportChoices = NO_CHOICES;
  /** The columns of the existing table; null for new ones. */
  #targets: readonly TargetColumn[] | null = null;
  #isReady = false;
  #isDirty = false;
  #announced = "";

  constructor(options: ImportPreviewOptions) {
    this.#options = options;
    const { target, file } = options;
    this.#fileFields = new FileFields({ file, change: (reading) => this.#change({ reading }) });
    this.#sheets = new SheetFields((sheets) => this.#change({ sheets }));
    this.#rows = new RowFields((rows) => this.#changeInto(rows));
    this.#columns = new ColumnTables({
      settings: target.document?.settings ?? NO_SETTINGS,
      canAddColumns: target.document?.canAddTables ?? true,
      setType: (source, type) => this.#setType(source, type),
      setGoal: (source, goal) => {
        const { into } = this.#choices;
        if (into) this.#changeInto({ goals: new Map(into.goals).set(source, goal) });
      },
      setLeftOut: (source, isLeftOut) => {
        const others = this.#choices.leftOut.filter((each) => each !== source);
        this.#change({ leftOut: isLeftOut ? [...others, source] : others });
      },
    });
    this.#reader = new PreviewReader(target, file, {
      changed: () => this.#show(),
      adapt: (detected) => this.#adapt(detected),
    });
    this.element = this.#layout();
    this.footer = h(
      "footer",
      {},
      this.#result,
      h("button", { type: "button", class: "plain", onclick: options.cancel }, t("base.cancel")),
      this.#button,
    );
    void this.#begin(target.document?.table ?? null);
  }

  /** Whether the user has chosen anything. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Why the file cannot be read; null when it was read. */
  get firstError(): unknown {
    return this.#reader.detected ? null : this.#reader.error;
  }

  /** Shows why the import failed. */
  showFailure(error: unknown): void {
    showError(this.#problem, error, { retry: () => this.#start() });
    this.#problem.scrollIntoView({ block: "nearest" });
  }

  close(): void {
    this.#reader.close();
  }

  #layout(): HTMLElement {
    const { target, file, replace } = this.#options;
    const goal = target.document
      ? goalField(target.document, (table) => {
          this.#isDirty = true;
          void this.#begin(table);
        })
      : documentNameField((documentName) => {
          this.#isDirty = true;
          this.#choices = { ...this.#choices, documentName };
        });
    return h(
      "div",
      { class: "import-preview" },
      fileLine(file, replace),
      this.#problem,
      this.#fileFields.element,
      this.#sheets.element,
      h("div", { class: "import-goal" }, goal),
      this.#columns.element,
      this.#rows.element,
    );
  }

  /** Chooses an existing table, or new ones, and reads what the import would do. */
  async #begin(table: string | null): Promise<void> {
    try {
      this.#targets = table === null ? null : ((await this.#options.target.document?.columnsOf(table)) ?? []);
      const into = table === null ? null : { table, goals: new Map(), ...this.#rows.choices };
      this.#choices = { ...this.#choices, into };
      this.#reader.read(this.#choices, 0);
    } catch (error) {
      showError(this.#problem, error, { retry: () => void this.#begin(table) });
      this.#ready();
    }
  }

  #change(changed: Partial<ImportChoices>): void {
    this.#isDirty = true;
    this.#choices = { ...this.#choices, ...changed };
    this.#reader.read(this.#choices);
  }

  #changeInto(changed: Partial<IntoTable>): void {
    const { into } = this.#choices;
    if (into) this.#change({ into: { ...into, ...changed } });
  }

  #setType(source: string, type: string | null): void {
    const { [source]: _, ...others } = this.#choices.types;
    this.#change({ types: type === null ? others : { ...others, [source]: type } });
  }

  /** Choices about tables and columns that the file does not have, when read in another way, are dropped. */
  #adapt({ tables = [] }: FileReport): ImportChoices {
    const { into, leftOut } = this.#choices;
    this.#sheets.show(tables, into !== null);
    const sheets = this.#sheets.chosen;
    const shown = chosenTables(tables, sheets);
    const columns = shown.flatMap((table) => table.columns);
    const names = new Set(columns.map(sourceOf));
    this.#choices = { ...this.#choices, sheets, leftOut: leftOut.filter((name) => names.has(name)) };
    if (into) {
      const named = columns.map((column) => ({ source: sourceOf(column), label: column.label }));
      const goals = matchColumns(named, this.#targets ?? []);
      for (const [source, goal] of into.goals) if (goals.has(source)) goals.set(source, goal);
      this.#rows.show(goals, this.#targets ?? []);
      this.#choices = { ...this.#choices, into: { ...into, goals, ...this.#rows.choices } };
    }
    return this.#choices;
  }

  #show(): void {
    const { detected, planned, error, isPending } = this.#reader;
    if (error !== null) showError(this.#problem, error, { retry: () => this.#reader.read(this.#choices, 0) });
    else clearError(this.#problem);
    if (detected) {
      this.#fileFields.show(detected);
      const tables = chosenTables(detected.tables ?? [], this.#choices.sheets);
      const missing = missingChoice(this.#choices);
      this.#columns.show(tables, {
        report: detected,
        planned: missing === null ? planned : null,
        choices: this.#choices,
        targets: this.#targets,
      });
    }
    this.#rows.element.hidden = this.#choices.into === null;
    this.#showResult();
    if (!isPending && (detected || error !== null)) this.#ready();
  }

  #showResult(): void {
    const { planned, isPending, error } = this.#reader;
    const missing = missingChoice(this.#choices);
    const rows = planned ? rowsToImport(planned, this.#choices) : 0;
    const text = isPending
      ? t("import.result.pending")
      : missing !== null
        ? t(MISSING_TEXTS[missing])
        : planned
          ? joinTexts(resultTexts(planned, this.#choices))
          : "";
    const isReady = !isPending && error === null && missing === null && planned !== null;
    replaceChildren(this.#result, text);
    this.#result.setAttribute("aria-busy", String(isPending));
    this.#button.setAttribute("aria-disabled", String(!isReady));
    if (planned || !isPending) {
      const isDocument = planned !== null && planned.tables === undefined;
      this.#button.textContent = isDocument ? t("import.action.document") : t("import.action", { count: rows });
    }
    if (isPending || text === this.#announced) return;
    this.#announced = text;
    announce(text, "import-result");
  }

  #ready(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.ready();
  }

  #start(): void {
    const { planned: report } = this.#reader;
    if (!report || missingChoice(this.#choices) !== null) return;
    const { target, file, start } = this.#options;
    clearError(this.#problem);
    start({
      ...importRequest(this.#choices, target.document !== null),
      rows: rowsToImport(report, this.#choices),
      fileName: file.name,
      report,
      table: this.#choices.into?.table ?? null,
    });
  }
}

const chosenTables = (tables: readonly ReportTable[], sheets: readonly string[] | null): readonly ReportTable[] =>
  sheets === null ? tables : tables.filter(({ name }) => sheets.includes(name));
