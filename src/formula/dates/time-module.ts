import { currentSeconds } from "../runtime/evaluation-context.ts";
import { overflowError, typeError, valueError } from "../runtime/errors.ts";
import { floatToInt } from "../runtime/numbers/numbers.ts";
import { defineFunction, type Signature, requireText } from "../runtime/signature.ts";
import { itemsOf, numberOf, PyTuple, type PyValue, typeName } from "../runtime/values.ts";
import { structTime } from "./date.ts";
import { clockMicros, dayNumber, dayOf, FIRST_DAY, LAST_DAY, SECOND_US, requirePart } from "./days.ts";
import { formatTime } from "./strftime.ts";
import { parseTime } from "./strptime.ts";
import type { LocalTime } from "./tzinfo.ts";

/** The module `time`, with UTC as the server's zone. No function sleeps. */

const define = (
  name: string,
  signature: Signature,
  body: (args: readonly PyValue[]) => PyValue,
): readonly [string, PyValue] => [name, defineFunction(name, signature, body)];

const SECONDS = { optional: [["seconds", null]] } as const;
const TIME = { optional: [["tuple", null]] } as const;

const structTimeFunction = (name: string): readonly [string, PyValue] =>
  define(name, SECONDS, ([seconds]) => structTime(timeAt(seconds), 0));

const ASCTIME = "%a %b %e %H:%M:%S %Y";

export const TIME_MODULE: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ["timezone", 0n],
  ["altzone", 0n],
  ["daylight", 0n],
  ["tzname", new PyTuple(["UTC", "UTC"])],
  define("time", {}, () => currentSeconds()),
  define("time_ns", {}, () => floatToInt(currentSeconds() * 1000) * 1_000_000n),
  define("monotonic", {}, () => currentSeconds()),
  define("perf_counter", {}, () => currentSeconds()),
  structTimeFunction("gmtime"),
  structTimeFunction("localtime"),
  define("asctime", TIME, ([parts]) => formatTime(ASCTIME, requireStructTime(parts))),
  define("ctime", SECONDS, ([seconds]) => formatTime(ASCTIME, timeAt(seconds))),
  define("mktime", { required: ["tuple"] }, ([parts = null]) => {
    const [year, month, day, hour, minute, second] = itemsOf(parts).slice(0, 6).map(requirePart);
    if (second === undefined) throw typeError("mktime(): illegal time tuple argument");
    const days = dayNumber(year ?? 1, month ?? 1, day ?? 1);
    return ((days * 24 + (hour ?? 0)) * 60 + (minute ?? 0)) * 60 + second;
  }),
  define("strftime", { required: ["format"], ...TIME }, ([format, parts]) =>
    formatTime(requireText(format), { ...requireStructTime(parts), offset: 0, zoneName: "UTC" }),
  ),
  define("strptime", { required: ["string"], optional: [["format", "%a %b %d %H:%M:%S %Y"]] }, ([text, format]) =>
    structTime(parseTime(requireText(text), requireText(format)), -1),
  ),
]);

/** Returns the UTC time of a timestamp; the current time for None. Throws PyError. */
function timeAt(seconds: PyValue | undefined): LocalTime {
  const number = seconds === null || seconds === undefined ? currentSeconds() : numberOf(seconds);
  if (number === undefined)
    throw typeError(`'${typeName(seconds ?? null)}' object cannot be interpreted as an integer`);
  const whole = typeof number === "bigint" ? Number(number) : Number(floatToInt(Math.floor(number)));
  const day = Math.floor(whole / 86_400);
  if (day < FIRST_DAY || day > LAST_DAY) throw overflowError("timestamp out of range for platform time_t");
  return { day, micros: (whole - day * 86_400) * SECOND_US };
}

/** Returns the time of a struct_time or a tuple; the current time for None. */
function requireStructTime(parts: PyValue | undefined): LocalTime {
  if (parts === null || parts === undefined) return timeAt(null);
  const numbers = itemsOf(parts).map(requirePart);
  if (numbers.length !== 9) throw typeError("Tuple or struct_time argument required");
  const [year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  if (second < 0 || second > 61) throw valueError("seconds out of range");
  return {
    day: dayOf(year, Math.max(1, month), Math.max(1, day)),
    micros: clockMicros({ hour, minute, second: Math.min(second, 59), microsecond: 0 }),
  };
}
