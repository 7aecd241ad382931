import { readAttribute } from "../runtime/classes/attributes.ts";
import { DATE_TYPE, PyDate } from "../dates/date.ts";
import { PyDateTime } from "../dates/datetime.ts";
import { checkDay, dayNumber, dayOf, isoWeekOf, partsOf, weekdayOf } from "../dates/days.ts";
import { TIMEDELTA_TYPE } from "../dates/timedelta.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { requireHashable } from "../runtime/hash.ts";
import { add, BINARY, COMPARE } from "../runtime/operators.ts";
import { defineFunction, type Signature } from "../runtime/signature.ts";
import { type HashKey, itemsOf, pyEquals, type PyFunction, pyRepr, type PyValue } from "../runtime/values.ts";
import { dateDifference, yearFraction } from "./date-differences.ts";
import {
  nowIn,
  SERIAL_EPOCH,
  serialOf,
  toAwareDateTime,
  toDateTime,
  toDay,
  requireDateText,
  requireZone,
} from "./date-values.ts";
import { moonPhase } from "./moon-phase.ts";
import { schedule } from "./schedule.ts";

const ZONE = { optional: [["tz", null]] } as const;
const DATE: Signature = { required: ["date"] };
const WEEK: Signature = { required: ["date"], optional: [["return_type", 1n]] };

const dateTimeFunction = (name: string, read: (time: PyDateTime) => PyValue): PyFunction =>
  defineFunction(name, DATE, ([date]) => read(toDateTime(date)));

const timePartFunction = (name: string, part: "hour" | "minute" | "second"): PyFunction =>
  dateTimeFunction(name, (time) => readAttribute(time, part));

/** Functions on dates and times. */
export const DATE_FUNCTIONS: readonly PyFunction[] = [
  /** DATE(year, month, day): out-of-range months and days overflow; years below 1900 are added to 1900. */
  defineFunction("DATE", { required: ["year", "month", "day"] }, ([year = null, month = null, day = null]) =>
    makeDate(year, month, day),
  ),
  /** DATEADD(start_date, days=0, months=0, years=0, weeks=0) */
  defineFunction(
    "DATEADD",
    { required: ["start_date"], optional: ["days", "months", "years", "weeks"].map((name) => [name, 0n] as const) },
    ([start = null, days = null, months = null, years = null, weeks = null]) =>
      addToDate(start, { years, months, days, weeks }),
  ),
  /**
   * DATEDIF(start_date, end_date, unit): in days, months or years (D M Y), or the remainder below larger units (MD YM
   * YD).
   */
  defineFunction("DATEDIF", { required: ["start_date", "end_date", "unit"] }, ([start, end, unit = null]) =>
    BigInt(dateDifference(toDay(start), toDay(end), unit)),
  ),
  /** DATEVALUE(date_string, tz=None): parses a text as a time in the zone. */
  defineFunction("DATEVALUE", { required: ["date_string"], ...ZONE }, ([text, tz]) => requireDateText(text, tz)),
  /** DATE_TO_XL(date_value): the spreadsheet serial number. */
  defineFunction("DATE_TO_XL", { required: ["date_value"] }, ([value]) => serialOf(toDateTime(value))),
  /** DAY(date) */
  dateTimeFunction("DAY", (time) => BigInt(partsOf(time.day).day)),
  /** DAYS(end_date, start_date): the difference in whole days. */
  defineFunction("DAYS", { required: ["end_date", "start_date"] }, ([end, start]) => {
    const distance = BINARY["-"](toDateTime(end), toDateTime(start));
    return readAttribute(distance, "days");
  }),
  /** DTIME(value, tz=None): an aware datetime; aware values keep their zone. */
  defineFunction("DTIME", { required: ["value"], ...ZONE }, ([value, tz]) => toAwareDateTime(value, tz)),
  /** EDATE(start_date, months) */
  defineFunction("EDATE", { required: ["start_date", "months"] }, ([start = null, months = null]) =>
    addToDate(start, { years: 0n, months, days: 0n, weeks: 0n }),
  ),
  /** EOMONTH(start_date, months): the last day of the month. */
  defineFunction("EOMONTH", { required: ["start_date", "months"] }, ([start = null, months = null]) =>
    makeDate(readAttribute(start, "year"), add(add(readAttribute(start, "month"), months), 1n), 0n),
  ),
  /** HOUR(time) */
  timePartFunction("HOUR", "hour"),
  /** ISOWEEKNUM(date) */
  dateTimeFunction("ISOWEEKNUM", (time) => BigInt(isoWeekOf(time.day).week)),
  /** MINUTE(time) */
  timePartFunction("MINUTE", "minute"),
  /** MONTH(date) */
  dateTimeFunction("MONTH", (time) => BigInt(partsOf(time.day).month)),
  /**
   * MOONPHASE(date, output="emoji"): an emoji, its "lunacy" variant, "days" since new moon, or the "fraction" of a
   * lunar month.
   */
  defineFunction("MOONPHASE", { ...DATE, optional: [["output", "emoji"]] }, ([date, output = null]) =>
    moonPhase(toDateTime(date), output),
  ),
  /** NETWORKDAYS(start_date, end_date, holidays=[]): days from Monday to Friday, both ends included. */
  defineFunction(
    "NETWORKDAYS",
    { required: ["start_date", "end_date"], optional: [["holidays", ""]] },
    ([start, end, holidays = null]) => {
      const [from, to] = [toDay(start), toDay(end)];
      return BigInt(workDays(from, to, new Set(itemsOf(holidays).map(toDay))));
    },
  ),
  /** NOW(tz=None) */
  defineFunction("NOW", ZONE, ([tz]) => nowIn(requireZone(tz))),
  /** SCHEDULE(schedule, start=None, count=10, end=None): the times of a recurring schedule. */
  defineFunction(
    "SCHEDULE",
    {
      required: ["schedule"],
      optional: [
        ["start", null],
        ["count", 10n],
        ["end", null],
      ],
    },
    schedule,
  ),
  /** SECOND(time) */
  timePartFunction("SECOND", "second"),
  /** TODAY(tz=None) */
  defineFunction("TODAY", ZONE, ([tz]) => new PyDate(nowIn(requireZone(tz)).day)),
  /**
   * WEEKDAY(date, return_type=1): 1 for Sunday; types 2 and 11 to 17 start on other days, 3 counts from 0 for Monday.
   */
  defineFunction("WEEKDAY", WEEK, ([date, type = null]) => {
    const { first, count } = requireWeekType(type);
    return BigInt(((weekdayOf(toDateTime(date).day) - first + 7) % 7) + count);
  }),
  /** WEEKNUM(date, return_type=1): the week of the year, with the same week starts as WEEKDAY; 21 for ISO weeks. */
  defineFunction("WEEKNUM", WEEK, ([date, type = null]) => {
    if (pyEquals(type, 21n)) return BigInt(isoWeekOf(toDateTime(date).day).week);
    const { first } = requireWeekType(type);
    const time = toDateTime(date);
    if (time.tz) throw typeError("can't subtract offset-naive and offset-aware datetimes");
    const newYear = dayNumber(partsOf(time.day).year, 1, 1);
    const before = (weekdayOf(newYear) - first + 7) % 7;
    return BigInt(Math.floor((time.day - newYear + before) / 7) + 1);
  }),
  /** XL_TO_DATE(value, tz=None): the time of a spreadsheet serial number, in the zone. */
  defineFunction("XL_TO_DATE", { required: ["value"], ...ZONE }, ([value = null, tz]) =>
    add(new PyDateTime({ day: SERIAL_EPOCH, micros: 0 }, requireZone(tz)), daysOf(value)),
  ),
  /** YEAR(date) */
  dateTimeFunction("YEAR", (time) => BigInt(partsOf(time.day).year)),
  /** YEARFRAC(start_date, end_date, basis=0): the difference in years, by a day count convention. */
  defineFunction(
    "YEARFRAC",
    { required: ["start_date", "end_date"], optional: [["basis", 0n]] },
    ([start = null, end = null, basis = null]) => yearFraction(start, end, basis),
  ),
];

