/** How the file is read: encoding, separator, header row, dates and decimals, and the tables in it. */
import { formatSize } from "../../sizes.ts";
import { h, nameElement, newId, replaceChildren } from "../dom.ts";
import { t } from "../texts.ts";
import type { FileReport, ReportTable } from "./import-report.ts";
import type { ReadingChoices } from "./import-request.ts";
import type { KeptFile } from "./uploads.ts";
import { dateFirst, joinTexts } from "./import-words.ts";

const ENCODINGS = [
  "utf-8",
  "windows-1252",
  "iso-8859-2",
  "iso-8859-15",
  "windows-1250",
  "windows-1251",
  "macintosh",
  "utf-16le",
  "utf-16be",
  "shift_jis",
  "gbk",
  "big5",
] as const;

interface Option {
  readonly value: string;
  readonly label: string;
}

const separators = (): Option[] => [
  { value: ",", label: t("import.separator.comma") },
  { value: ";", label: t("import.separator.semicolon") },
  { value: "\t", label: t("import.separator.tab") },
  { value: "|", label: t("import.separator.bar") },
];

const orders = (): Option[] => [
  { value: "dmy", label: t("import.dates.dmy") },
  { value: "mdy", label: t("import.dates.mdy") },
];

const decimals = (): Option[] => [
  { value: ",", label: t("import.decimal.comma") },
  { value: ".", label: t("import.decimal.point") },
];

const encodings = (): Option[] => ENCODINGS.map((value) => ({ value, label: value.toUpperCase() }));

interface DetectedSelect {
  readonly label: HTMLLabelElement;
  /** Shows what was detected. */
  show(detected: string): void;
}

/** A select whose first option is the detected value. */
function detectedSelect(
  label: string,
  {
    options,
    change,
    isData = false,
  }: { options: readonly Option[]; change: (value: string) => void; isData?: boolean },
): DetectedSelect {
  const first = h("option", { value: "" });
  const select = h(
    "select",
    { ...(isData && { translate: "no" }) },
    first,
    ...options.map((option) => h("option", { value: option.value }, option.label)),
  );
  select.addEventListener("change", () => change(select.value));
  return {
    label: h("label", {}, label, select),
    show(detected) {
      // While another one is chosen, the report has that one.
      if (select.value !== "" || detected === "") return;
      const known = options.find(({ value }) => value === detected)?.label ?? detected;
      first.textContent = t("import.detected", { value: known });
    },
  };
}

export interface FileFieldsOptions {
  readonly file: KeptFile;
  readonly change: (reading: ReadingChoices) => void;
}

/** The fields about the file. */
export class FileFields {
  readonly element: HTMLElement;
  readonly #options: FileFieldsOptions;
  #reading: ReadingChoices = {};
  readonly #notes = h("div", { class: "import-notes" });
  readonly #encoding: DetectedSelect;
  readonly #separator: DetectedSelect;
  readonly #dates: DetectedSelect;
  readonly #decimal: DetectedSelect;
  readonly #header: HTMLInputElement;
  readonly #headerField: HTMLElement;
  readonly #fields = h("div", { class: "import-fields" });

  constructor(options: FileFieldsOptions) {
    this.#options = options;
    const choose = (name: keyof ReadingChoices) => (value: string) => this.#change(name, value || undefined);
    this.#encoding = detectedSelect(t("import.encoding"), {
      options: encodings(),
      change: choose("encoding"),
      isData: true,
    });
    this.#separator = detectedSelect(t("import.separator"), { options: separators(), change: choose("delimiter") });
    this.#dates = detectedSelect(t("import.dates"), { options: orders(), change: choose("dates") });
    this.#decimal = detectedSelect(t("import.decimal"), { options: decimals(), change: choose("decimal") });
    const hintId = newId("header-hint");
    this.#header = h("input", { type: "number", min: 0, max: 1000, step: 1, "aria-describedby": hintId });
    this.#header.addEventListener("input", () => {
      const { value, validity } = this.#header;
      if (validity.valid) this.#change("header", value === "" ? undefined : Number(value));
    });
    const header = h(
      "div",
      { class: "import-field" },
      h("label", {}, t("import.header"), this.#header),
      h("p", { class: "hint", id: hintId }, t("import.header.hint")),
    );
    this.#headerField = header;
    const selects = [this.#encoding, this.#separator, this.#dates, this.#decimal];
    this.#fields.append(...selects.map(({ label }) => label), header);
    this.element = h("div", {}, this.#fields, this.#notes);
  }

  /** Shows what was detected. */
  show({ tables = [], decimal = "" }: FileReport): void {
    const [first] = tables;
    const isText = first?.delimiter !== undefined;
    const isJson = /json/i.test(this.#options.file.name);
    this.#encoding.label.hidden = !isText;
    this.#separator.label.hidden = !isText;
    this.#dates.label.hidden = isJson;
    this.#decimal.label.hidden = isJson;
    this.#headerField.hidden = isJson && first?.header === undefined && this.#reading.header === undefined;
    this.#encoding.show(first?.encoding ?? "");
    this.#separator.show(first?.delimiter ?? "");
    this.#dates.show(orderOf(tables) ?? t("import.dates.file"));
    this.#decimal.show(decimal);
    if (this.#reading.header === undefined && document.activeElement !== this.#header)
      this.#header.value = first?.header === undefined ? "" : String(first.header);
    replaceChildren(this.#notes, ...tables.flatMap(notes));
  }

  #change(name: keyof ReadingChoices, value: string | number | undefined): void {
    const { [name]: _, ...rest } = this.#reading;
    this.#reading = value === undefined ? rest : { ...rest, [name]: value };
    this.#options.change(this.#reading);
  }
}

/** The name and size of the file, and the button for another one. */
export const fileLine = ({ name, sizeBytes }: KeptFile, replace: () => void): HTMLElement =>
  h(
    "p",
    { class: "import-file" },
    h("strong", {}, nameElement(name)),
    h("span", { class: "quiet" }, formatSize(t, sizeBytes)),
    h("button", { type: "button", class: "plain small", onclick: replace }, t("import.replace")),
  );

/** Returns the order of day and month in all dates of a file; null without one. */
function orderOf(tables: readonly ReportTable[]): string | null {
  const firsts = tables.flatMap(({ columns }) => columns.map(dateFirst)).filter((first) => first !== null);
  const [first] = firsts;
  if (first === undefined || firsts.some((other) => other !== first)) return null;
  return first === "D" ? "dmy" : first === "M" ? "mdy" : null;
}

const MAX_NOTED_LINES = 3;

function notes({ droppedLines = [], hiddenSheets = [], errorCells = 0 }: ReportTable): HTMLElement[] {
  const quoted = (texts: readonly string[]) =>
    h("bdi", { translate: "no" }, joinTexts(texts.slice(0, MAX_NOTED_LINES)));
  const note = (...content: readonly (Node | string)[]) => h("p", { class: "quiet" }, ...content);
  return [
    ...(droppedLines.length > 0 ? [note(...t.rich("import.dropped", { lines: quoted(droppedLines) }))] : []),
    ...(hiddenSheets.length > 0 ? [note(...t.rich("import.hiddenSheets", { sheets: quoted(hiddenSheets) }))] : []),
    ...(errorCells > 0 ? [note(t("import.errorCells", { count: errorCells }))] : []),
  ];
}
