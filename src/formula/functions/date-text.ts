import { MONTHS, WEEKDAYS } from "../../values/calendar.ts";
import { spendSteps } from "../runtime/budget.ts";
import { PyError } from "../runtime/errors.ts";
import type { LocalTime } from "../dates/tzinfo.ts";
import { clockMicros, dayOf, daysInMonth, partsOf, weekdayOf } from "../dates/days.ts";
import { quoteText } from "../runtime/text/text.ts";

/** The parser state of a date text. */
interface DateTextState {
  /** Numbers of year, month and day in text order; `isMonth` marks a month given by name. */
  readonly numbers: { value: number; digits: number; isMonth: boolean }[];
  weekday: number | undefined;
  /** Microseconds since midnight. */
  clock: number | undefined;
  /** True right after a time of day: a UTC offset or zone name may follow, and is ignored. */
  endsInTime: boolean;
}

/** No valid date is longer. */
const MAX_LENGTH = 200;

/**
 * Parses a date as written by people: `2022-05-06`, `5/6/22` (month first where possible), `6 May 2022 3pm`, `Friday at
 * 14:30`. Missing parts are taken from `today`. Throws PyError ParserError.
 */
export function parseDateText(text: string, today: () => number): LocalTime {
  spendSteps(text.length);
  const state: DateTextState = { numbers: [], weekday: undefined, clock: undefined, endsInTime: false };
  let rest = text.trim();
  const unknownFormat = () => new PyError("ParserError", `Unknown string format: ${quoteText(text)}`);
  if (rest === "" || rest.length > MAX_LENGTH) throw unknownFormat();
  while (rest !== "") {
    const length = consumeToken(rest, state);
    if (length === 0) throw unknownFormat();
    rest = rest.slice(length);
  }
  if (state.numbers.length === 0 && state.weekday === undefined && state.clock === undefined) throw unknownFormat();
  try {
    return { day: resolveDay(state, today), micros: state.clock ?? 0 };
  } catch (error) {
    throw error instanceof PyError ? unknownFormat() : error;
  }
}

type TokenRule = readonly [pattern: RegExp, take: (state: DateTextState, parts: RegExpExecArray) => boolean | void];

const number = (value: string, isMonth = false) => ({ value: Number(value), digits: value.length, isMonth });

/** Token rules, tried in this order; a rule returns false if its token is not valid at this point. */
const TOKEN_RULES: readonly TokenRule[] = [
  [/^[\s,;.]+/, () => true],
  // 2022-05-06T10:00, and the same without dashes.
  [/^(\d{4})(\d\d)(\d\d)(?!\d)/, (state, [, ...parts]) => addNumbers(state, parts)],
  [/^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)?(?!\d)/i, acceptCompactTime],
  [/^(\d\d)(\d\d)(\d\d)(?!\d)/, (state, [, ...parts]) => state.numbers.length === 0 && addNumbers(state, parts)],
  [/^T(\d\d)(\d\d)(\d\d)?(?:\.(\d+))?(?!\d)/i, acceptTime],
  // 10:30, 10:30:15.5 pm
  [/^T?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?(?:\s*([ap])\.?m?\b\.?)?/i, acceptTime],
  [
    /^(\d{1,2})\s*h(?:ours?)?(?:\s*(\d{1,2})\s*m(?:in(?:utes?)?)?)?(?:\s*(\d{1,2})\s*s(?:ec(?:onds?)?)?)?\b/i,
    acceptTime,
  ],
  [/^(\d{1,2})()()()\s*([ap])(?:\.?m)?\b\.?/i, acceptTime],
  [/^(?:[+-]\d{1,2}(?::?\d\d)?)(?!\d)(?:\s*\([A-Z]{3,6}\))?/, acceptZone],
  [/^(?:UTC|GMT|Z|[A-Z]{3,5})(?![a-zA-Z])(?:[+-]\d{1,2}(?::?\d\d)?(?!\d))?/, acceptZone],
  [/^(?:and|at|on|of|ad|the|st|nd|rd|th|t|m)\b/i, () => true],
  [/^([a-z]{3,9})(?![a-z])\.?/i, acceptName],
  [/^(\d{1,2})(?:st|nd|rd|th)\b/i, (state, [, day = ""]) => addNumbers(state, [day])],
  [/^(\d{1,4})(?!\d)/, (state, [, digits = ""]) => addNumbers(state, [digits])],
  // Separators between the parts of a date.
  [/^[-/]/, (state) => state.numbers.length > 0 && state.numbers.length < 3],
];

/** Returns the length of the token at the beginning; 0 if no rule accepts it. */
function consumeToken(text: string, state: DateTextState): number {
  for (const [pattern, take] of TOKEN_RULES) {
    const parts = pattern.exec(text);
    if (parts && take(state, parts)) return parts[0].length;
  }
  return 0;
}

