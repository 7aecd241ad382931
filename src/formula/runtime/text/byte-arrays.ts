import { spendBytes } from "../budget.ts";
import { PyBytes } from "./bytes.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { numberOf, PyList, type PyValue, PyTuple, typeName } from "../values.ts";
import { selectRange, PySlice, sliceRange } from "../collections/slice-values.ts";
import { requireIndex, requireInt } from "../signature.ts";

/** A `bytearray`: mutable bytes. */
export class PyByteArray extends PyBytes {
  override readonly typeName = "bytearray";
  declare text: string;

  override hashKey(): undefined {
    return undefined;
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    const result = super.binary(sign, other, reflected);
    return result === undefined ? undefined : asByteArrays(result);
  }

  override augmented(sign: string, other: PyValue): PyValue | undefined {
    if (sign === "*") {
      const result = super.binary(sign, other, false);
      if (result instanceof PyBytes) this.text = result.text;
      return result && this;
    }
    if (sign !== "+") return undefined;
    if (!(other instanceof PyBytes)) throw typeError(`can't concat ${typeName(other)} to bytearray`);
    this.append(other.text);
    return this;
  }

  override getItem(index: PyValue): PyValue {
    if (!(index instanceof PySlice) && typeof numberOf(index) !== "bigint") {
      throw typeError(`bytearray indices must be integers or slices, not ${typeName(index)}`);
    }
    try {
      return asByteArrays(super.getItem(index));
    } catch (error) {
      throw error instanceof PyError && error.typeName === "IndexError" ? indexOutOfRange("bytearray index") : error;
    }
  }

  override setItem(index: PyValue, value: PyValue | undefined): boolean {
    spendBytes(this.text.length);
    if (index instanceof PySlice) {
      this.text = replaceSlice(this.text, index, value);
    } else {
      const at = resolveByteIndex(this.text, requireIndex(index), "bytearray index");
      this.text = this.text.slice(0, at) + (value === undefined ? "" : byteCharacter(value)) + this.text.slice(at + 1);
    }
    return true;
  }

  /** Appends bytes, one per character. */
  append(text: string): void {
    spendBytes(this.text.length + text.length);
    this.text += text;
  }

  override repr(): string {
    return `bytearray(${super.repr()})`;
  }
}

/** Converts bytes, alone or within a list or tuple, to byte arrays. */
export function asByteArrays(value: PyValue): PyValue {
  if (value instanceof PyBytes) return value instanceof PyByteArray ? value : new PyByteArray(value.text);
  if (value instanceof PyList) return new PyList(value.items().map(asByteArrays));
  return value instanceof PyTuple ? new PyTuple(value.items().map(asByteArrays)) : value;
}

/** Returns the character that represents a byte, given as an int from 0 to 255. */
export function byteCharacter(value: PyValue): string {
  const code = requireInt(value);
  if (code < 0n || code > 255n) throw valueError("byte must be in range(0, 256)");
  return String.fromCharCode(Number(code));
}

const indexOutOfRange = (what: string): PyError => new PyError("IndexError", `${what} out of range`);

/** Resolves an index; negative ones count from the end. Throws PyError IndexError if it is out of range. */
export function resolveByteIndex(characters: { readonly length: number }, index: number, what: string): number {
  const at = index < 0 ? index + characters.length : index;
  if (at < 0 || at >= characters.length) throw indexOutOfRange(what);
  return at;
}

/** Replaces a slice with other bytes; removes it if `value` is undefined. */
function replaceSlice(text: string, slice: PySlice, value: PyValue | undefined): string {
  const range = sliceRange(text.length, slice.start, slice.stop, slice.step);
  const inserted = value === undefined ? "" : bytesText(value);
  if (range.step === 1) return text.slice(0, range.start) + inserted + text.slice(Math.max(range.start, range.stop));
  const characters = text.split("");
  const positions = selectRange(Array.from(characters.keys()), range);
  if (value !== undefined && positions.length !== inserted.length) {
    throw valueError(
      `attempt to assign bytes of size ${inserted.length} to extended slice of size ${positions.length}`,
    );
  }
  for (const [index, position] of positions.entries()) characters[position] = inserted.charAt(index);
  return characters.join("");
}

/** Returns bytes or a collection of ints as characters. */
export function bytesText(value: PyValue): string {
  if (value instanceof PyBytes) return value.text;
  if (typeof value === "string") throw typeError("string argument without an encoding");
  const iterator = typeof value === "object" && value !== null ? value.iterate() : undefined;
  if (!iterator) throw typeError(`can't assign ${typeName(value)} to a slice of bytes`);
  let text = "";
  for (let item = iterator.next(); !item.done; item = iterator.next()) {
    spendBytes(1);
    text += byteCharacter(item.value);
  }
  return text;
}
