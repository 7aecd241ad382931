/** The values that fill cells beside others: the continuation of a series, or copies. */
import { civilTimeOf, DAY_S, midnightOf, secondsOf } from "../../../../../values/calendar.ts";
import type { CellValue } from "../../../../../values/cell.ts";
import { UTC, type Zone, zoneOrUtc } from "../../../../../values/zones.ts";

export interface FillType {
  /** The type of the column, as far as series differ. */
  readonly base: string;
  /** Of columns of the type `DateTime`. */
  readonly zone?: string | undefined;
}

/** Returns the value at an index after the given ones. */
export type Series = (index: number) => CellValue;

const NUMBERS = new Set(["Int", "Numeric"]);
const TEXTS = new Set(["Text", "Any"]);

/** Returns the series that fills by default; null where cells are copied. */
export function seriesOf(given: readonly CellValue[], type: FillType): Series | null {
  if (isDate(type)) return dateSeries(given, type);
  if (given.length > 1 && given.every(isNumber) && (NUMBERS.has(type.base) || type.base === "Any")) {
    const step = commonStep(given);
    return step === null ? null : numberSeries(given, step);
  }
  return TEXTS.has(type.base) ? textSeries(given) : null;
}

/** Returns the series that Ctrl fills instead of copies: a single number counts up. */
export function forcedSeries(given: readonly CellValue[], type: FillType): Series | null {
  const [only] = given;
  const counts = given.length === 1 && isNumber(only) && (NUMBERS.has(type.base) || type.base === "Any");
  return seriesOf(given, type) ?? (counts ? numberSeries([only], 1) : null);
}

/** Returns the series with a step that begins at a number or a date, in days; null for other values. */
export function steppedSeries(start: CellValue | undefined, step: number, type: FillType): Series | null {
  if (!isNumber(start)) return null;
  if (isDate(type))
    return inZone(type, (toLocal, toStored) => (at) => toStored(toLocal(start) + (at + 1) * step * DAY_S));
  return NUMBERS.has(type.base) || type.base === "Any" ? numberSeries([start], step) : null;
}

/** Returns the values of a number of cells after the given ones. A block of copied cells repeats. */
export const fillValues = (given: readonly CellValue[], count: number, series: Series | null): CellValue[] =>
  Array.from({ length: count }, (_, at) => (series ? series(at) : (given[at % given.length] ?? null)));

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const isDate = ({ base }: FillType): boolean => base === "Date" || base === "DateTime";

function numberSeries(given: readonly number[], step: number): Series {
  const last = given.at(-1) ?? 0;
  // Sums of decimal fractions are not exact.
  return (at) => Number((last + (at + 1) * step).toPrecision(14));
}

/** The step of numbers that differ by the same; null for other ones. */
function commonStep(numbers: readonly number[]): number | null {
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
  const [step = 0] = steps;
  const tolerance = 1e-9 * Math.max(1, Math.abs(step));
  return steps.every((each) => Math.abs(each - step) <= tolerance) ? Number(step.toPrecision(14)) : null;
}

/** Series of local time: a day has 24 hours, whatever the zone does. */
function inZone(
  { base, zone }: FillType,
  make: (toLocal: (seconds: number) => number, toStored: (local: number) => number) => Series,
): Series {
  const own: Zone = base === "DateTime" ? zoneOrUtc(zone) : UTC;
  return make(
    (seconds) => seconds + own.offsetAt(seconds),
    (local) => own.toUtc(civilTimeOf(local), "forward"),
  );
}

/** One date counts days; several continue their step in time, or in months. */
function dateSeries(given: readonly CellValue[], type: FillType): Series | null {
  if (!given.every(isNumber) || given.length === 0) return null;
  let series: Series | null = null;
  inZone(type, (toLocal, toStored) => {
    const local = given.map(toLocal);
    const last = local.at(-1) ?? 0;
    const step = local.length === 1 ? DAY_S : commonStep(local);
    const months = step === null ? monthStep(local) : null;
    if (step !== null) series = (at) => toStored(last + (at + 1) * step);
    else if (months !== null) series = (at) => toStored(addMonths(last, (at + 1) * months));
    return () => null;
  });
  return series;
}

/** The number of months between dates on the same day of months, or null. */
function monthStep(local: readonly number[]): number | null {
  const times = local.map(civilTimeOf);
  const [first] = times;
  const isSameDay = times.every(
    ({ day, hour, minute, second }) =>
      day === first?.day && hour === first.hour && minute === first.minute && second === first.second,
  );
  return isSameDay ? commonStep(times.map(({ year, month }) => year * 12 + month)) : null;
}

/** Days that a shorter month does not have become its last day. */
function addMonths(local: number, months: number): number {
  const time = civilTimeOf(local);
  const month = time.year * 12 + time.month - 1 + months;
  const target = { ...time, year: Math.floor(month / 12), month: (((month % 12) + 12) % 12) + 1 };
  const lastDay = civilTimeOf(midnightOf(target.year, target.month + 1, 1) - DAY_S).day;
  return secondsOf({ ...target, day: Math.min(time.day, lastDay) });
}

/** Texts that end in a number count up, with the same number of digits. */
function textSeries(given: readonly CellValue[]): Series | null {
  const parts = given.map((value) => (typeof value === "string" ? /^(.*?)(\d{1,15})$/su.exec(value) : null));
  const [first] = parts;
  const prefix = first?.[1];
  if (prefix === undefined || !parts.every((part) => part?.[1] === prefix)) return null;
  const numbers = parts.map((part) => Number(part?.[2]));
  const step = numbers.length === 1 ? 1 : commonStep(numbers);
  const last = numbers.at(-1) ?? 0;
  const width = first?.[2]?.startsWith("0") ? first[2].length : 0;
  if (step === null) return null;
  return (at) => `${prefix}${String(Math.max(0, last + (at + 1) * step)).padStart(width, "0")}`;
}
