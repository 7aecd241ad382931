import { typeError, valueError } from "../runtime/errors.ts";
import { defineFunction, requireText } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { type PyFunction, PyObject, type PyValue, typeName } from "../runtime/values.ts";
import { currentSeconds } from "../runtime/evaluation-context.ts";
import {
  checkDay,
  clockOf,
  DAY_US,
  dayOf,
  dayOfIsoWeek,
  dayOfYear,
  EPOCH_ORDINAL,
  FIRST_DAY,
  isoWeekOf,
  LAST_DAY,
  padded,
  partsOf,
  weekdayOf,
  requirePart,
} from "./days.ts";
import { FieldTuple } from "./field-tuple.ts";
import { parsePythonIsoDate } from "./iso.ts";
import { method, type MethodTable, readMember, unboundMember } from "./members.ts";
import { formatTime } from "./strftime.ts";
import { PyTimedelta } from "./timedelta.ts";

/** A `datetime.date`; also the base of datetimes. */
export class PyDate extends PyObject {
  readonly typeName: string = "date";
  /** Days since 1970-01-01. */
  readonly day: number;

  constructor(day: number) {
    super();
    this.day = day;
  }

  /** Returns the UTC day of a timestamp; undefined outside of the years 1 to 9999. */
  static fromSeconds(seconds: number): PyDate | undefined {
    const day = Math.floor(seconds / 86_400);
    return day >= FIRST_DAY && day <= LAST_DAY ? new PyDate(day) : undefined;
  }

  override get type(): PyFunction {
    return DATE_TYPE;
  }

  /** The timestamp of midnight UTC. */
  get seconds(): number {
    return this.day * 86_400;
  }

  override get typeModule(): string {
    return "datetime";
  }

  get iso(): string {
    const { year, month, day } = partsOf(this.day);
    return `${padded(year, 4)}-${padded(month)}-${padded(day)}`;
  }

  repr(): string {
    const { year, month, day } = partsOf(this.day);
    return `datetime.date(${year}, ${month}, ${day})`;
  }

  override str(): string {
    return this.iso;
  }

  /** Implements strftime(). */
  format(format: string): string {
    return formatTime(format, { day: this.day, micros: 0 });
  }

  override formatted(spec: string): string {
    return this.format(spec);
  }

  override equals(other: PyValue): boolean {
    return isPlainDate(other) && other.day === this.day;
  }

  override compare(other: PyValue): number | undefined {
    return isPlainDate(other) ? this.day - other.day : undefined;
  }

  override hashKey(): string {
    return `\0date${this.day}`;
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (other instanceof PyTimedelta && (sign === "+" || (sign === "-" && !reflected))) {
      // Only the whole days of the timedelta count.
      const days = Number(other.days);
      return new PyDate(checkDay(sign === "+" ? this.day + days : this.day - days));
    }
    if (sign !== "-" || reflected || !isPlainDate(other)) return undefined;
    return new PyTimedelta(BigInt(this.day - other.day) * BigInt(DAY_US));
  }

  override attribute(name: string): PyValue | undefined {
    return readMember(this, name, DATE_MEMBERS);
  }
}

const isPlainDate = (value: PyValue): value is PyDate => value instanceof PyDate && value.typeName === "date";

const YEAR_MONTH_DAY = ["year", "month", "day"] as const;

/** Returns the signature of `replace(year=…, …)`, whose parameters are all optional. */
export const replaceSignature = (names: readonly string[]) => ({
  optional: names.map((name) => [name, UNCHANGED] as const),
});

/** The default of omitted `replace` arguments. */
export const UNCHANGED = new FieldTuple("unchanged", []);

export const partOrDefault = (value: PyValue | undefined, defaultValue: number): number =>
  value === UNCHANGED ? defaultValue : requirePart(value);

function replaceDate(self: PyDate, [year, month, day]: readonly PyValue[]): PyDate {
  const currentParts = partsOf(self.day);
  return new PyDate(
    dayOf(
      partOrDefault(year, currentParts.year),
      partOrDefault(month, currentParts.month),
      partOrDefault(day, currentParts.day),
    ),
  );
}

/** Returns the `time.struct_time` of a time; `isDst` is 1 or 0, or -1 if unknown. */
export function structTime({ day, micros }: { day: number; micros: number }, isDst: number): FieldTuple {
  const date = partsOf(day);
  const clock = clockOf(micros);
  const fields: [string, number][] = [
    ["tm_year", date.year],
    ["tm_mon", date.month],
    ["tm_mday", date.day],
    ["tm_hour", clock.hour],
    ["tm_min", clock.minute],
    ["tm_sec", clock.second],
    ["tm_wday", weekdayOf(day)],
    ["tm_yday", dayOfYear(day)],
    ["tm_isdst", isDst],
  ];
  return new FieldTuple(
    "time.struct_time",
    fields.map(([name, value]) => [name, BigInt(value)] as const),
  );
}

