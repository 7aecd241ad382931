/** Tables with a column for every type and format. */

export interface GeneratedColumn {
  readonly label: string;
  readonly type: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly formula?: string;
  readonly values: readonly unknown[];
  /** For references: the label of the display column. */
  readonly shows?: string;
  /** The type, without a zone, after export and import as a text file. */
  readonly becomes: string;
  /** The same for a workbook, if different. */
  readonly inWorkbook?: string;
  /** The displayed text after import from a text file and from a workbook, if different. */
  readonly changes?: { readonly text?: Change; readonly workbook?: Change };
}

type Change = (text: string) => string;

export interface GeneratedTable {
  readonly id: string;
  readonly columns: readonly GeneratedColumn[];
}

const NUMBERS = [0, 1, -1, 1234.5678, -9_876_543.21, 0.1, 0.000_001, 123_456, 2.5, -0.005, 1000, 87_654.3];
const MONEY = [0, 1, -1, 1234.5, -9_876_543.21, 0.1, 99.99, 123_456, 2.5, -5.05, 1000, 87_654.3];
const SHARES = [0, 1, 0.5, -0.125, 0.333, 2, 0.01, 0.999, 12.5, -1, 0.25, 0.07];
const WHOLE = [0, 1, -1, 42, 1999, 12_345, -7, 2_147_483_647, 365, 8, 100, 5_000_000];

function numeric(label: string, options: Readonly<Record<string, unknown>> = {}, values = NUMBERS): GeneratedColumn {
  return { label, type: "Numeric", options, values, becomes: "Numeric" };
}

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 1000;
const DAYS = ["1999-12-31", "2024-02-29", "1969-07-20", "2001-09-09", "2024-05-06", "2030-10-25", "2024-11-01"].map(
  day,
);

function date(label: string, dateFormat?: string, becomes = "Date"): GeneratedColumn {
  const options = dateFormat === undefined ? {} : { dateFormat, isCustomDateFormat: true };
  return { label, type: "Date", options, values: [...DAYS, null], becomes, inWorkbook: "Date" };
}

const MOMENTS = DAYS.map((seconds, at) => seconds + at * 11_111);

function dateTime(
  label: string,
  zone: string,
  [dateFormat, timeFormat]: readonly [string?, string?] = [],
): GeneratedColumn {
  const options = dateFormat === undefined ? {} : { dateFormat, timeFormat };
  return { label, type: `DateTime:${zone}`, options, values: [...MOMENTS, null], becomes: "DateTime" };
}

const text = (label: string, values: readonly string[]): GeneratedColumn => ({
  label,
  type: "Text",
  values,
  becomes: "Text",
});

/** Spreadsheets write `="007"` for a text of digits, and imports unwrap it. */
const unmarked: Change = (shown) => /^="(.*)"$/.exec(shown)?.[1] ?? shown;

/** In number columns these represent missing values. */
const nothing: Change = (shown) => (shown === "-" || shown === "n/a" ? "" : shown);

/** Without a display column, a workbook has the row ids of references; 0 is none. */
const rowIds: Change = (shown) => (shown === "" ? "0" : shown.replaceAll(/\w+\[(\d+)\]/g, "$1"));

