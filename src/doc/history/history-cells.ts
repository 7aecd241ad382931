import { bytesRepr } from "../../values/bytes-repr.ts";
import { CELL_CODES } from "../../values/cell.ts";

/** Converts a value of the history for JSON: bytes that are not text become their Python representation. */
export function cellFromHistory(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return [CELL_CODES.unmarshallable, bytesRepr(value)];
  return Array.isArray(value) ? value.map(cellFromHistory) : mapped(value);
}

const mapped = (value: object): object =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cellFromHistory(item)]));
