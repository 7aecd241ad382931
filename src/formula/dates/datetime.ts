import { currentSeconds } from "../runtime/evaluation-context.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { defineFunction, requireText } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { numberOf, type PyFunction, type PyValue, typeName } from "../runtime/values.ts";
import {
  DATE_FIELDS,
  dayConstructors,
  partOrDefault,
  PyDate,
  replaceSignature,
  SHARED_METHODS,
  structTime,
  UNCHANGED,
} from "./date.ts";
import { checkDay, clockOf, DAY_US, dayOf, FIRST_DAY, LAST_DAY, partsOf, requirePart } from "./days.ts";
import { parsePythonIsoDateTime } from "./iso.ts";
import { type MemberMethod, method, type MethodTable, readMember, unboundMember } from "./members.ts";
import { formatTime } from "./strftime.ts";
import { parseTime } from "./strptime.ts";
import {
  CLOCK_NAMES,
  CLOCK_PARAMETERS,
  clockArguments,
  PyTime,
  clockFromArguments,
  replaceClock,
  requireTimezone,
  writeClock,
} from "./time.ts";
import { PyTimedelta } from "./timedelta.ts";
import { type LocalTime, PyTimezone, type PyTzInfo, shift, toTimedelta, UTC_TIMEZONE, writeOffset } from "./tzinfo.ts";

const US_PER_DAY = BigInt(DAY_US);

/** A `datetime.datetime`: aware with a time zone, naive without one. */
export class PyDateTime extends PyDate implements LocalTime {
  override readonly typeName = "datetime";
  /** Microseconds since midnight. */
  readonly micros: number;
  readonly tz: PyTzInfo | null;

  constructor({ day, micros }: LocalTime, tz: PyTzInfo | null = null) {
    super(day);
    this.micros = micros;
    this.tz = tz;
  }

  /** Returns the local time of a timestamp in a zone. Throws PyError OverflowError outside of the years 1 to 9999. */
  static fromTimestamp(seconds: number, tz: PyTzInfo): PyDateTime {
    return PyDateTime.fromUtc(PyTimedelta.fromSeconds(seconds).micros, tz);
  }

  /** `micros` are since the epoch. */
  static fromUtc(micros: bigint, tz: PyTzInfo): PyDateTime {
    const { local, tz: localZone } = tz.fromUtc(localOf(micros));
    checkDay(local.day);
    return new PyDateTime(local, localZone);
  }

  override get type(): PyFunction {
    return DATETIME_TYPE;
  }

  /** The UTC offset in microseconds; undefined for naive datetimes. */
  get offset(): number | undefined {
    return this.tz?.offset(this);
  }

  /** Microseconds since the epoch, treating the local time as UTC. */
  get localMicros(): bigint {
    return BigInt(this.day) * US_PER_DAY + BigInt(this.micros);
  }

  /** Microseconds since the epoch; naive datetimes are treated as UTC. */
  get utcMicros(): bigint {
    return this.localMicros - BigInt(this.offset ?? 0);
  }

  /** Seconds since the epoch; naive datetimes are treated as UTC. */
  get timestamp(): number {
    return new PyTimedelta(this.utcMicros).totalSeconds;
  }

  /** Returns the same instant in another zone. */
  inZone(tz: PyTzInfo): PyDateTime {
    return PyDateTime.fromUtc(this.utcMicros, tz);
  }

  override get iso(): string {
    return this.isoformat("T", "auto");
  }

  isoformat(separator: string, timespec: string): string {
    const date = new PyDate(this.day).iso;
    const offset = this.offset === undefined ? "" : writeOffset(this.offset);
    return date + separator + writeClock(this.micros, timespec) + offset;
  }

  override repr(): string {
    const { year, month, day } = partsOf(this.day);
    const tz = this.tz ? `, tzinfo=${this.tz.repr()}` : "";
    return `datetime.datetime(${year}, ${month}, ${day}, ${clockArguments(this.micros)}${tz})`;
  }

  override str(): string {
    return this.isoformat(" ", "auto");
  }

