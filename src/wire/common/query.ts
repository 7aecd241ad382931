import { z } from "./schema.ts";

/** A boolean query parameter: 1, true, yes and on, in any case, are true; all other values are false. */
export const flag = (description: string) =>
  z
    .string()
    .optional()
    .transform(isOn)
    .openapi({ type: "boolean", description, example: true } as never);

/** Returns whether a boolean query parameter is true. */
export const isOn = (text: string | null | undefined): boolean => /^(1|true|yes|on)$/i.test(text ?? "");