function isoCalendar(day: number): FieldTuple {
  const { year, week, weekday } = isoWeekOf(day);
  return new FieldTuple("datetime.IsoCalendarDate", [
    ["year", BigInt(year)],
    ["week", BigInt(week)],
    ["weekday", BigInt(weekday)],
  ]);
}

/** Methods that datetimes share. */
export const SHARED_METHODS: MethodTable<PyDate> = new Map([
  ["toordinal", method<PyDate>({}, (self) => BigInt(self.day + EPOCH_ORDINAL))],
  ["weekday", method<PyDate>({}, (self) => BigInt(weekdayOf(self.day)))],
  ["isoweekday", method<PyDate>({}, (self) => BigInt(weekdayOf(self.day) + 1))],
  ["isocalendar", method<PyDate>({}, (self) => isoCalendar(self.day))],
  ["strftime", method<PyDate>({ required: ["format"] }, (self, [format]) => self.format(requireText(format)))],
  ["ctime", method<PyDate>({}, (self) => self.format("%c").replace(/\d+$/, (year) => year.padStart(4, "0")))],
]);

const METHODS: MethodTable<PyDate> = new Map([
  ...SHARED_METHODS,
  ["isoformat", method<PyDate>({}, (self) => self.iso)],
  ["timetuple", method<PyDate>({}, (self) => structTime({ day: self.day, micros: 0 }, -1))],
  ["replace", method<PyDate>(replaceSignature(YEAR_MONTH_DAY), replaceDate)],
]);

export const DATE_FIELDS: ReadonlyMap<string, (self: PyDate) => PyValue> = new Map(
  YEAR_MONTH_DAY.map((name) => [name, (self: PyDate) => BigInt(partsOf(self.day)[name])] as const),
);

const DATE_MEMBERS = { fields: DATE_FIELDS, methods: METHODS };

/** Class methods that create a date or datetime from a day. */
export const dayConstructors = (make: (day: number) => PyValue): readonly [string, () => PyValue][] => [
  [
    "fromordinal",
    () =>
      defineFunction("fromordinal", { required: ["ordinal"], positionalOnly: true }, ([ordinal]) => {
        const day = requirePart(ordinal) - EPOCH_ORDINAL;
        if (day < FIRST_DAY) throw valueError("ordinal must be >= 1");
        if (day > LAST_DAY) throw valueError("year is out of range");
        return make(day);
      }),
  ],
  [
    "fromisocalendar",
    () =>
      defineFunction("fromisocalendar", { required: ["year", "week", "day"] }, ([year, week, day]) =>
        make(dayOfIsoWeek(requirePart(year), requirePart(week), requirePart(day))),
      ),
  ],
];

export const DATE_TYPE: PyType = new PyType(
  "datetime",
  defineFunction(
    "date",
    { required: YEAR_MONTH_DAY },
    ([year, month, day]) => new PyDate(dayOf(requirePart(year), requirePart(month), requirePart(day))),
  ),
  {
    isInstance: (value) => value instanceof PyDate,
    members: new Map<string, () => PyValue>([
      ["min", () => new PyDate(FIRST_DAY)],
      ["max", () => new PyDate(LAST_DAY)],
      ["resolution", () => new PyTimedelta(BigInt(DAY_US))],
      ["today", () => defineFunction("today", {}, () => dateAt(currentSeconds()))],
      [
        "fromtimestamp",
        () =>
          defineFunction("fromtimestamp", { required: ["timestamp"], positionalOnly: true }, ([timestamp = null]) => {
            if (typeof timestamp !== "number" && typeof timestamp !== "bigint") {
              throw typeError(`a number of seconds is needed, not ${typeName(timestamp)}`);
            }
            return dateAt(Number(timestamp));
          }),
      ],
      [
        "fromisoformat",
        () =>
          defineFunction("fromisoformat", { required: ["date_string"], positionalOnly: true }, ([text = null]) => {
            if (typeof text !== "string") throw typeError("fromisoformat: argument must be str");
            const day = parsePythonIsoDate(text);
            if (day === undefined) throw valueError(`Invalid isoformat string: '${text}'`);
            return new PyDate(day);
          }),
      ],
      ...dayConstructors((day) => new PyDate(day)),
    ]),
    unbound: (name) => unboundMember(name, METHODS, (value) => value instanceof PyDate),
  },
);

function dateAt(seconds: number): PyDate {
  const date = PyDate.fromSeconds(seconds);
  if (!date) throw valueError("the year is out of range");
  return date;
}
