import { bytesRepr } from "../../values/bytes-repr.ts";
import { CELL_CODES } from "../../values/cell.ts";

/** A value of a history as JSON can say it: bytes that are no text as Python shows them. */
export function cellFromHistory(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return [CELL_CODES.unmarshallable, bytesRepr(value)];
  return Array.isArray(value) ? value.map(cellFromHistory) : mapped(value);
}

const mapped = (value: object): object =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cellFromHistory(item)]));
