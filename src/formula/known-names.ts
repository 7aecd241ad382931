/**
 * Names that Python, or the library of formulas, has and that are not built here. They tell a formula that we cannot
 * evaluate from one that is wrong. A name that gets built leaves this file.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

/** What formulas can use by plain name. */
export const UNBUILT_NAMES = words(`
  rec table datetime math re
  ascii bin bytes bytearray callable complex dict dir enumerate eval exec filter frozenset getattr globals
  hasattr hash help hex id input isinstance issubclass iter locals map memoryview next object oct open print
  property range reversed set setattr slice staticmethod classmethod super type vars zip __import__
  ArithmeticError AssertionError AttributeError BaseException Exception FileNotFoundError FloatingPointError
  GeneratorExit ImportError IndexError InterruptedError KeyError KeyboardInterrupt LookupError MemoryError
  ModuleNotFoundError NameError NotImplemented NotImplementedError OSError OverflowError RecursionError ReferenceError
  RuntimeError StopIteration SyntaxError SystemError SystemExit TimeoutError TypeError UnboundLocalError
  UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning ValueError Warning ZeroDivisionError Ellipsis
  DATE DATEADD EDATE EOMONTH DATEDIF DAYS DATEVALUE DTIME YEAR MONTH DAY HOUR MINUTE SECOND WEEKDAY WEEKNUM ISOWEEKNUM
  YEARFRAC NETWORKDAYS DATE_TO_XL XL_TO_DATE MOONPHASE NOW TODAY SCHEDULE
  ISERR ISERROR ISLOGICAL ISNA ISNUMBER ISTEXT ISNONTEXT ISREF ISREFLIST ISEMAIL ISURL N NA PEEK RECORD ISBLANK TYPE CELL
  REQUEST VLOOKUP CONTAINS SELF_HYPERLINK PREVIOUS NEXT RANK
  ADDRESS CHOOSE COLUMN COLUMNS GETPIVOTDATA HLOOKUP HYPERLINK INDEX INDIRECT LOOKUP MATCH OFFSET ROW ROWS
  ABS ACOS ACOSH ARABIC ASIN ASINH ATAN ATAN2 ATANH CEILING COMBIN COS COSH DEGREES EVEN EXP FACT FACTDOUBLE FLOOR GCD
  INT LCM LN LOG LOG10 MOD MROUND MULTINOMIAL NUM ODD PI POWER PRODUCT QUOTIENT RADIANS RAND RANDBETWEEN ROMAN ROUNDDOWN
  ROUNDUP SERIESSUM SIGN SIN SINH SQRT SQRTPI SUBTOTAL SUMIF SUMIFS SUMPRODUCT SUMSQ TAN TANH TRUNC UUID
  AVEDEV AVERAGE AVERAGEA AVERAGEIF AVERAGEIFS AVERAGE_WEIGHTED BINOMDIST CONFIDENCE CORREL COUNT COUNTA COVAR CRITBINOM
  DEVSQ EXPONDIST F_DIST F_DIST_RT FDIST FISHER FISHERINV FORECAST GEOMEAN HARMEAN HYPGEOMDIST INTERCEPT KURT LARGE
  LOGINV LOGNORMDIST MAX MAXA MEDIAN MIN MINA MODE NEGBINOMDIST NORMDIST NORMINV NORMSDIST NORMSINV PEARSON PERCENTILE
  PERCENTRANK PERCENTRANK_EXC PERCENTRANK_INC PERMUT POISSON PROB QUARTILE RANK_AVG RANK_EQ RSQ SKEW SLOPE SMALL
  STANDARDIZE STDEV STDEVA STDEVP STDEVPA STEYX T_INV T_INV_2T TDIST TINV TRIMMEAN TTEST VAR VARA VARP VARPA WEIBULL ZTEST
  CHAR CLEAN CODE DOLLAR EXACT FIND FIXED MID PHONE_FORMAT PROPER REGEXEXTRACT REGEXMATCH REGEXREPLACE REPLACE REPT
  SEARCH SUBSTITUTE T TASTEME TEXT TRIM VALUE
`);

/** Attributes of values, by the name of their type, or of all. */
export const UNBUILT_ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["str", words("casefold encode expandtabs format format_map isprintable maketrans translate")],
  ["int", words("as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes")],
  [
    "bool",
    words("as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes"),
  ],
  ["float", words("as_integer_ratio conjugate fromhex hex imag is_integer real")],
  ["list", words("append clear copy count extend index insert pop remove reverse sort")],
  ["tuple", words("count index")],
  [
    "date",
    words(
      "ctime fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar max min replace resolution strftime timetuple today toordinal",
    ),
  ],
  ["AltText", words("")],
]);
