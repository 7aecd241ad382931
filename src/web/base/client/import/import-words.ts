/** What was detected, in words. */
import { cellFormatter } from "../../../../values/cell-formatter.ts";
import { columnType } from "../../../../values/column-type.ts";
import type { CellValue } from "../../../../values/cell.ts";
import type { DocumentSettings } from "../../table-data.ts";
import { typeName } from "../../type-names.ts";
import type { LabelKey } from "../../../texts/texts.ts";
import { t } from "../texts.ts";
import type { FileReport, ReportColumn } from "./import-report.ts";

const NUMBER_KINDS: Readonly<Record<string, readonly [comma: LabelKey, point: LabelKey]>> = {
  currency: ["import.kind.currencyComma", "import.kind.currencyPoint"],
  percent: ["import.kind.percentComma", "import.kind.percentPoint"],
};

const DATE_KINDS: Readonly<Record<string, readonly [date: LabelKey, dateTime: LabelKey]>> = {
  D: ["import.kind.dateDay", "import.kind.dateTimeDay"],
  M: ["import.kind.dateMonth", "import.kind.dateTimeMonth"],
  Y: ["import.kind.dateYear", "import.kind.dateTimeYear"],
};

/** Returns the first part of the dates of a column: day (D), month (M) or year (Y). */
export function dateFirst({ type, format = {} }: Pick<ReportColumn, "type" | "format">): string | null {
  const { dateFormat } = format;
  return type.startsWith("Date") && typeof dateFormat === "string" ? (/[DMY]/.exec(dateFormat)?.[0] ?? null) : null;
}

/** Returns the type of a column with its format: “Date, day first”. */
export function kindText({ type, format = {} }: ReportColumn, { decimal }: Pick<FileReport, "decimal">): string {
  const base = type.replace(/:.*/s, "");
  if (base === "Any") return t("import.kind.empty");
  if (base === "Numeric") {
    const { numMode, decimals } = format;
    const keys = typeof numMode === "string" ? NUMBER_KINDS[numMode] : undefined;
    const [comma, point] = keys ?? ["import.kind.numberComma", "import.kind.numberPoint"];
    if (!keys && (typeof decimals !== "number" || decimals === 0)) return t("import.kind.wholeNumber");
    return t(decimal === "," ? comma : point);
  }
  if (base === "Date" || base === "DateTime") {
    const [date, dateTime] = DATE_KINDS[dateFirst({ type, format }) ?? ""] ?? [];
    if (date && dateTime) return t(base === "Date" ? date : dateTime);
  }
  return typeName(t, type);
}

const DATE_REASONS: Readonly<Record<string, LabelKey>> = {
  file: "import.why.date.file",
  delimiter: "import.why.date.delimiter",
  locale: "import.why.date.locale",
};

const NUMBER_REASONS: Readonly<Record<string, LabelKey>> = {
  file: "import.why.number.file",
  delimiter: "import.why.number.delimiter",
  locale: "import.why.number.locale",
};

const TEXT_REASONS: Readonly<Record<string, LabelKey>> = {
  contradiction: "import.why.contradiction",
  codes: "import.why.codes",
};

/** Returns why a column has its type; null where its values leave no doubt. */
export function reasonText({ type, rule = "", ambiguous = false }: ReportColumn): string | null {
  const isDate = type.startsWith("Date");
  const reasons = type === "Text" ? TEXT_REASONS : ambiguous ? (isDate ? DATE_REASONS : NUMBER_REASONS) : {};
  const key = reasons[rule];
  return key === undefined ? null : t(key);
}

/** Returns the first value of a column as the table will show it; empty without one. */
export function sampleText({ type, format = {}, firstValue }: ReportColumn, settings: DocumentSettings): string {
  // The rows that references show are not there yet.
  if (firstValue === undefined || firstValue === null || type.startsWith("Ref")) return "";
  const value = firstValue as CellValue;
  try {
    return cellFormatter(columnType(type), { ...settings, widgetOptions: format })(value);
  } catch {
    // A form of value that this page does not know.
    return JSON.stringify(firstValue);
  }
}

/** Joins parts of a list: “1,200 new, 40 updated”. */
export const joinTexts = (parts: readonly string[]): string =>
  new Intl.ListFormat(t.locale, { type: "unit", style: "short" }).format(parts);
