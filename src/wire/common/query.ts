import { z } from "@hono/zod-openapi";

/** A boolean in a query: 1, true, yes, on in any case are true, all else is false. */
export const flag = (description: string) =>
  z
    .string()
    .optional()
    .transform(isOn)
    .openapi({ type: "boolean", description, example: true } as never);

/** How booleans in queries read. */
export const isOn = (text: string | null | undefined): boolean => /^(1|true|yes|on)$/i.test(text ?? "");