export const TABLES: readonly GeneratedTable[] = [
  {
    id: "Numbers",
    columns: [
      text("Name", ["one", "two", "three"]),
      numeric("Plain"),
      numeric("Two decimals", { decimals: 2 }),
      numeric("No decimals", { decimals: 0, maxDecimals: 0 }, [0, 1, -1.4, 1234.5678]),
      {
        ...numeric("Less than nothing", { maxDecimals: 0 }, [-0.4, 1, -1]),
        changes: { text: (shown) => (shown === "-0" ? "0" : shown) },
      },
      numeric("Two to four", { decimals: 2, maxDecimals: 4 }),
      numeric("At most three", { maxDecimals: 3 }),
      numeric("Grouped", { numMode: "decimal" }),
      numeric("Grouped two", { numMode: "decimal", decimals: 2 }),
      numeric("Grouped one to five", { numMode: "decimal", decimals: 1, maxDecimals: 5 }),
      numeric("Money", { numMode: "currency" }, MONEY),
      numeric("Euro", { numMode: "currency", currency: "EUR" }, MONEY),
      numeric("Dollar", { numMode: "currency", currency: "USD", decimals: 2 }, MONEY),
      numeric("Canada", { numMode: "currency", currency: "CAD" }, MONEY),
      numeric("Yen", { numMode: "currency", currency: "JPY" }, MONEY),
      numeric("Yuan", { numMode: "currency", currency: "CNY" }, MONEY),
      numeric("Franc", { numMode: "currency", currency: "CHF", numSign: "parens" }, MONEY),
      numeric("Pound", { numMode: "currency", currency: "GBP", decimals: 0, maxDecimals: 0 }, MONEY),
      numeric("Krona", { numMode: "currency", currency: "SEK" }, MONEY),
      numeric("Dinar", { numMode: "currency", currency: "KWD" }, MONEY),
      numeric("Share", { numMode: "percent" }, SHARES),
      numeric("Share one", { numMode: "percent", decimals: 1 }, SHARES),
      numeric("Share brackets", { numMode: "percent", decimals: 2, numSign: "parens" }, SHARES),
      numeric("Brackets", { numSign: "parens" }),
      numeric("Brackets grouped", { numMode: "decimal", numSign: "parens", decimals: 2 }),
      // Their exponents have no sign, so that they look like article numbers.
      { ...numeric("Scientific", { numMode: "scientific" }), becomes: "Text", inWorkbook: "Numeric" },
      { ...numeric("Scientific two", { numMode: "scientific", decimals: 2 }), becomes: "Text", inWorkbook: "Numeric" },
      { label: "Whole", type: "Int", values: WHOLE, becomes: "Numeric" },
      { label: "Whole grouped", type: "Int", options: { numMode: "decimal" }, values: WHOLE, becomes: "Numeric" },
      { label: "Years", type: "Int", values: [1999, 2000, 2024, 1800], becomes: "Numeric" },
      { label: "Sum", type: "Numeric", formula: "$Plain * 2", values: [], becomes: "Numeric" },
      { label: "Anything", type: "Any", formula: "$Whole + 1", values: [], becomes: "Numeric" },
      numeric("Blanks", { decimals: 1 }, [1, 2.5]),
    ],
  },
  {
    id: "Large",
    columns: [
      numeric("Large", {}, [999_999_999_999_999, 1e14, 123_456_789_012_345, -1e15 + 1]),
      { ...numeric("Too large", {}, [1e21, 1e16, 2e16]), becomes: "Text", inWorkbook: "Numeric" },
      numeric("Tiny", { maxDecimals: 15 }, [1e-15, 0.5, 0.25]),
      {
        ...numeric("All digits", { maxDecimals: 20 }, [0.1 + 0.2, 1 / 3, 100.5]),
        becomes: "Text",
        inWorkbook: "Numeric",
      },
    ],
  },
  {
    id: "Days",
    columns: [
      date("Usual"),
      date("ISO", "YYYY-MM-DD"),
      date("Slashes", "DD/MM/YYYY"),
      date("Hyphens", "DD-MM-YYYY"),
      date("Short", "D/M/YY"),
      date("Points", "DD.MM.YYYY"),
      date("Bare points", "D.M.YYYY"),
      date("Short points", "DD.MM.YY"),
      date("Year first", "YYYY/MM/DD"),
      date("Short name", "DD MMM YYYY"),
      date("Hyphened name", "D-MMM-YY"),
      date("Ordinal", "MMMM Do, YYYY"),
      date("Ordinal first", "Do MMMM YYYY"),
      date("Name first", "MMM D, YYYY"),
      date("Long", "D MMMM YYYY"),
      date("Whole", "LL"),
      date("Weekday", "ddd DD MMM YYYY", "Text"),
      date("Short weekday", "YYYY-MM-DD dd", "Text"),
      date("Month", "MMMM YYYY", "Text"),
      date("Birthday", "D MMM", "Text"),
      {
        ...date("Quarter", "[Q]Q YYYY", "Text"),
        changes: { workbook: (shown) => shown.replace(/(?<=^Q)\d/, "") },
      },
    ],
  },
  {
    id: "American",
    columns: [
      date("Slashes", "MM/DD/YYYY"),
      date("Hyphens", "MM-DD-YYYY"),
      date("Short", "M/D/YY"),
      dateTime("Moment", "America/New_York", ["MM/DD/YYYY", "h:mm A"]),
      dateTime("Padded", "America/New_York", ["MM/DD/YY", "hh:mm a"]),
    ],
  },
  {
    id: "Both_orders",
    columns: [date("Days first", "DD/MM/YYYY", "Text"), date("Months first", "MM/DD/YYYY", "Text"), date("Free")],
  },
  {
    id: "Moments",
    columns: [
      dateTime("Usual", "UTC"),
      dateTime("New York", "America/New_York"),
      dateTime("Zurich", "Europe/Zurich", ["DD.MM.YYYY", "HH:mm"]),
      dateTime("Tokyo", "Asia/Tokyo", ["YYYY/MM/DD", "HH:mm:ss"]),
      dateTime("Bare", "UTC", ["D/M/YYYY", "H:mm"]),
      dateTime("Named", "UTC", ["MMMM Do, YYYY", "h:mma"]),
      { ...dateTime("Suffix", "UTC", ["D.M.YYYY", "HH:mm [Uhr]"]), becomes: "Text", inWorkbook: "DateTime" },
      {
        ...dateTime("Offset", "Asia/Kolkata", ["YYYY-MM-DD", "HH:mm:ssZ"]),
        changes: {
          text: (shown) => (shown === "" ? "" : new Date(shown).toISOString().slice(0, 19).replace("T", " ")),
          workbook: (shown) => shown.replace("+05:30", ""),
        },
      },
      {
        ...dateTime("Zulu", "UTC", ["YYYY-MM-DD", "HH:mm:ss[Z]"]),
        changes: { text: (shown) => shown.replace("Z", "") },
      },
      {
        ...dateTime("Zone name", "Europe/Zurich", ["YYYY-MM-DD", "HH:mm z"]),
        becomes: "Text",
        inWorkbook: "DateTime",
        changes: { workbook: (shown) => shown.replace(/ [^ ]+$/, "") },
      },
    ],
  },
  {
    id: "Texts",
    columns: [
      text("Plain", ["apple", "pear, red", 'the "best"', "two\nlines", "tab\there", "ünïcode 日本", " padded "]),
      text("Zeros", ["007", "0123", "00", "010", "08"]),
      text("Formulas", ["=1+1", "=A1", "=", "+41 44 123", "-x", "@home", '"="']),
      text("Phones", ["+4144123456", "+4144123457", "+1 555 0100"]),
      text("Accounts", ["1234567890123456", "9999888877776666", "12345678901234567890"]),
      text("Articles", ["12E4", "3E7", "5E1"]),
      text("Versions", ["1.9", "1.10", "2.0"]),
      text("Yes", ["yes", "no", "yes"]),
      text("Dashes", ["-", "n/a", "–"]),
      text("Times", ["15:38", "07:05", "23:59"]),
      {
        ...text("Marked", ['="00123"', '="42"', '=""']),
        changes: { text: unmarked, workbook: unmarked },
      },
      text("Mixed", ["1", "apple", "2", "2024-01-01", "true"]),
      text("Carriage", ["a\r\nb", "c\rd", "e"]),
      {
        ...text("Long", ["x".repeat(40_000), "y"]),
        changes: { workbook: (shown) => shown.slice(0, 32_767) },
      },
    ],
  },
  {
    id: "Truths",
    columns: [
      { label: "Bool", type: "Bool", values: [true, false, true, true], becomes: "Bool" },
      { label: "Formula", type: "Bool", formula: "$Bool", values: [], becomes: "Bool" },
      { label: "All false", type: "Bool", values: [false, false, false, false], becomes: "Text", inWorkbook: "Bool" },
      { label: "Stray", type: "Bool", values: [true, false, "maybe", true], becomes: "Text" },
    ],
  },
  {
    id: "Choices",
    columns: [
      {
        label: "Choice",
        type: "Choice",
        options: { choices: ["a", "b, c"] },
        values: ["a", "b, c", "a"],
        becomes: "Text",
      },
      {
        label: "List",
        type: "ChoiceList",
        options: { choices: ["a", "b, c", "d"] },
        values: [["L", "a", "b, c"], ["L", "d"], null],
        becomes: "Text",
        changes: { workbook: (shown) => shown.replace('a, "b, c"', "a; b, c") },
      },
      {
        label: "Files",
        type: "Attachments",
        values: [["L", 1, 2], ["L", 3], null],
        becomes: "Text",
        inWorkbook: "Any",
        changes: { workbook: () => "" },
      },
      { label: "Nothing", type: "Text", values: ["", "", ""], becomes: "Any" },
    ],
  },
  {
    id: "Links",
    columns: [
      {
        label: "Choice",
        type: "Ref:Choices",
        values: [1, 2, 0],
        becomes: "Text",
        inWorkbook: "Numeric",
        changes: { workbook: rowIds },
      },
      {
        label: "Choices",
        type: "RefList:Choices",
        values: [["L", 1, 2], ["L", 3], null],
        becomes: "Text",
        changes: { workbook: (shown) => (shown === "" ? "" : rowIds(shown)) },
      },
      { label: "Shown", type: "Ref:Numbers", shows: "Plain", values: [4, 3, 1], becomes: "Numeric" },
      {
        label: "Shown days",
        type: "RefList:Days",
        shows: "ISO",
        values: [["L", 1, 2], ["L", 3], null],
        becomes: "Text",
      },
      { label: "Lookup", type: "Any", formula: "$Choice", values: [], becomes: "Text" },
      { label: "Lookups", type: "Any", formula: "$Choices", values: [], becomes: "Text" },
    ],
  },
  {
    id: "Errors",
    columns: [
      text("Name", ["one", "two", "three"]),
      { label: "Division", type: "Any", formula: "1 / 0", values: [], becomes: "Text" },
      { label: "Typed", type: "Numeric", formula: "1 / 0 if $id == 2 else $id", values: [], becomes: "Text" },
      { label: "Unknown", type: "Any", formula: "$Nothing", values: [], becomes: "Text" },
      { label: "Parts", type: "Any", formula: "[1, 'b', {'c': 2}]", values: [], becomes: "Text" },
      { label: "Day", type: "Any", formula: "DATE(2024, 2, 28 + $id)", values: [], becomes: "Date" },
      { label: "Blank", type: "Any", formula: "None", values: [], becomes: "Any" },
    ],
  },
  {
    id: "Stray",
    columns: [
      {
        ...numeric("Number", {}, [1.5, 2.25, 3, 4, 5, 6, 7, 8, 9, 10]),
        values: [1.5, 2.25, 3, 4, 5, 6, 7, 8, 9, "soon"],
      },
      { ...numeric("Money", { numMode: "currency" }), values: [1.5, 2.25, 3, 4, 5, 6, 7, 8, 9, "free"] },
      { ...numeric("Many", { decimals: 2 }), values: [1, "x", 2, "y", 3.5], becomes: "Text" },
      { ...date("Many days", "D MMM YYYY", "Text"), values: [...DAYS.slice(0, 4), "?", "!"], inWorkbook: "Text" },
      { ...dateTime("Many moments", "Asia/Tokyo"), values: [...MOMENTS.slice(0, 4), "?", "!"], becomes: "Text" },
      { ...date("Day", "DD.MM.YYYY"), values: [...DAYS, DAYS[0], DAYS[1], "later"] },
      { ...dateTime("Moment", "UTC"), values: [...MOMENTS, MOMENTS[0], MOMENTS[1], "later"] },
      { label: "Whole", type: "Int", values: [1, 2, 3, 4, 5, 6, 7, 8, 9, "10 or so"], becomes: "Numeric" },
      {
        label: "Dashes",
        type: "Numeric",
        values: [1, 2, 3, "-", "n/a"],
        becomes: "Numeric",
        changes: { text: nothing, workbook: nothing },
      },
    ],
  },
];
