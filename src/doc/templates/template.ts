import type { FileColumn, FileTable } from "../../exchange/schema-file/model.ts";
import type { CellValue } from "../../values/cell.ts";

/** Documents to start from: what new ones have instead of an empty table. */

export type TemplateName = "order-book" | "tasks";

/** The tables by id, and their rows. */
export interface Template {
  readonly tables: Readonly<Record<string, FileTable>>;
  /** Returns the rows of the tables: cells by column. Dates are relative to the day, so that they never look old. */
  readonly rows: (day: DayOf) => Readonly<Record<string, readonly TemplateRow[]>>;
}

export type TemplateRow = Readonly<Record<string, CellValue>>;

/** Returns the value of a date: the day of the creation plus this number of days. */
export type DayOf = (offset: number) => number;

/** The colours of choices and styles: pairs of the palette of the pages. */
export const COLOURS = {
  blue: { fillColor: "#cee3ff", textColor: "#0c3f78" },
  green: { fillColor: "#c2efc9", textColor: "#004e20" },
  amber: { fillColor: "#ffdba5", textColor: "#563a00" },
  violet: { fillColor: "#e3dcfe", textColor: "#453073" },
  teal: { fillColor: "#b7eee6", textColor: "#034a44" },
  orange: { fillColor: "#ffd8c2", textColor: "#662e00" },
  red: { fillColor: "#fed6d2", textColor: "#6f2120" },
  grey: { fillColor: "#e5e0db", textColor: "#443f39" },
} as const;

const MONEY = { numMode: "currency", decimals: 2 } as const;
const DAY = { dateFormat: "D MMM YYYY", isCustomDateFormat: true } as const;

export const textColumn = (id: string, rest: Partial<FileColumn> = {}): FileColumn => ({ id, type: "Text", ...rest });
export const dateColumn = (id: string, rest: Partial<FileColumn> = {}): FileColumn => ({
  id,
  type: "Date",
  options: DAY,
  ...rest,
});
export const moneyColumn = (id: string, rest: Partial<FileColumn> = {}): FileColumn => ({
  id,
  type: "Numeric",
  options: MONEY,
  ...rest,
});
export const countColumn = (id: string, formula: string): FileColumn => ({ id, type: "Int", formula });

/** A column of choices with their colours. */
export const choiceColumn = (id: string, colours: Readonly<Record<string, keyof typeof COLOURS>>): FileColumn => ({
  id,
  type: "Choice",
  choices: Object.keys(colours),
  choiceStyles: Object.fromEntries(Object.entries(colours).map(([choice, colour]) => [choice, COLOURS[colour]])),
});

/** Returns the columns by their keys, which are their ids. */
export const byId = (...columns: readonly FileColumn[]): Readonly<Record<string, FileColumn>> =>
  Object.fromEntries(columns.map((column) => [column.id, column]));
