import type { ParseSettings } from "../values/column-type.ts";
import { DEFAULT_DATE_FORMAT } from "../values/date-parse.ts";
import { DEFAULT_TIME_FORMAT } from "../values/format.ts";
import { localeOf } from "../values/number-parse.ts";
import type { ExportedColumn } from "./exported.ts";
import { xmlText } from "./xml-text.ts";

/** Formats of one's own are numbered from here on. */
const FIRST_FORMAT = 164;
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/** The looks of cells, each known by a number: those that are asked for, gathered while the sheets are written. */
export class Styles {
  /** Of the first row. */
  readonly header = 1;
  readonly #codes: string[] = [];

  /** For a column of numbers. */
  number({ options, type }: ExportedColumn, settings: ParseSettings): number {
    const { numMode } = options;
    const usual = type.base === "Int" ? 0 : undefined;
    switch (numMode) {
      case "currency": {
        const locale = localeOf({ ...settings, widgetOptions: options });
        const symbol = (locale.currencySymbols[0] ?? locale.currency).replaceAll('"', "");
        return this.#style(signed(`"${symbol} "#,##0${decimals(options, usual ?? 2)}`, options));
      }
      case "percent":
        return this.#style(signed(`0${decimals(options, usual ?? 2)}%`, options));
      case "decimal":
        return this.#style(signed(`#,##0${decimals(options, usual ?? 2)}`, options));
      case "scientific":
        return this.#style(signed(`0${decimals(options, usual ?? 2)}E+00`, options));
      default: {
        const hasOwn = options.decimals !== undefined || options.numSign === "parens";
        return hasOwn ? this.#style(signed(`0${decimals(options, 0)}`, options)) : 0;
      }
    }
  }

  /** For a column of dates, with times or without. */
  date({ options, type }: ExportedColumn): number {
    const day = text(options.dateFormat) ?? DEFAULT_DATE_FORMAT;
    const time = type.base === "DateTime" ? ` ${text(options.timeFormat) ?? DEFAULT_TIME_FORMAT}` : "";
    return this.#style(dateCode(day + time));
  }

  /** The part of the workbook that tells all of them. */
  xml(): string {
    const formats = this.#codes.map(
      (code, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${xmlText(code)}"/>`,
    );
    const cells = this.#codes.map(
      (_, i) =>
        `<xf numFmtId="${FIRST_FORMAT + i}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    );
    const side = (name: string) => `<${name} style="thin"><color rgb="FFAAAAAA"/></${name}>`;
    return [
      `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<styleSheet xmlns="${MAIN}">`,
      formats.length > 0 ? `<numFmts count="${formats.length}">${formats.join("")}</numFmts>` : "",
      '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>',
      '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
      '<fills count="3"><fill><patternFill patternType="none"/></fill>',
      '<fill><patternFill patternType="gray125"/></fill>',
      '<fill><patternFill patternType="solid"><fgColor rgb="FFEEEEEE"/></patternFill></fill></fills>',
      `<borders count="2"><border/><border>${["left", "right", "top", "bottom"].map(side).join("")}</border></borders>`,
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
      `<cellXfs count="${cells.length + 2}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>`,
      '<xf numFmtId="0" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1"',
      ` applyAlignment="1"><alignment horizontal="center"/></xf>${cells.join("")}</cellXfs></styleSheet>`,
    ].join("");
  }

  #style(code: string): number {
    const known = this.#codes.indexOf(code);
    return (known < 0 ? this.#codes.push(code) - 1 : known) + 2;
  }
}

const text = (option: unknown): string | undefined =>
  typeof option === "string" && option !== "" ? option : undefined;

/** `.00`, with `#` for decimals that are shown only where there are any. */
function decimals(options: ExportedColumn["options"], usual: number): string {
  const least = count(options.decimals) ?? Math.min(usual, count(options["maxDecimals"]) ?? usual);
  const most = Math.max(least, count(options["maxDecimals"]) ?? least);
  return most === 0 ? "" : `.${"0".repeat(least)}${"#".repeat(most - least)}`;
}

const count = (option: unknown): number | undefined =>
  typeof option === "number" && Number.isInteger(option) && option >= 0 ? Math.min(option, 20) : undefined;

const signed = (code: string, options: ExportedColumn["options"]): string =>
  options.numSign === "parens" ? `${code};(${code})` : code;

/** Tokens of a column's date format, and what spreadsheets call the same; others have no counterpart. */
const DATE_CODES: Readonly<Record<string, string>> = {
  YYYY: "yyyy",
  YY: "yy",
  MMMM: "mmmm",
  MMM: "mmm",
  MM: "mm",
  M: "m",
  DD: "dd",
  D: "d",
  Do: "d",
  dddd: "dddd",
  ddd: "ddd",
  HH: "hh",
  H: "h",
  hh: "hh",
  h: "h",
  mm: "mm",
  m: "m",
  ss: "ss",
  s: "s",
  A: "AM/PM",
  a: "AM/PM",
};

function dateCode(format: string): string {
  return format.replaceAll(/\[([^\]]*)\]|Do|[YMDdHhmsAa]+|[A-Za-z]+|[^A-Za-z[]+/g, (token, literal?: string) => {
    if (literal !== undefined) return literal === "" ? "" : `"${literal.replaceAll('"', "")}"`;
    const known = DATE_CODES[token];
    if (known !== undefined) return known;
    // Letters in a row may be several tokens: `mma` are minutes and the half of the day.
    if (/^[A-Za-z]+$/.test(token)) return lettersCode(token);
    return /^[\s\-/:.,]+$/.test(token) ? token : `"${token.replaceAll('"', "")}"`;
  });
}

const lettersCode = (letters: string): string => letters.replaceAll(/(.)\1*/g, (token) => DATE_CODES[token] ?? "");