  override format(format: string): string {
    return formatTime(format, {
      day: this.day,
      micros: this.micros,
      offset: this.offset,
      zoneName: this.tz?.shortName(this),
    });
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyDateTime && isComparable(this, other) && this.#differenceTo(other) === 0n;
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PyDateTime)) return undefined;
    if (!isComparable(this, other)) throw typeError("can't compare offset-naive and offset-aware datetimes");
    const distance = this.#differenceTo(other);
    return distance < 0n ? -1 : Number(distance > 0n);
  }

  override hashKey(): string {
    return `\0datetime${this.offset === undefined ? "" : "+"}${this.utcMicros}`;
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (other instanceof PyTimedelta && (sign === "+" || (sign === "-" && !reflected))) {
      const moved = localOf(this.localMicros + (sign === "+" ? other.micros : -other.micros));
      checkDay(moved.day);
      return new PyDateTime(moved, this.tz);
    }
    if (sign !== "-" || reflected || !(other instanceof PyDateTime)) return undefined;
    if (!isComparable(this, other)) throw typeError("can't subtract offset-naive and offset-aware datetimes");
    return new PyTimedelta(this.#differenceTo(other));
  }

  override attribute(name: string): PyValue | undefined {
    return readMember<PyDateTime>(this, name, MEMBERS);
  }

  /** Within one zone, local times are subtracted: a day is 24 hours, also across a DST change. */
  #differenceTo(other: PyDateTime): bigint {
    return this.tz === other.tz ? this.localMicros - other.localMicros : this.utcMicros - other.utcMicros;
  }
}

const isComparable = (left: PyDateTime, right: PyDateTime): boolean =>
  left.tz === right.tz || (left.offset === undefined) === (right.offset === undefined);

const localOf = (micros: bigint): LocalTime => {
  const day = micros / US_PER_DAY - (micros % US_PER_DAY < 0n ? 1n : 0n);
  return { day: Number(day), micros: Number(micros - day * US_PER_DAY) };
};

const define = (
  name: string,
  signature: MemberMethod<PyDateTime>["signature"],
  body: MemberMethod<PyDateTime>["body"],
): [string, MemberMethod<PyDateTime>] => [name, method(signature, body)];

const ISOFORMAT = {
  optional: [
    ["sep", "T"],
    ["timespec", "auto"],
  ],
} as const;

const METHODS: MethodTable<PyDateTime> = new Map([
  ...SHARED_METHODS,
  define("date", {}, (self) => new PyDate(self.day)),
  define("time", {}, (self) => new PyTime(self.micros)),
  define("timetz", {}, (self) => new PyTime(self.micros, self.tz)),
  define("replace", replaceSignature(["year", "month", "day", ...CLOCK_NAMES, "tzinfo", "fold"]), replace),
  define("astimezone", { optional: [["tz", null]] }, (self, [tz]) => self.inZone(requireTimezone(tz) ?? UTC_TIMEZONE)),
  define("utcoffset", {}, (self) => toTimedelta(self.offset)),
  define("dst", {}, (self) => toTimedelta(self.tz?.dstOffset(self))),
  define("tzname", {}, (self) => self.tz?.shortName(self) ?? null),
  define("timestamp", {}, (self) => self.timestamp),
  define("isoformat", ISOFORMAT, (self, [separator, timespec]) => {
    const text = requireText(separator);
    if (Array.from(text).length !== 1) throw typeError("isoformat() argument 1 must be a unicode character");
    return self.isoformat(text, requireText(timespec));
  }),
  define("timetuple", {}, (self) => structTime(self, dstFlag(self))),
  define("utctimetuple", {}, (self) => structTime(shift(self, -(self.offset ?? 0)), 0)),
]);

function replace(self: PyDateTime, [year, month, day, ...clock]: readonly PyValue[]): PyDateTime {
  const currentParts = partsOf(self.day);
  const days = dayOf(
    partOrDefault(year, currentParts.year),
    partOrDefault(month, currentParts.month),
    partOrDefault(day, currentParts.day),
  );
  const tz = clock[4] === UNCHANGED ? self.tz : requireTimezone(clock[4]);
  return new PyDateTime({ day: days, micros: replaceClock(self.micros, clock) }, tz);
}

function dstFlag(self: PyDateTime): number {
  const summer = self.tz?.dstOffset(self);
  return summer === undefined ? -1 : Number(summer !== 0);
}

