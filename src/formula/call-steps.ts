/** Steps that binding arguments and the call itself take, of functions of ours as of those of formulas. */
export const CALL_STEPS = 6;

/** Further steps of functions and methods that take much longer than others, whatever their arguments. Measured. */
const EXPENSIVE: readonly (readonly [steps: number, names: string])[] = [
  [
    10,
    ".union .intersection .difference min max randint FIND replace isoformat SUMPRODUCT Decimal DATE DATE_TO_XL DATEVALUE DTIME EDATE EOMONTH SUM POWER TRIM divmod fromisoformat fromtimestamp hash id str",
  ],
  [
    20,
    "DATEADD MROUND NOW TODAY YEARFRAC .encode .decode .hex .translate .casefold dumps loads gmtime localtime maketrans",
  ],
  [20, ".format .title Counter dict quantize strptime unquote capwords b64decode format .match .search match search "],
  [
    20,
    "md5 sha1 sha256 sha512 new timedelta urlencode quote OrderedDict defaultdict comb factorial uuid4 UUID from_bytes",
  ],
  [
    30,
    "strftime as_integer_ratio .as_integer_ratio .to_bytes .from_bytes .fromhex XL_TO_DATE REGEXEXTRACT REGEXREPLACE namedtuple",
  ],
  [60, "VALUE complex Fraction fsum quantiles stdev variance pstdev pvariance mean wrap"],
  [500, "dir"],
  [800, "month calendar"],
];

const FURTHER: ReadonlyMap<string, number> = new Map(
  EXPENSIVE.flatMap(([steps, names]) => names.split(" ").map((name) => [name, steps] as const)),
);

/** Further steps of a call, besides `CALL_STEPS` and those that depend on its arguments. `name` may be a `.method`. */
export const furtherSteps = (name: string): number => FURTHER.get(name) ?? 0;
