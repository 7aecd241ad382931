import type { ParseSettings } from "../../values/column-type.ts";
import { expandLocaleTokens } from "../../values/date-format.ts";
import { DEFAULT_DATE_FORMAT } from "../../values/date-parse.ts";
import { DEFAULT_TIME_FORMAT } from "../../values/cell-formatter.ts";
import { shownDecimals } from "../../values/number-format.ts";
import type { NumberLocale } from "../../values/number-locale.ts";
import { numberLocaleOf } from "../../values/number-parse.ts";
import { countryOfCurrency } from "../currency-countries.ts";
import type { ExportedColumn } from "../exported-table.ts";
import { escapeXmlText } from "./xml-escape.ts";

/** Ids of custom formats begin here. */
const FIRST_CUSTOM_FORMAT_ID = 164;
const SPREADSHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/** Registry of cell styles by id: collects the styles in use while the sheets are written. */
export class StyleRegistry {
  /** Style of the header row. */
  readonly header = 1;
  readonly #codes: string[] = [];

  /**
   * Returns the function that gives the style of a number in a column. Formats without a minimum of decimals would show
   * a bare decimal separator after whole numbers, so these have a format of their own.
   */
  numberStyle({ options, type }: ExportedColumn, settings: ParseSettings): (value: number) => number {
    const { numMode, numSign } = options;
    const locale = numberLocaleOf({ ...settings, widgetOptions: options });
    const hasDecimals = count(options.decimals) !== undefined || count(options["maxDecimals"]) !== undefined;
    if (!MODES.has(String(numMode)) && !hasDecimals) {
      const style = numSign === "parens" ? this.#styleIndex(withNegativeFormat("General", options)) : 0;
      return () => style;
    }
    const { least, most } = shownDecimals(options, locale, type.base === "Int" ? 0 : undefined);
    const styleOf = (decimals: string) =>
      this.#styleIndex(withNegativeFormat(numberCode(numMode, decimals, locale), options));
    if (least > 0 || most === 0) {
      const style = styleOf(most === 0 ? "" : `.${"0".repeat(least)}${"#".repeat(most - least)}`);
      return () => style;
    }
    let [whole, other]: (number | undefined)[] = [];
    return (value) =>
      isWhole(value, numMode, most) ? (whole ??= styleOf("")) : (other ??= styleOf(`.${"#".repeat(most)}`));
  }

  /** Returns the style of a column of dates or date-times. */
  dateStyle({ options, type }: ExportedColumn): number {
    const day = text(options.dateFormat) ?? DEFAULT_DATE_FORMAT;
    const time = type.base === "DateTime" ? ` ${text(options.timeFormat) ?? DEFAULT_TIME_FORMAT}` : "";
    return this.#styleIndex(dateCode(day + time).trim());
  }

  /** Returns the styles part of the workbook. */
  xml(): string {
    const formats = this.#codes.map(
      (code, i) => `<numFmt numFmtId="${FIRST_CUSTOM_FORMAT_ID + i}" formatCode="${escapeXmlText(code)}"/>`,
    );
    const cells = this.#codes.map(
      (_, i) =>
        `<xf numFmtId="${FIRST_CUSTOM_FORMAT_ID + i}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    );
    const side = (name: string) => `<${name} style="thin"><color rgb="FFAAAAAA"/></${name}>`;
    return [
      `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<styleSheet xmlns="${SPREADSHEET_NAMESPACE}">`,
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

  #styleIndex(code: string): number {
    const known = this.#codes.indexOf(code);
    return (known < 0 ? this.#codes.push(code) - 1 : known) + 2;
  }
}

const text = (option: unknown): string | undefined =>
  typeof option === "string" && option !== "" ? option : undefined;

const MODES: ReadonlySet<string> = new Set(["currency", "percent", "decimal", "scientific"]);

function numberCode(mode: unknown, decimalsCode: string, locale: NumberLocale): string {
  switch (mode) {
    case "currency":
      return `${currencyCode(locale)}#,##0${decimalsCode}`;
    case "percent":
      return `0${decimalsCode}%`;
    case "decimal":
      return `#,##0${decimalsCode}`;
    case "scientific":
      return `0${decimalsCode}E+00`;
    default:
      return `0${decimalsCode}`;
  }
}

/** Returns the currency sign for a format code, with a locale id if several countries share the sign. */
function currencyCode({ currency, currencySymbols }: NumberLocale): string {
  const sign = (currencySymbols[0] ?? currency).replaceAll('"', "");
  const country = countryOfCurrency(currency);
  return country === undefined ? `"${sign} "` : `[$${sign}-${country}]\\ `;
}

/** Returns true for a number that is displayed without decimals, of which there may be at most `most`. */
function isWhole(value: number, mode: unknown, most: number): boolean {
  if (mode === "scientific") return Number.isInteger(Number.parseFloat(value.toExponential(most)));
  return Number.isInteger(value) || Number.isInteger(Number((mode === "percent" ? value * 100 : value).toFixed(most)));
}

const count = (option: unknown): number | undefined =>
  typeof option === "number" && Number.isInteger(option) && option >= 0 ? Math.min(option, 20) : undefined;

const withNegativeFormat = (code: string, options: ExportedColumn["options"]): string =>
  options.numSign === "parens" ? `${code};(${code})` : code;

/** Tokens of a column's date format with the equivalent of spreadsheets; others have none. */
const DATE_CODES_BY_TOKEN: Readonly<Record<string, string>> = {
  YYYY: "yyyy",
  YY: "yy",
  MMMM: "mmmm",
  MMM: "mmm",
  MM: "mm",
  M: "m",
  DD: "dd",
  D: "d",
  // No equivalent: an empty text displays nothing, and lets an import distinguish them.
  Do: 'd""',
  dd: 'ddd""',
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
  // Programs display AM and PM in the case that is written here, or in capitals.
  a: "am/pm",
};

function dateCode(format: string): string {
  return expandLocaleTokens(format).replaceAll(
    /\[([^\]]*)\]|Do|[YMDdHhmsAa]+|[A-Za-z]+|[^A-Za-z[]+/g,
    (token, literal?: string) => {
      if (literal !== undefined) return literal === "" ? "" : `"${literal.replaceAll('"', "")}"`;
      const known = DATE_CODES_BY_TOKEN[token];
      if (known !== undefined) return known;
      // Adjacent letters may be several tokens: `mma` is minutes and AM/PM.
      if (/^[A-Za-z]+$/.test(token)) return lettersCode(token);
      return /^[\s\-/:.,]+$/.test(token) ? token : `"${token.replaceAll('"', "")}"`;
    },
  );
}

const lettersCode = (letters: string): string =>
  letters.replaceAll(/(.)\1*/g, (token) => DATE_CODES_BY_TOKEN[token] ?? "");