const MEMBERS = {
  fields: new Map<string, (self: PyDateTime) => PyValue>([
    ...DATE_FIELDS,
    ...CLOCK_NAMES.map((name) => [name, (self: PyDateTime) => BigInt(clockOf(self.micros)[name])] as const),
    ["tzinfo", (self) => self.tz],
    ["fold", () => 0n],
  ]),
  methods: METHODS,
};

const midnight = (day: number): PyDateTime => new PyDateTime({ day, micros: 0 });

/** Returns a naive datetime in UTC, the server's zone, or an aware one in the given zone. */
function fromTimestampIn(value: PyValue | undefined, zone: PyValue | undefined): PyDateTime {
  const seconds = numberOf(value ?? null);
  if (seconds === undefined) throw typeError(`a number of seconds is needed, not ${typeName(value ?? null)}`);
  const tz = requireTimezone(zone);
  const micros = PyTimedelta.fromSeconds(Number(seconds)).micros;
  const { day } = localOf(micros);
  if (day < FIRST_DAY || day > LAST_DAY) throw valueError("year is out of range");
  return tz ? PyDateTime.fromUtc(micros, tz) : new PyDateTime(localOf(micros));
}

const UTC_ZONE = { optional: [["tz", null]] } as const;

const CLASS_METHODS: readonly PyFunction[] = [
  defineFunction("now", UTC_ZONE, ([tz]) => fromTimestampIn(currentSeconds(), tz)),
  defineFunction("today", {}, () => fromTimestampIn(currentSeconds(), null)),
  defineFunction("utcnow", {}, () => fromTimestampIn(currentSeconds(), null)),
  defineFunction("fromtimestamp", { required: ["timestamp"], ...UTC_ZONE }, ([timestamp, tz]) =>
    fromTimestampIn(timestamp, tz),
  ),
  defineFunction("utcfromtimestamp", { required: ["timestamp"] }, ([timestamp]) => fromTimestampIn(timestamp, null)),
  defineFunction("fromisoformat", { required: ["date_string"], positionalOnly: true }, ([text = null]) => {
    if (typeof text !== "string") throw typeError("fromisoformat: argument must be str");
    const time = parsePythonIsoDateTime(text);
    if (!time) throw valueError(`Invalid isoformat string: '${text}'`);
    return new PyDateTime(time, time.tz);
  }),
  defineFunction(
    "combine",
    { required: ["date", "time"], optional: [["tzinfo", true]] },
    ([date = null, time = null, tz]) => {
      if (!(date instanceof PyDate))
        throw typeError(`combine() argument 1 must be datetime.date, not ${typeName(date)}`);
      if (!(time instanceof PyTime))
        throw typeError(`combine() argument 2 must be datetime.time, not ${typeName(time)}`);
      return new PyDateTime({ day: date.day, micros: time.micros }, tz === true ? time.tz : requireTimezone(tz));
    },
  ),
  defineFunction(
    "strptime",
    { required: ["date_string", "format"], positionalOnly: true },
    ([text = null, format = null]) => {
      if (typeof text !== "string") throw typeError(`strptime() argument 1 must be str, not ${typeName(text)}`);
      if (typeof format !== "string") throw typeError(`strptime() argument 2 must be str, not ${typeName(format)}`);
      const { day, micros, offset, zoneName } = parseTime(text, format);
      return new PyDateTime({ day, micros }, offset === undefined ? null : new PyTimezone(offset, zoneName));
    },
  ),
];

export const DATETIME_TYPE: PyType = new PyType(
  "datetime",
  defineFunction(
    "datetime",
    { required: ["year", "month", "day"], optional: CLOCK_PARAMETERS },
    ([year, month, day, ...clock]) =>
      new PyDateTime(
        { day: dayOf(requirePart(year), requirePart(month), requirePart(day)), micros: clockFromArguments(clock) },
        requireTimezone(clock[4]),
      ),
  ),
  {
    isInstance: (value) => value instanceof PyDateTime,
    members: new Map<string, () => PyValue>([
      ["min", () => midnight(FIRST_DAY)],
      ["max", () => new PyDateTime({ day: LAST_DAY, micros: DAY_US - 1 })],
      ["resolution", () => new PyTimedelta(1n)],
      ...CLASS_METHODS.map((classMethod) => [classMethod.name, () => classMethod] as const),
      ...dayConstructors(midnight),
    ]),
    unbound: (name) => unboundMember(name, METHODS, (value) => value instanceof PyDateTime),
  },
);
