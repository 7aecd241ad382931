import { typeError, valueError } from "../runtime/errors.ts";
import { defineFunction, requireText } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { type PyFunction, PyObject, type PyValue, typeName } from "../runtime/values.ts";
import { partOrDefault, replaceSignature, UNCHANGED } from "./date.ts";
import { clockMicros, clockOf, DAY_US, dayNumber, padded, requirePart } from "./days.ts";
import { parsePythonIsoTime } from "./iso.ts";
import { method, type MethodTable, readMember, unboundMember } from "./members.ts";
import { formatTime } from "./strftime.ts";
import { PyTimedelta } from "./timedelta.ts";
import { PyTzInfo, toTimedelta, writeOffset } from "./tzinfo.ts";

/** A `datetime.time`: a time of day. */
export class PyTime extends PyObject {
  readonly typeName = "time";
  /** Microseconds since midnight. */
  readonly micros: number;
  readonly tz: PyTzInfo | null;

  constructor(micros: number, tz: PyTzInfo | null = null) {
    super();
    this.micros = micros;
    this.tz = tz;
  }

  override get type(): PyFunction {
    return TIME_TYPE;
  }

  override get typeModule(): string {
    return "datetime";
  }

  /** The UTC offset in microseconds; undefined when the time has no zone, or its offset depends on the date. */
  get offset(): number | undefined {
    return this.tz?.offset(undefined);
  }

  repr(): string {
    return `datetime.time(${clockArguments(this.micros)}${this.tz ? `, tzinfo=${this.tz.repr()}` : ""})`;
  }

  override str(): string {
    return writeClock(this.micros) + (this.offset === undefined ? "" : writeOffset(this.offset));
  }

  override formatted(spec: string): string {
    const zoneName = this.tz?.shortName(undefined);
    return formatTime(spec, { day: dayNumber(1900, 1, 1), micros: this.micros, offset: this.offset, zoneName });
  }

  override equals(other: PyValue): boolean {
    return (
      other instanceof PyTime &&
      (other.offset === undefined) === (this.offset === undefined) &&
      this.#differenceTo(other) === 0
    );
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PyTime)) return undefined;
    if ((other.offset === undefined) !== (this.offset === undefined)) {
      throw typeError("can't compare offset-naive and offset-aware times");
    }
    return this.#differenceTo(other);
  }

  override hashKey(): string {
    return `\0time${this.offset === undefined ? "" : "+"}${this.micros - (this.offset ?? 0)}`;
  }

  override attribute(name: string): PyValue | undefined {
    return readMember(this, name, MEMBERS);
  }

  #differenceTo(other: PyTime): number {
    return this.micros - (this.offset ?? 0) - (other.micros - (other.offset ?? 0));
  }
}

/** Returns the constructor arguments of a time for reprs: `7, 30`, with seconds if they are not zero. */
export function clockArguments(micros: number): string {
  const { hour, minute, second, microsecond } = clockOf(micros);
  const parts = [hour, minute, second, microsecond];
  while (parts.length > 2 && parts.at(-1) === 0) parts.pop();
  return parts.join(", ");
}

const TIMESPECS: readonly string[] = ["auto", "hours", "minutes", "seconds", "milliseconds", "microseconds"];

/** Formats a time as `07:05:09`, with a fraction if it is not zero, or to the precision of `timespec`. */
export function writeClock(micros: number, timespec = "auto"): string {
  if (!TIMESPECS.includes(timespec)) throw valueError("Unknown timespec value");
  const { hour, minute, second, microsecond } = clockOf(micros);
  const parts = [hour, minute, second].map((part) => padded(part));
  if (timespec === "hours") return padded(hour);
  if (timespec === "minutes") return parts.slice(0, 2).join(":");
  const text = parts.join(":");
  if (timespec === "milliseconds") return `${text}.${padded(Math.floor(microsecond / 1000), 3)}`;
  return timespec === "microseconds" || (timespec === "auto" && microsecond > 0)
    ? `${text}.${padded(microsecond, 6)}`
    : text;
}

