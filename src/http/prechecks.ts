/** Checks of the body that apply to all callers, before existence and access are checked. */
import type { z } from "../wire/common/schema.ts";
import { invalidPayload } from "../errors.ts";
import { validate } from "../payload.ts";

/** Refuses an empty name; the name may be absent. */
export function requireNonEmptyName(body: object): void {
  if ("name" in body && !body.name) throw invalidPayload("Error: body.name: must not be empty");
}

/** Requires a body that matches its schema. */
export const requireValidBody =
  (schema: z.ZodType) =>
  (body: object): void =>
    void validate(schema, body, "body");
