import { type PyFunction, PyObject, type PyValue } from "../values.ts";
import { defineFunction } from "../signature.ts";

const SECONDS_PER_DAY = 86_400;

/** A `datetime.date`. */
export class PyDate extends PyObject {
  readonly typeName = "date";
  /** Days since 1970-01-01. */
  readonly day: number;

  constructor(day: number) {
    super();
    this.day = day;
  }

  /** The day in which a moment lies, by UTC; undefined outside of the years 1 to 9999. */
  static fromSeconds(seconds: number): PyDate | undefined {
    const day = Math.floor(seconds / SECONDS_PER_DAY);
    return day >= FIRST_DAY && day <= LAST_DAY ? new PyDate(day) : undefined;
  }

  /** Reads `2020-01-02`, `20200102` or `2020-01`; a time after it is dropped. Undefined for everything else. */
  static fromIso(text: string): PyDate | undefined {
    const parts = ISO_DATE.exec(text)?.slice(1) ?? [];
    const [year, month, day] = [parts[0] ?? parts[3], parts[1] ?? parts[4], parts[2] ?? parts[5] ?? "1"].map(Number);
    if (!year || !month || !day) return undefined;
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    // A day that the month does not have ends up in the next one.
    return date.getUTCDate() === day && date.getUTCMonth() === month - 1
      ? new PyDate(Math.round(date.getTime() / 1000 / SECONDS_PER_DAY))
      : undefined;
  }

  get seconds(): number {
    return this.day * SECONDS_PER_DAY;
  }

  get iso(): string {
    const iso = this.#date.toISOString();
    return iso.slice(0, 10);
  }

  repr(): string {
    const [year, month, day] = this.#parts;
    return `datetime.date(${year}, ${month}, ${day})`;
  }

  override str(): string {
    return this.iso;
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyDate && other.day === this.day;
  }

  override compare(other: PyValue): number | undefined {
    return other instanceof PyDate ? this.day - other.day : undefined;
  }

  override attribute(name: string): PyValue | undefined {
    const [year, month, day] = this.#parts;
    switch (name) {
      case "year":
        return BigInt(year);
      case "month":
        return BigInt(month);
      case "day":
        return BigInt(day);
      case "isoformat":
        return this.#method(name, this.iso);
      case "weekday":
        // 1970-01-01 was a Thursday; Monday is 0.
        return this.#method(name, BigInt((((this.day + 3) % 7) + 7) % 7));
      case "isoweekday":
        return this.#method(name, BigInt(((((this.day + 3) % 7) + 7) % 7) + 1));
      default:
        return undefined;
    }
  }

  override get hasOperators(): boolean {
    return true;
  }

  get #date(): Date {
    return new Date(this.seconds * 1000);
  }

  get #parts(): [year: number, month: number, day: number] {
    const date = this.#date;
    return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  }

  #method(name: string, result: PyValue): PyFunction {
    return defineFunction(name, {}, () => result);
  }
}

/** 0001-01-01 and 9999-12-31. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;

const TIME = String.raw`(?:[T ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?`;
const ISO_DATE = new RegExp(String.raw`^(?:(\d{4})-(\d{2})(?:-(\d{2}))?|(\d{4})(\d{2})(\d{2}))${TIME}$`);
