import { z } from "@hono/zod-openapi";

/** What a cell may hold, in the API's coded form. */
export const CellValue = z
  .union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.unknown())])
  .openapi("CellValue", {
    anyOf: [
      { type: ["number", "string", "boolean", "null"] },
      { type: "array", minItems: 1, prefixItems: [{ enum: "L l O D d S C R r E P U V".split(" ") }], items: {} },
    ],
    description:
      "A number, text, boolean or null; or a list whose first element is a code: `L` list, `d` date, `D` date and time, " +
      "`R` reference, `r` list of references, `O` object, `E` error, `U` anything else as text, `P` not computed yet, `C` censored.",
    example: "Ada",
  } as never);

/** Cells by column id. */
export const Fields = z
  .record(z.string().max(1000), CellValue)
  .openapi("Fields", { example: { Name: "Ada", Age: 36 } });
