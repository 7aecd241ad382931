import { Marshalled, MarshalWriter } from "./marshal-writer.ts";
import { MarshalReader, type LargeIntegerMode } from "./marshal-reader.ts";

export { Marshalled };

/**
 * Python's marshal format, version 2: how document files keep what SQLite has no form for. Numbers without a fraction
 * within 32 bits are written as `i`, all others as `g`.
 */

/**
 * The bytes for a value made of null, booleans, numbers, bigints, texts, bytes, lists and plain objects. Throws AppError
 * `invalid` for a value that is nested too deeply, and an Error for anything else.
 */
export function marshal(value: unknown): Uint8Array {
  return new MarshalWriter().write(value);
}

/**
 * The value the bytes stand for. Byte strings become texts when they are UTF-8, else stay bytes; mappings become plain
 * objects with texts as keys; integers beyond 2^53 become bigints, or with "number" the nearest number.
 * Throws an Error when the bytes are anything but one whole value.
 */
export function unmarshal(bytes: Uint8Array, large: LargeIntegerMode = "bigint"): unknown {
  return new MarshalReader(bytes, large).readAll();
}
