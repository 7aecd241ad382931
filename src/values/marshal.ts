import { Marshalled, MarshalWriter } from "./marshal-writer.ts";
import { MarshalReader, type LargeIntegerMode } from "./marshal-reader.ts";

export { Marshalled };

/**
 * Python's marshal format, version 2, in which document files store values without an SQLite type. Integral numbers
 * within 32 bits are written as `i`, all others as `g`.
 */

/**
 * Encodes a value made of null, booleans, numbers, bigints, strings, bytes, lists and plain objects.
 * @throws AppError `invalid` for a value that is nested too deeply; an Error for other values
 */
export function marshal(value: unknown): Uint8Array {
  return new MarshalWriter().write(value);
}

/**
 * Decodes a value. Byte strings become strings if they are valid UTF-8, else stay bytes; mappings become plain objects
 * with string keys; integers beyond 2^53 become bigints, or with "number" the nearest number.
 * @throws Error unless the bytes are exactly one value
 */
export function unmarshal(bytes: Uint8Array, large: LargeIntegerMode = "bigint"): unknown {
  return new MarshalReader(bytes, large).readAll();
}

/**
 * Decodes one member of a mapping; the bytes may be cut off after it. Returns undefined if it is missing.
 * @throws Error if the bytes do not begin with a mapping up to the member
 */
export function unmarshalMember(bytes: Uint8Array, name: string): unknown {
  return new MarshalReader(bytes, "number").readMember(name);
}
