/** What is refused to everybody, before it is known whether a thing exists and who may. */
import type { z } from "@hono/zod-openapi";
import { invalidPayload } from "../errors.ts";
import { validate } from "../payload.ts";

/** A name may be missing, but not empty. */
export function requireNonEmptyName(body: object): void {
  if ("name" in body && !body.name) throw invalidPayload("Error: body.name: may not be empty");
}

/** The whole body must have its form. */
export const requireValidBody =
  (schema: z.ZodType) =>
  (body: object): void =>
    void validate(schema, body, "body");
