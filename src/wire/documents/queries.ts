import { z } from "../common/schema.ts";
import { time } from "../common/fields.ts";
import { DocParams } from "../common/params.ts";

/** Requests and responses of saved SQL queries. */

export const QueryParams = DocParams.extend({
  queryId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a positive integer")
    .openapi({ description: "The query's id.", example: "1" }),
});

const name = z.string().trim().min(1).max(200).openapi({ description: "The name of the query.", example: "Revenue" });
const sql = z
  .string()
  .min(1)
  .max(100_000)
  .openapi({ description: "The statement, as for `POST …/sql`. It is not run.", example: "select * from People" });
const args = z
  .array(z.union([z.number(), z.string().max(10_000), z.boolean(), z.null()]))
  .max(100)
  .openapi({ description: "Values of the statement's parameters to begin with, by position." });

export const QueryBody = z.object({ name, sql, args: args.optional() }).openapi("SavedQueryInput");
export const QueryChange = z
  .object({ name: name.optional(), sql: sql.optional(), args: args.optional() })
  .openapi("SavedQueryChange");

export const SavedQuery = z
  .object({
    id: z.int(),
    name: z.string(),
    sql: z.string(),
    args: z.array(z.union([z.number(), z.string(), z.boolean(), z.null()])),
    author: z.string().nullable().openapi({ description: "The name of the person who saved it; null if unknown." }),
    createdAt: time,
    updatedAt: time,
  })
  .openapi("SavedQuery");
export type SavedQuery = z.infer<typeof SavedQuery>;

export const SavedQueries = z.object({ queries: z.array(SavedQuery) }).openapi("SavedQueries");
