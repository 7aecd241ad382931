import { describe, expect, test } from "bun:test";
import { EvidenceCollector } from "../../../src/exchange/detect/evidence-collector.ts";
import type { InferredColumn } from "../../../src/exchange/detect/inferred-column.ts";
import {
  inferConventions,
  inferColumn,
  type FileConventions,
  type InferenceSettings,
} from "../../../src/exchange/detect/infer-conventions.ts";
import { cellConverter } from "../../../src/exchange/detect/convert-cell.ts";
import type { CellValue } from "../../../src/values/cell.ts";

type Columns = readonly (readonly CellValue[])[];

/** Returns the inferred columns of a text file with their cells. */
function found(
  columns: Columns,
  settings: InferenceSettings = { locale: "en-US" },
): { file: FileConventions; columns: (InferredColumn & { cells: CellValue[] })[] } {
  const evidence = columns.map((cells) => {
    const observer = new EvidenceCollector("anything");
    for (const cell of cells) observer.add(cell);
    return observer.evidence;
  });
  const file = inferConventions(evidence, settings);
  const decided = evidence.map((one, at) => {
    const decision = inferColumn(one, file);
    const read = cellConverter(decision.reading, decision.type);
    return { ...decision, cells: (columns[at] ?? []).map(read) };
  });
  return { file, columns: decided };
}

const one = (cells: readonly CellValue[], locale = "en-US", more: Partial<InferenceSettings> = {}) => {
  const [column] = found([cells], { locale, ...more }).columns;
  return { type: column?.type, cells: column?.cells, options: column?.widgetOptions };
};