const daysOf = (value: PyValue): PyValue => TIMEDELTA_TYPE.call([value], new Map());

/** Years and months must be ints; a fraction of days is dropped. */
function makeDate(year: PyValue, month: PyValue, day: PyValue): PyValue {
  if (isSmallInt(year) && isSmallInt(month) && isSmallInt(day)) {
    const full = year < 1900n ? Number(year) + 1900 : Number(year);
    const beforeMonth = Number(month) - 1;
    const first = dayOf(full + Math.floor(beforeMonth / 12), (((beforeMonth % 12) + 12) % 12) + 1, 1);
    return new PyDate(checkDay(first + Number(day) - 1));
  }
  const full = COMPARE["<"](year, 1900n) ? add(year, 1900n) : year;
  const beforeMonth = BINARY["-"](month, 1n);
  const inYear = add(BINARY["%"](beforeMonth, 12n), 1n);
  const overflow = BINARY["//"](beforeMonth, 12n);
  const first = DATE_TYPE.call([add(full, overflow), inYear, 1n], new Map());
  return add(first, daysOf(BINARY["-"](day, 1n)));
}

const isSmallInt = (value: PyValue): value is bigint => typeof value === "bigint" && BigInt.asIntN(31, value) === value;

function addToDate(start: PyValue, by: { years: PyValue; months: PyValue; days: PyValue; weeks: PyValue }): PyValue {
  const year = add(readAttribute(start, "year"), by.years);
  const month = add(readAttribute(start, "month"), by.months);
  const day = add(readAttribute(start, "day"), by.days);
  return makeDate(year, month, add(day, BINARY["*"](by.weeks, 7n)));
}

/** Types of weeks: the first weekday, 0 for Monday, and its number. */
const WEEKS: ReadonlyMap<HashKey, { first: number; count: number }> = new Map([
  [1, { first: 6, count: 1 }],
  [2, { first: 0, count: 1 }],
  [3, { first: 0, count: 0 }],
  ...[0, 1, 2, 3, 4, 5, 6].map((first) => [11 + first, { first, count: 1 }] as const),
]);

/** Returns the type of weeks. Throws PyError ValueError for an unknown type, TypeError for unhashable values. */
function requireWeekType(type: PyValue): { first: number; count: number } {
  const week = WEEKS.get(requireHashable(type));
  if (!week) throw valueError(`Invalid return type ${pyRepr(type)}`);
  return week;
}

function workDays(start: number, end: number, holidays: ReadonlySet<number>): number {
  if (start > end) return -workDays(end, start, holidays);
  const isWorkDay = (day: number) => weekdayOf(day) < 5;
  const weeks = Math.floor((end - start + 1) / 7);
  let count = weeks * 5;
  for (let day = start + weeks * 7; day <= end; day++) count += Number(isWorkDay(day));
  for (const day of holidays) if (day >= start && day <= end && isWorkDay(day)) count--;
  return count;
}
