import { z } from "../common/schema.ts";

/** Schemas of documents as files. */

const version = z.string().max(200).openapi({
  description: "Identifies the state of the document's content: it changes with every change.",
  example: "k3J9x.41",
});

export const SchemaFileResponse = z
  .object({
    version,
    schema: z.record(z.string(), z.unknown()).openapi({ description: "The schema: the same as in the file." }),
  })
  .openapi("SchemaFile", {
    example: {
      version: "k3J9x.41",
      schema: {
        version: 1,
        document: { timezone: "Europe/Berlin" },
        tables: { Orders: { id: "Orders", columns: { Total: { id: "Total", type: "Numeric" } } } },
        access: {},
      },
    },
  });

export const SchemaFileBody = z
  .object({
    schema: z.union([z.string().max(1_000_000), z.record(z.string(), z.unknown())]).openapi({
      description: "The schema file: its text in YAML or JSON, or the schema as JSON.",
    }),
    version: version.optional().openapi({
      description: "The state that the file was compared with. With another state, the request is refused with 409.",
    }),
    allowDataLoss: z.boolean().optional().openapi({
      description: "Allow changes that remove rows or cells. Default: false. A comparison never refuses them.",
    }),
  })
  .openapi("SchemaFileRequest", {
    example: {
      schema: "version: 1\ntables:\n  Orders:\n    id: Orders\n    columns:\n      Total: {id: Total, type: Numeric}\n",
    },
  });

const SchemaChange = z
  .object({
    kind: z.enum(["add", "remove", "rename", "change"]),
    path: z.string().openapi({ description: "Where in the file.", example: "tables.Orders.columns.Total.type" }),
    message: z.string().openapi({ example: 'Remove the column "Orders.Total"' }),
    loss: z
      .object({ rows: z.int().optional(), cells: z.int().optional() })
      .optional()
      .openapi({ description: "The number of rows or cells that are lost; of a new type, the cells that stay text." }),
  })
  .openapi("SchemaChange");

export const SchemaChanges = z
  .object({
    version: version.openapi({
      description: "The state of the document: before the changes for a comparison, else after.",
    }),
    changes: z.array(SchemaChange),
    losesData: z.boolean(),
  })
  .openapi("SchemaChanges");
