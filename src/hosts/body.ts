import type { z } from "zod";
import { invalid, invalidPayload } from "../errors.ts";

/**
 * What the bytes of a JSON body say, in the shape `schema` asks for; no body counts as `{}`.
 * @throws AppError `invalid` when it is not JSON, not an object or list, or has another shape; the part is named.
 */
export function parseBody<T extends z.ZodType>(schema: T, bytes: Uint8Array | null): z.output<T> {
  const result = schema.safeParse(parseJson(bytes));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = ["body", ...(issue?.path ?? [])].join(".");
  throw invalidPayload(`Error: ${where}: ${issue?.message ?? "wrong"}`);
}

/** The object or list that the bytes of a JSON body say; no body counts as `{}`. */
export function parseJson(bytes: Uint8Array | null): object {
  if (!bytes || bytes.length === 0) return {};
  let value: unknown;
  try {
    // TextDecoder drops a byte order mark, which some clients send.
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw invalid("The body is not valid JSON");
  }
  if (typeof value !== "object" || value === null) throw invalid("The body must be a JSON object or list");
  return value;
}
