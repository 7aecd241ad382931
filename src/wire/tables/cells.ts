import { z } from "../common/schema.ts";

/** The value of a cell, in the encoding of the API. */
export const CellValue = z
  .union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.unknown())])
  .openapi("CellValue", {
    anyOf: [
      { type: ["number", "string", "boolean", "null"] },
      { type: "array", minItems: 1, prefixItems: [{ enum: "L l O D d S C R r E P U V".split(" ") }], items: {} },
    ],
    description:
      "A number, text, boolean or null; or an array that begins with a code: `L` list, `d` date, `D` date and time, " +
      "`R` reference, `r` reference list, `O` object, `E` error, `U` unsupported value as text, `P` pending, `C` censored.",
    example: "Ada",
  } as never);

/** Cell values by column id. */
export const Fields = z
  .record(z.string().max(1000), CellValue)
  .openapi("Fields", { example: { Name: "Ada", Age: 36 } });
