/** Steps of binding arguments and the call itself, for built-in and user-defined functions. */
export const CALL_STEPS = 6;

/** Measured extra steps of expensive functions and methods, with their names. */
const EXPENSIVE: ReadonlyMap<number, string> = new Map([
  [
    10,
    "DATE DATE_TO_XL DATEVALUE Decimal divmod DTIME EDATE EOMONTH FIND fromisoformat fromtimestamp " +
      "hash id isoformat max min POWER randint replace str SUM SUMPRODUCT TRIM .difference " +
      ".intersection .union",
  ],
  [
    20,
    "b64decode capwords comb Counter DATEADD defaultdict dict dumps factorial format from_bytes " +
      "gmtime loads localtime maketrans match md5 MROUND new NOW OrderedDict quantize quote search sha1 " +
      "sha256 sha512 strptime timedelta TODAY unquote urlencode UUID uuid4 YEARFRAC .casefold .decode " +
      ".encode .format .hex .match .search .title .translate",
  ],
  [
    30,
    "as_integer_ratio namedtuple REGEXEXTRACT REGEXREPLACE strftime XL_TO_DATE .as_integer_ratio " +
      ".from_bytes .fromhex .to_bytes",
  ],
  [60, "complex Fraction fsum mean pstdev pvariance quantiles stdev VALUE variance wrap"],
  [500, "dir"],
  [800, "calendar month"],
]);

const EXTRA_STEPS: ReadonlyMap<string, number> = new Map(
  Array.from(EXPENSIVE).flatMap(([steps, names]) => names.split(" ").map((name) => [name, steps] as const)),
);

/**
 * Returns the fixed steps of a call in addition to `CALL_STEPS`. `name` may be a `.method`.
 */
export const extraCallSteps = (name: string): number => EXTRA_STEPS.get(name) ?? 0;

/** Returns the bytes of a new list with so many items, also of arguments. */
export const costOfList = (itemCount: number): number => itemCount * 8 + 16;