function addNumbers(state: DateTextState, digits: readonly string[]): boolean {
  if (state.numbers.length + digits.length > 3) return false;
  state.endsInTime = false;
  state.numbers.push(...digits.map((value) => number(value)));
  return true;
}

type ClockTexts = readonly (string | undefined)[];

function acceptTime(state: DateTextState, [, ...clock]: RegExpExecArray): boolean {
  return setClock(state, clock);
}

function setClock(state: DateTextState, [hourText, minute, second, fraction, half]: ClockTexts): boolean {
  if (state.clock !== undefined) return false;
  let hour = Number(hourText);
  if (half !== undefined) {
    if (hour > 12) return false;
    hour = (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  }
  const microsecond = Number((fraction ?? "").slice(0, 6).padEnd(6, "0"));
  try {
    state.clock = clockMicros({ hour, minute: Number(minute ?? 0), second: Number(second ?? 0), microsecond });
  } catch (error) {
    if (error instanceof PyError) return false;
    throw error;
  }
  state.endsInTime = true;
  return true;
}

function acceptCompactTime(
  state: DateTextState,
  [, year = "", month = "", day = "", ...clock]: RegExpExecArray,
): boolean {
  return addNumbers(state, [year, month, day]) && setClock(state, clock);
}

/** Accepts a zone after a time and ignores it: callers supply the zone of texts. */
function acceptZone(state: DateTextState): boolean {
  const { endsInTime } = state;
  state.endsInTime = false;
  return endsInTime;
}

function acceptName(state: DateTextState, [, word = ""]: RegExpExecArray): boolean {
  const month = indexOfName(MONTHS, word);
  if (month >= 0 && state.numbers.length < 3 && !state.numbers.some((entry) => entry.isMonth)) {
    state.numbers.push(number(String(month + 1), true));
    return true;
  }
  const weekday = indexOfName(WEEKDAYS, word);
  if (weekday < 0 || state.weekday !== undefined) return false;
  state.weekday = (weekday + 6) % 7;
  return true;
}

/** Looks up a name in full or by its first three letters; September also by four. */
function indexOfName(names: readonly string[], word: string): number {
  const lowerCaseWord = word.toLowerCase();
  return names.findIndex((name) => {
    const full = name.toLowerCase();
    return (
      lowerCaseWord === full || lowerCaseWord === full.slice(0, 3) || (lowerCaseWord === "sept" && full === "september")
    );
  });
}

function resolveDay({ numbers, weekday }: DateTextState, today: () => number): number {
  const current = numbers.length === 3 ? undefined : today();
  const base = current === undefined ? { year: 0, month: 1, day: 1 } : partsOf(current);
  const assigned = assignNumbers(numbers);
  const year = assigned.year === undefined ? base.year : fullYear(assigned.year, today);
  const month = assigned.month ?? base.month;
  if (assigned.day !== undefined) return dayOf(year, month, assigned.day);
  const day = dayOf(year, month, Math.min(base.day, daysInMonth(year, month)));
  return weekday === undefined ? day : day + ((weekday - weekdayOf(day) + 7) % 7);
}

interface Year {
  readonly value: number;
  readonly digits: number;
}

/** Determines which of up to three numbers are year, month and day. */
function assignNumbers(numbers: DateTextState["numbers"]): { year?: Year; month?: number; day?: number } {
  const [first, second, third] = numbers;
  if (!first) return {};
  const isYear = (entry: Year) => entry.value > 31 || entry.digits > 2;
  const monthAt = numbers.findIndex((entry) => entry.isMonth);
  if (!second) {
    if (monthAt === 0) return { month: first.value };
    return isYear(first) ? { year: first } : { day: first.value };
  }
  if (!third) {
    if (monthAt >= 0) {
      const [month, other] = monthAt === 0 ? [first, second] : [second, first];
      return isYear(other) ? { month: month.value, year: other } : { month: month.value, day: other.value };
    }
    if (isYear(first)) return { year: first, month: second.value };
    if (isYear(second)) return { month: first.value, year: second };
    return { month: first.value, day: second.value };
  }
  if (monthAt >= 0) {
    const [before, after] = numbers.filter((entry) => !entry.isMonth);
    const month = numbers[monthAt]?.value ?? 1;
    if (!before || !after) return { month };
    return isYear(before) ? { year: before, month, day: after.value } : { day: before.value, month, year: after };
  }
  if (isYear(first)) return { year: first, month: second.value, day: third.value };
  return first.value > 12
    ? { day: first.value, month: second.value, year: third }
    : { month: first.value, day: second.value, year: third };
}

/** Two-digit years resolve to the year nearest to today. */
function fullYear({ value, digits }: Year, today: () => number): number {
  if (digits > 2) return value;
  const { year } = partsOf(today());
  const candidate = value + Math.floor(year / 100) * 100;
  if (candidate >= year + 50) return candidate - 100;
  return candidate < year - 50 ? candidate + 100 : candidate;
}
