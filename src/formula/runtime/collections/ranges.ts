import { spendBytes } from "../budget.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { requireInt } from "../signature.ts";
import { PySlice, sliceRange } from "./slice-values.ts";
import { type HashKey, numberOf, PyObject, type PyValue, typeName } from "../values.ts";
import { tupleKey } from "../hash.ts";

/** A `range`. Its elements are created lazily. */
export class PyRange extends PyObject {
  readonly typeName = "range";
  readonly start: bigint;
  readonly stop: bigint;
  readonly step: bigint;
  readonly #count: number;

  constructor(start: bigint, stop: bigint, step: bigint) {
    super();
    if (step === 0n) throw valueError("range() arg 3 must not be zero");
    this.start = start;
    this.stop = stop;
    this.step = step;
    const distance = step > 0n ? stop - start : start - stop;
    const by = step > 0n ? step : -step;
    this.#count = distance > 0n ? Number((distance + by - 1n) / by) : 0;
  }

  override length(): number {
    return this.#count;
  }

  override truth(): boolean {
    return this.#count > 0;
  }

  override items(): readonly PyValue[] {
    spendBytes(this.#count * 16);
    return Array.from({ length: this.#count }, (_, index) => this.#at(index));
  }

  override *iterate(): Iterator<PyValue> {
    let value = this.start;
    for (let index = 0; index < this.#count; index++, value += this.step) yield value;
  }

  override contains(value: PyValue): boolean {
    const number = numberOf(value);
    if (number === undefined || (typeof number === "number" && !Number.isInteger(number))) return false;
    const offset = BigInt(number) - this.start;
    const index = offset / this.step;
    return offset % this.step === 0n && index >= 0n && index < BigInt(this.#count);
  }

  override getItem(index: PyValue): PyValue {
    if (index instanceof PySlice) {
      const { start, stop, step } = sliceRange(this.#count, index.start, index.stop, index.step);
      return new PyRange(this.#at(start), this.#at(stop), this.step * BigInt(step));
    }
    if (typeof index !== "bigint" && typeof index !== "boolean") {
      throw typeError(`range indices must be integers or slices, not ${typeName(index)}`);
    }
    const position = Number(requireInt(index));
    const at = position < 0 ? position + this.#count : position;
    if (at < 0 || at >= this.#count) throw new PyError("IndexError", "range object index out of range");
    return this.#at(at);
  }

  #at(index: number): bigint {
    return this.start + BigInt(index) * this.step;
  }

  override equals(other: PyValue): boolean {
    if (!(other instanceof PyRange) || other.#count !== this.#count) return false;
    if (this.#count === 0) return true;
    return other.start === this.start && (this.#count === 1 || other.step === this.step);
  }

  override hashKey(): HashKey | undefined {
    return tupleKey(["range", BigInt(this.#count), this.start, this.step]);
  }

  override attribute(name: string): PyValue | undefined {
    return name === "start" || name === "stop" || name === "step" ? this[name] : undefined;
  }

  repr(): string {
    return this.step === 1n ? `range(${this.start}, ${this.stop})` : `range(${this.start}, ${this.stop}, ${this.step})`;
  }
}
