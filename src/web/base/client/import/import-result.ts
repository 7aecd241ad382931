/** What an import would do, in words. */
import type { LabelKey } from "../../../texts/texts.ts";
import { t } from "../texts.ts";
import type { ImportChoices, MissingChoice } from "./import-request.ts";
import type { FileReport, ReportTable } from "./import-report.ts";

export const MISSING_TEXTS: Readonly<Record<MissingChoice, LabelKey>> = {
  columns: "import.missing.columns",
  key: "import.missing.key",
  rows: "import.missing.rows",
  sheets: "import.missing.sheets",
};

const isImported = ({ sheets }: ImportChoices, { name }: ReportTable): boolean => sheets?.includes(name) ?? true;

const tablesOf = ({ tables = [] }: FileReport, choices: ImportChoices): readonly ReportTable[] =>
  tables.filter((table) => isImported(choices, table));

/** Returns how many rows the import adds or updates. */
export function rowsToImport(report: FileReport, choices: ImportChoices): number {
  return tablesOf(report, choices).reduce(
    (sum, { rows, added, updated = 0 }) => sum + (added === undefined ? rows : added + updated),
    0,
  );
}

/** Returns the counts of an import: of its rows, and of cells that stay text. */
export function resultTexts(report: FileReport, choices: ImportChoices): string[] {
  const tables = tablesOf(report, choices);
  const isLeftOut = (label: string) => choices.into === null && choices.leftOut.includes(label);
  const stray = tables
    .flatMap(({ columns }) => columns)
    .reduce((sum, { label, unconverted = 0 }) => sum + (isLeftOut(label) ? 0 : unconverted), 0);
  return [
    ...rowTexts(tables, choices.into === null),
    ...(stray > 0 ? [t("import.result.stray", { count: stray })] : []),
  ];
}

function rowTexts(tables: readonly ReportTable[], isNew: boolean): string[] {
  const sum = (of: (table: ReportTable) => number | undefined) =>
    tables.reduce((total, table) => total + (of(table) ?? 0), 0);
  const rows = sum((table) => table.rows);
  if (isNew || tables.every(({ added }) => added === undefined)) return [t("import.result.rows", { count: rows })];
  const counts: readonly [count: number, text: (count: number) => string][] = [
    [sum(({ added }) => added), (count) => t("import.result.added", { count })],
    [sum(({ updated }) => updated), (count) => t("import.result.updated", { count })],
    [sum(({ unchanged }) => unchanged), (count) => t("import.result.unchanged", { count })],
    [sum(({ skipped }) => skipped), (count) => t("import.result.skipped", { count })],
    [sum(({ duplicates }) => duplicates), (count) => t("import.result.duplicates", { count })],
  ];
  const texts = counts.filter(([count]) => count > 0).map(([count, text]) => text(count));
  return texts.length > 0 ? texts : [t("import.result.added", { count: 0 })];
}
