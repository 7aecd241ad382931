import { civilTimeOf, DAY_S } from "../../values/calendar.ts";
import { zoneAbbreviation } from "../../values/zone-abbreviations.ts";
import { findZone, type Zone } from "../../values/zones.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { defineFunction } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { type PyFunction, PyObject, pyRepr, type PyValue, typeName } from "../runtime/values.ts";
import { DAY_US, padded, SECOND_US } from "./days.ts";
import { method, type MethodTable, readMember, unboundMember } from "./members.ts";
import { PyTimedelta } from "./timedelta.ts";

/** A local date and time of day. */
export interface LocalTime {
  readonly day: number;
  /** Microseconds since midnight. */
  readonly micros: number;
}

/** A `datetime.tzinfo`: defines UTC offsets. */
export abstract class PyTzInfo extends PyObject {
  /** Returns the UTC offset in microseconds; without a local time, undefined if it depends on the time. */
  abstract offset(local: LocalTime | undefined): number | undefined;
  /** Returns the abbreviation: `CEST` */
  abstract shortName(local: LocalTime | undefined): string | undefined;
  /** Returns the DST offset in microseconds; undefined if unknown. */
  abstract dstOffset(local: LocalTime | undefined): number | undefined;
  /** Returns the local time at a UTC time, and the zone that resolves its ambiguity. */
  abstract fromUtc(utc: LocalTime): { local: LocalTime; tz: PyTzInfo };

  override get type(): PyFunction {
    return TZINFO_TYPE;
  }
}

/** Adds microseconds to a local time, which may change the day. */
export function shift({ day, micros }: LocalTime, by: number): LocalTime {
  const moved = micros + by;
  const days = Math.floor(moved / DAY_US);
  return { day: day + days, micros: moved - days * DAY_US };
}

/** Zone names are case-sensitive in the IANA database; the JavaScript engine ignores case. */
const ZONE_NAME = /^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/;

const secondsOf = ({ day, micros }: LocalTime): number => day * DAY_S + Math.floor(micros / SECOND_US);

/** A zone of the IANA database. Instances are cached by name and preferred offset. */
export class PyZone extends PyTzInfo {
  readonly typeName = "tzinfo";
  readonly zone: Zone;
  /** If a local time occurs twice, the instant with this offset, in seconds, is meant. */
  readonly #preferredOffset: number | undefined;

  private constructor(zone: Zone, preferredOffset: number | undefined) {
    super();
    this.zone = zone;
    this.#preferredOffset = preferredOffset;
  }

  static #instances = new WeakMap<Zone, Map<number | undefined, PyZone>>();

  static of(zone: Zone, preferredOffset?: number): PyZone {
    let byOffset = PyZone.#instances.get(zone);
    if (!byOffset) PyZone.#instances.set(zone, (byOffset = new Map()));
    let found = byOffset.get(preferredOffset);
    if (!found) byOffset.set(preferredOffset, (found = new PyZone(zone, preferredOffset)));
    return found;
  }

  /** Throws PyError KeyError for unknown names. */
  static named(name: PyValue): PyZone {
    const zone = typeof name === "string" && ZONE_NAME.test(name) ? findZone(name) : null;
    if (!zone) throw new PyError("KeyError", `unknown time zone ${pyRepr(name)}`);
    return PyZone.of(zone);
  }

  offset(local: LocalTime | undefined): number | undefined {
    return local && this.#offsetAt(secondsOf(local)) * SECOND_US;
  }

  shortName(local: LocalTime | undefined): string | undefined {
    if (!local) return undefined;
    const seconds = secondsOf(local);
    const offset = this.#offsetAt(seconds);
    return zoneAbbreviation(this.zone, seconds - offset, offset);
  }

  dstOffset(local: LocalTime | undefined): number | undefined {
    if (!local) return undefined;
    const seconds = secondsOf(local);
    const { year } = civilTimeOf(seconds);
    const standardOffset = Math.min(...[1, 7].map((month) => this.zone.offsetAt(Date.UTC(year, month - 1, 1) / 1000)));
    return (this.#offsetAt(seconds) - standardOffset) * SECOND_US;
  }

  fromUtc(utc: LocalTime): { local: LocalTime; tz: PyZone } {
    const offset = this.zone.offsetAt(secondsOf(utc));
    return { local: shift(utc, offset * SECOND_US), tz: PyZone.of(this.zone, offset) };
  }

  repr(): string {
    return `tzinfo(${this.zone.name})`;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "zone") return new PyZoneInfo(this.zone);
    return readMember(this, name, MEMBERS);
  }

  #offsetAt(seconds: number): number {
    const favored = this.#preferredOffset;
    if (favored !== undefined && this.zone.offsetAt(seconds - favored) === favored) return favored;
    return seconds - this.zone.toUtc(civilTimeOf(seconds), "after");
  }
}

/** The value of `tzinfo.zone`: the zone itself, by name. */
class PyZoneInfo extends PyObject {
  readonly typeName = "Zone";
  readonly #zone: Zone;

  constructor(zone: Zone) {
    super();
    this.#zone = zone;
  }