describe("numbers", () => {
  const cases: [texts: string[], cells: CellValue[], options: Record<string, unknown>, locale?: string][] = [
    [["1", "-20", "300"], [1, -20, 300], {}],
    [["1,234.50", "99.00"], [1234.5, 99], { numMode: "decimal", decimals: 2 }],
    [["1.234,50", "99,00"], [1234.5, 99], { numMode: "decimal", decimals: 2 }],
    [["12,5", "1,25"], [12.5, 1.25], {}],
    [["1\u202f234,5", "2\u00a0000,5", "3 000,5"], [1234.5, 2000.5, 3000.5], { numMode: "decimal", decimals: 1 }],
    [["1'234.5", "1’000.5"], [1234.5, 1000.5], { numMode: "decimal", decimals: 1 }],
    [["1.234.567", "5"], [1234567, 5], { numMode: "decimal" }],
    [["46%", "8.8 %"], [0.46, 0.088], { numMode: "percent", maxDecimals: 1 }],
    [["$1,650,862.51", "-$3.00"], [1650862.51, -3], { numMode: "currency", currency: "USD", decimals: 2 }],
    [["1.650,5 €", "3,1 €"], [1650.5, 3.1], { numMode: "currency", currency: "EUR", decimals: 1 }],
    [["CHF 9’224’194.39"], [9224194.39], { numMode: "currency", currency: "CHF", decimals: 2 }],
    [["(12.50)", "7.25"], [-12.5, 7.25], { numSign: "parens", decimals: 2 }],
    [["12.50-", "\u22127.25"], [-12.5, -7.25], { decimals: 2 }],
    [["1.5E+10", "2.5e-3"], [1.5e10, 0.0025], { numMode: "scientific", decimals: 1 }],
    [["0.1", "12.34", "7"], [0.1, 12.34, 7], {}],
    [["1.0", "2.25"], [1, 2.25], { decimals: 1 }],
    [["1.50", "2.00", "3.1255"], [1.5, 2, 3.1255], { decimals: 2 }],
    [["1,000.0", "2.12345"], [1000, 2.12345], { numMode: "decimal", decimals: 1, maxDecimals: 5 }],
    [["12.50", "7"], [12.5, 7], { decimals: 2 }],
    [[".5", "1.5"], [0.5, 1.5], { decimals: 1 }],
    [["1", "n/a", "-"], [1, null, null], {}],
    [["1.50", "--"], [1.5, null], { decimals: 2 }],
    [["1,50", "#NV"], [1.5, null], { decimals: 2 }],
    [["$1.50", "$ -"], [1.5, null], { numMode: "currency", currency: "USD", decimals: 2 }],
    [["2,50 €", "-   €"], [2.5, null], { numMode: "currency", currency: "EUR", decimals: 2 }],
    [["$(12.50)", "$ 7.25"], [-12.5, 7.25], { numMode: "currency", currency: "USD", numSign: "parens", decimals: 2 }],
    [["1,50,000.00", "50,000.00"], [150000, 50000], { numMode: "decimal", decimals: 2 }],
    [["₹ 12,34,567", "₹ 500"], [1234567, 500], { numMode: "currency", currency: "INR", decimals: 0 }],
  ];
  for (const [texts, cells, options, locale] of cases) {
    test(texts.join(" · "), () => {
      expect(one(texts, locale)).toEqual({ type: "Numeric", cells, options });
    });
  }

  const texts = [
    ["007", "12"],
    ["+49", "30"],
    ["+49 30 1234", "+49 30 5678"],
    ["1234567890123456", "5"],
    ["12E4", "5E3"],
    ["1.5E10"],
    ["1.9", "1.10"],
    ["123,45,678", "1,50,00.00"],
    ["1,234,56,789"],
    ["1.50.000"],
    ["$5.00", "€6.00"],
    ["5%", "7"],
    ["12,34", "1.234,5,6"],
    ["1.2.3", "1.2.4"],
    ["12 kg", "13 kg"],
    ['="00123"', "12"],
    ["15:38", "16:00"],
  ];
  for (const cells of texts) {
    test(`${cells.join(" · ")} stay texts`, () => expect(one(cells).type).toBe("Text"));
  }

  test("one text among nine numbers stays an unconverted text, two among ten make a text column", () => {
    const nine = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    expect(one([...nine, "ten"])).toMatchObject({ type: "Numeric", cells: [1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"] });
    expect(one([...nine.slice(1), "n/a", "ten"]).type).toBe("Text");
  });

  test("three digits after a single separator are parsed according to other columns, the delimiter or the locale", () => {
    const open = ["1.234", "5"];
    const [first] = found([open, ["1,5"]]).columns;
    expect(first).toMatchObject({ cells: [1234, 5], rule: "file", ambiguous: true });
    expect(found([open], { locale: "en-US", delimiter: ";" }).columns[0]).toMatchObject({
      cells: [1234, 5],
      rule: "delimiter",
      ambiguous: true,
    });
    expect(found([open], { locale: "de-DE" }).columns[0]).toMatchObject({ cells: [1234, 5], rule: "locale" });
    expect(found([open], { locale: "en-US" }).columns[0]).toMatchObject({ cells: [1.234, 5], rule: "locale" });
    expect(found([open], { locale: "en-US", decimal: "," }).columns[0]).toMatchObject({
      cells: [1234, 5],
      rule: "request",
      ambiguous: false,
    });
  });

  test("columns that contradict the file's convention stay texts", () => {
    const { columns } = found([["1,5"], ["2,5"], ["3.5"]]);
    expect(columns.map(({ type, rule }) => [type, rule])).toEqual([
      ["Numeric", "values"],
      ["Numeric", "values"],
      ["Text", "contradiction"],
    ]);
  });
});

describe("dates", () => {
  const cases: [texts: string[], iso: string[], format: string, locale?: string][] = [
    [["2024-02-29", "2023-01-05"], ["2024-02-29", "2023-01-05"], "YYYY-MM-DD"],
    [["31.12.2024", "01.02.2003"], ["2024-12-31", "2003-02-01"], "DD.MM.YYYY"],
    [["31. 12. 2024", "1. 2. 2003"], ["2024-12-31", "2003-02-01"], "D. M. YYYY"],
    [["1.2.03", "31.12.68", "31.12.69"], ["2003-02-01", "2068-12-31", "1969-12-31"], "D.M.YY"],
    [["25/12/2024", "01/02/2003"], ["2024-12-25", "2003-02-01"], "DD/MM/YYYY"],
    [["12/25/2024", "1/2/2003"], ["2024-12-25", "2003-01-02"], "M/D/YYYY"],
    [["1/2/2003"], ["2003-01-02"], "M/D/YYYY", "en-US"],
    [["1/2/2003"], ["2003-02-01"], "D/M/YYYY", "en-GB"],
    [["01-02-03"], ["2003-02-01"], "DD-MM-YY", "de-DE"],
    [["24 May 2024", "21 Feb 2002"], ["2024-05-24", "2002-02-21"], "DD MMM YYYY"],
    [["Nov 23, 2007", "Jun 7, 2008"], ["2007-11-23", "2008-06-07"], "MMM D, YYYY"],
    [["March 1st, 2024"], ["2024-03-01"], "MMMM Do, YYYY"],
    [["24. Mai 2024", "1. Dez. 2023"], ["2024-05-24", "2023-12-01"], "DD.MM.YYYY", "de-DE"],
    [["1er février 2024", "14 juillet 1989"], ["2024-02-01", "1989-07-14"], "DD/MM/YYYY", "fr-FR"],
    [["3 de enero de 2024"], ["2024-01-03"], "DD/MM/YYYY", "es-ES"],
    [["5 gennaio 2024"], ["2024-01-05"], "DD/MM/YYYY", "it-IT"],
    [["15-Mar-24"], ["2024-03-15"], "DD-MMM-YY"],
    [["Mar-15-24", "May-1-24"], ["2024-03-15", "2024-05-01"], "MMM-D-YY"],
  ];
  for (const [texts, iso, format, locale] of cases) {
    test(`${texts.join(" · ")} ${locale ?? ""}`, () => {
      const { type, cells, options } = one(texts, locale);
      expect(type).toBe("Date");
      expect(cells?.map((cell) => new Date(Number(cell) * 1000).toISOString().slice(0, 10))).toEqual(iso);
      expect(options).toMatchObject({ dateFormat: format });
    });
  }

  test("dates with times become date-times, in the zone of the request unless the text has an offset", () => {
    const texts = ["2024-07-01 13:05", "2024-07-01T13:05:00+02:00", "2024-07-01T11:05:00Z"];
    const { type, cells } = one(texts, "en-US", { zone: "Europe/Berlin" });
    expect(type).toBe("DateTime:Europe/Berlin");
    expect(new Set(cells)).toEqual(new Set([Date.UTC(2024, 6, 1, 11, 5) / 1000]));
    const withNames = ["2024/07/01 1:05:00 PM GMT+2", "2024-07-01 05:35 UTC-5:30", "2024-07-01 11:05 GMT"];
    expect(new Set(one(withNames).cells)).toEqual(new Set([Date.UTC(2024, 6, 1, 11, 5) / 1000]));
    expect(one(["31.12.2024 9:05 pm"]).cells).toEqual([Date.UTC(2024, 11, 31, 21, 5) / 1000]);
    expect(one(["12/26/2021 02:25"]).options).toMatchObject({ dateFormat: "MM/DD/YYYY", timeFormat: "HH:mm" });
  });

  test("columns that prove both orders stay texts; the request may decide", () => {
    const columns = [["25/12/2024"], ["12/25/2024"]];
    expect(found(columns).columns.map(({ type, rule }) => [type, rule])).toEqual([
      ["Text", "contradiction"],
      ["Text", "contradiction"],
    ]);
    const decided = found(columns, { locale: "en-US", dates: "dmy" }).columns.map(({ type }) => type);
    expect(decided).toEqual(["Date", "Text"]);
  });

  test("one column's order applies to the file, and ambiguous columns are marked", () => {
    const [first, second] = found([["1/2/2003"], ["25-12-2024"]]).columns;
    expect(first).toMatchObject({ rule: "file", ambiguous: true, cells: [Date.UTC(2003, 1, 1) / 1000] });
    expect(second).toMatchObject({ rule: "values", ambiguous: false });
  });

  for (const text of ["30.02.2024", "2024-13-01", "1/2", "10-1-2024x", "15:38"]) {
    test(`${text} is no date`, () => expect(one([text]).type).toBe("Text"));
  }
});

describe("booleans", () => {
  for (const [yes, no] of [
    ["true", "false"],
    ["TRUE", "FALSE"],
    ["WAHR", "FALSCH"],
    ["Vrai", "Faux"],
    ["VERO", "FALSO"],
  ] as const) {
    test(`${yes} and ${no}`, () =>
      expect(one([yes, no, yes])).toMatchObject({ type: "Bool", cells: [true, false, true] }));
  }
  for (const cells of [["true"], ["true", "FALSE"], ["yes", "no"], ["true", "false", ""], ["VRAI", "FALSE"]]) {
    test(`${cells.join(" · ")} stay texts`, () => expect(one(cells).type).toBe("Text"));
  }
});

describe("the locale and the currency of a new document", () => {
  const cases: [columns: Columns, locale: string, expected: string, currency: string][] = [
    [[["1.234,50"]], "de-DE", "de-DE", "EUR"],
    [[["1.234,50 €"]], "en-US", "de-DE", "EUR"],
    [[["1’234.50"]], "de-DE", "de-CH", "CHF"],
    [[["1,234.50"]], "fr-FR", "en-US", "USD"],
    [[["5"]], "fr-FR", "fr-FR", "EUR"],
    [[["£5.00", "£6.50"]], "de-CH", "de-CH", "GBP"],
    [[["$5.00"]], "en-CA", "en-CA", "CAD"],
    [[["1,50,000.00"]], "en-US", "en-IN", "INR"],
    [[["1,50,000.00"]], "hi-IN", "hi-IN", "INR"],
    [[["1,50,000.00"]], "de-DE", "en-IN", "INR"],
  ];
  for (const [columns, locale, expected, currency] of cases) {
    test(`${String(columns[0])} for ${locale}`, () => {
      expect(found(columns, { locale }).file).toMatchObject({ locale: expected, currency });
    });
  }
  test("keeps the request's locale", () => {
    expect(found([["1,5"]], { locale: "en-US", isLocaleFixed: true }).file).toMatchObject({
      locale: "en-US",
      decimal: ",",
    });
  });
});

test("evidence about a column of a million different values takes less than 4 KB", () => {
  const observer = new EvidenceCollector("anything");
  for (let row = 0; row < 20_000; row++) {
    observer.add(`${row}/${row % 31}/2024 ${row % 24}:00`);
    observer.add(`€ ${row},${row % 100}`);
    observer.add(`text ${row}`);
  }
  expect(JSON.stringify(observer.evidence).length).toBeLessThan(4096);
});