/** Returns an argument that must be a time zone or None. */
export function requireTimezone(value: PyValue | undefined): PyTzInfo | null {
  if (value === null || value === undefined || value instanceof PyTzInfo) return value ?? null;
  throw typeError(`tzinfo argument must be None or of a tzinfo subclass, not type '${typeName(value)}'`);
}

export const CLOCK_NAMES = ["hour", "minute", "second", "microsecond"] as const;

/** The parameters of constructors that take a time of day. */
export const CLOCK_PARAMETERS = [
  ...CLOCK_NAMES.map((name) => [name, 0n] as const),
  ["tzinfo", null] as const,
  ["fold", 0n] as const,
];

/** Returns the time of day of constructor arguments. Throws PyError. */
export function clockFromArguments([hour, minute, second, microsecond]: readonly PyValue[]): number {
  return clockMicros({
    hour: requirePart(hour),
    minute: requirePart(minute),
    second: requirePart(second),
    microsecond: requirePart(microsecond),
  });
}

export function replaceClock(micros: number, [hour, minute, second, microsecond]: readonly PyValue[]): number {
  const currentParts = clockOf(micros);
  return clockMicros({
    hour: partOrDefault(hour, currentParts.hour),
    minute: partOrDefault(minute, currentParts.minute),
    second: partOrDefault(second, currentParts.second),
    microsecond: partOrDefault(microsecond, currentParts.microsecond),
  });
}

const METHODS: MethodTable<PyTime> = new Map([
  [
    "isoformat",
    method<PyTime>({ optional: [["timespec", "auto"]] }, (self, [timespec]) => {
      const text = writeClock(self.micros, requireText(timespec));
      return self.offset === undefined ? text : text + writeOffset(self.offset);
    }),
  ],
  ["strftime", method<PyTime>({ required: ["format"] }, (self, [format]) => self.formatted(requireText(format)))],
  [
    "replace",
    method<PyTime>(
      replaceSignature([...CLOCK_NAMES, "tzinfo", "fold"]),
      (self, args) =>
        new PyTime(replaceClock(self.micros, args), args[4] === UNCHANGED ? self.tz : requireTimezone(args[4])),
    ),
  ],
  ["utcoffset", method<PyTime>({}, (self) => toTimedelta(self.offset))],
  ["dst", method<PyTime>({}, (self) => toTimedelta(self.tz?.dstOffset(undefined)))],
  ["tzname", method<PyTime>({}, (self) => self.tz?.shortName(undefined) ?? null)],
]);

const MEMBERS = {
  fields: new Map<string, (self: PyTime) => PyValue>([
    ...CLOCK_NAMES.map((name) => [name, (self: PyTime) => BigInt(clockOf(self.micros)[name])] as const),
    ["tzinfo", (self) => self.tz],
    ["fold", () => 0n],
  ]),
  methods: METHODS,
};

export const TIME_TYPE = new PyType(
  "datetime",
  defineFunction(
    "time",
    { optional: CLOCK_PARAMETERS },
    (args) => new PyTime(clockFromArguments(args), requireTimezone(args[4])),
  ),
  {
    isInstance: (value) => value instanceof PyTime,
    members: new Map<string, () => PyValue>([
      ["min", () => new PyTime(0)],
      ["max", () => new PyTime(DAY_US - 1)],
      ["resolution", () => new PyTimedelta(1n)],
      [
        "fromisoformat",
        () =>
          defineFunction("fromisoformat", { required: ["time_string"], positionalOnly: true }, ([text = null]) => {
            if (typeof text !== "string") throw typeError("fromisoformat: argument must be str");
            const time = parsePythonIsoTime(text.replace(/^T/, ""));
            if (!time) throw valueError(`Invalid isoformat string: '${text}'`);
            return new PyTime(time.micros, time.tz);
          }),
      ],
    ]),
    unbound: (name) => unboundMember(name, METHODS, (value) => value instanceof PyTime),
  },
);
