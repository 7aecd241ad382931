import { BOOL, FLOAT, INT, type Kinds, NUMBER, OBJECT, TEXT } from "./kinds.ts";

/** What a function of the interpreter returns when it does not raise an error. */
export interface ResultRule {
  /** `number`: an int for ints and bools, a float for floats, either for a mixture. */
  readonly result: Kinds | "number";
  /** The first argument must be a date: texts are completed with the current date. */
  readonly takesDate?: true;
}

/** Names with the results of their functions. */
type Rules = readonly (readonly [names: string, rule: ResultRule])[];

const mapOf = (rules: Rules): ReadonlyMap<string, ResultRule> =>
  new Map(rules.flatMap(([names, rule]) => names.split(" ").map((name) => [name, rule] as const)));

/** Functions of plain values that depend on their arguments only: neither on the clock nor on the document. */
export const FUNCTION_RESULTS = mapOf([
  ["ABS abs MAX MIN SUM PRODUCT MOD max min", { result: "number" }],
  ["ROUND ROUNDUP ROUNDDOWN TRUNC CEILING FLOOR MROUND POWER round", { result: NUMBER }],
  ["AVERAGE SQRT EXP LN LOG LOG10 PI SIN COS TAN float", { result: FLOAT }],
  ["INT EVEN ODD QUOTIENT SIGN LEN len FIND SEARCH CODE ord int", { result: INT }],
  ["AND OR NOT EXACT ISNUMBER ISTEXT ISLOGICAL ISNONTEXT ISNA bool", { result: BOOL }],
  ["CONCAT CONCATENATE LEFT RIGHT MID UPPER LOWER PROPER TRIM CLEAN REPT REPLACE SUBSTITUTE T", { result: TEXT }],
  ["CHAR FIXED DOLLAR str repr chr hex", { result: TEXT }],
  ["DATE", { result: OBJECT }],
  ["YEAR MONTH DAY HOUR MINUTE SECOND WEEKDAY WEEKNUM ISOWEEKNUM", { result: INT, takesDate: true }],
  ["EDATE EOMONTH DATEADD", { result: OBJECT, takesDate: true }],
]);

/** Functions of modules that need no import. */
export const MODULE_FUNCTIONS = mapOf([
  [
    "math.sqrt math.exp math.log math.log10 math.sin math.cos math.tan math.fabs math.radians math.degrees",
    { result: FLOAT },
  ],
  ["math.floor math.ceil math.trunc", { result: INT }],
]);

/** Methods of texts. */
export const METHOD_RESULTS = mapOf([
  ["upper lower title capitalize swapcase strip lstrip rstrip removeprefix removesuffix replace", { result: TEXT }],
  ["zfill ljust rjust center expandtabs casefold", { result: TEXT }],
  ["find rfind index rindex count", { result: INT }],
  ["startswith endswith isupper islower istitle isdigit isdecimal isnumeric isalpha isalnum isspace", { result: BOOL }],
]);