  repr(): string {
    return `Zone(${this.#zone.name})`;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyZoneInfo && other.#zone === this.#zone;
  }

  override attribute(name: string): PyValue | undefined {
    return name === "name" ? this.#zone.name : undefined;
  }
}

/** A `datetime.timezone`: a fixed UTC offset. */
export class PyTimezone extends PyTzInfo {
  readonly typeName = "timezone";
  /** Microseconds. */
  readonly #offset: number;
  readonly #name: string | undefined;

  constructor(offset: number, name?: string) {
    super();
    this.#offset = offset;
    this.#name = name;
  }

  override get type(): PyFunction {
    return TIMEZONE_TYPE;
  }

  offset(): number {
    return this.#offset;
  }

  shortName(): string {
    if (this.#name !== undefined) return this.#name;
    return this.#offset === 0 ? "UTC" : `UTC${writeOffset(this.#offset)}`;
  }

  dstOffset(): undefined {
    return undefined;
  }

  override get typeModule(): string {
    return "datetime";
  }

  fromUtc(utc: LocalTime): { local: LocalTime; tz: PyTimezone } {
    return { local: shift(utc, this.#offset), tz: this };
  }

  repr(): string {
    if (this.#offset === 0 && this.#name === undefined) return "datetime.timezone.utc";
    const name = this.#name === undefined ? "" : `, '${this.#name}'`;
    return `datetime.timezone(${new PyTimedelta(BigInt(this.#offset)).repr()}${name})`;
  }

  override str(): string {
    return this.shortName();
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyTimezone && other.#offset === this.#offset;
  }

  override hashKey(): string {
    return `\0timezone${this.#offset}`;
  }

  override attribute(name: string): PyValue | undefined {
    return readMember(this, name, MEMBERS);
  }
}

/** Formats an offset as `+02:00`, with seconds and microseconds if they are not zero. */
export function writeOffset(offset: number, separator = ":"): string {
  const micros = Math.abs(offset);
  const seconds = Math.floor(micros / SECOND_US);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (micros % (60 * SECOND_US) !== 0) parts.push(seconds % 60);
  const fraction = micros % SECOND_US === 0 ? "" : `.${padded(micros % SECOND_US, 6)}`;
  return (offset < 0 ? "-" : "+") + parts.map((part) => padded(part)).join(separator) + fraction;
}

/** Converts the result of a zone's method to a timedelta or None. */
export const toTimedelta = (micros: number | undefined): PyTimedelta | null =>
  micros === undefined ? null : new PyTimedelta(BigInt(micros));

const LOCAL = { required: ["dt"], positionalOnly: true } as const;

function requireLocalTime(value: PyValue | undefined): LocalTime | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof PyObject && isLocalTime(value)) return value;
  throw typeError(`a datetime is needed, not ${typeName(value)}`);
}

// A structural check: importing the datetime class would create an import cycle.
const isLocalTime = (value: object): value is PyObject & LocalTime => "day" in value && "micros" in value;

const METHODS: MethodTable<PyTzInfo> = new Map([
  ["utcoffset", method(LOCAL, (self, [dt]) => toTimedelta(self.offset(requireLocalTime(dt))))],
  ["dst", method(LOCAL, (self, [dt]) => toTimedelta(self.dstOffset(requireLocalTime(dt))))],
  ["tzname", method(LOCAL, (self, [dt]) => self.shortName(requireLocalTime(dt)) ?? null)],
]);

const MEMBERS = { fields: new Map<string, (self: PyTzInfo) => PyValue>(), methods: METHODS };

export const TZINFO_TYPE = new PyType(
  "datetime",
  defineFunction("tzinfo", {}, () => {
    throw typeError("tzinfo has no values of its own");
  }),
  {
    isInstance: (value) => value instanceof PyTzInfo,
    unbound: (name) => unboundMember(name, METHODS, (value) => value instanceof PyTzInfo),
  },
);

export const UTC_TIMEZONE = new PyTimezone(0);

export const TIMEZONE_TYPE = new PyType(
  "datetime",
  defineFunction("timezone", { required: ["offset"], optional: [["name", null]] }, ([offset = null, name]) => {
    if (!(offset instanceof PyTimedelta)) throw typeError(`timezone() needs a timedelta, not ${typeName(offset)}`);
    const micros = Number(offset.micros);
    if (Math.abs(micros) >= DAY_US)
      throw valueError("offset must be strictly between a day before and a day after UTC");
    if (name !== null && typeof name !== "string") throw typeError("the name of a timezone must be a text");
    return micros === 0 && name === null ? UTC_TIMEZONE : new PyTimezone(micros, name ?? undefined);
  }),
  {
    isInstance: (value) => value instanceof PyTimezone,
    members: new Map([
      ["utc", () => UTC_TIMEZONE],
      ["min", () => new PyTimezone(-DAY_US + 60 * SECOND_US)],
      ["max", () => new PyTimezone(DAY_US - 60 * SECOND_US)],
    ]),
    unbound: (name) => unboundMember(name, METHODS, (value) => value instanceof PyTimezone),
  },
);
