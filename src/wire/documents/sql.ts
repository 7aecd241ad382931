import { z } from "@hono/zod-openapi";

/** Queries, bodies and answers of SQL. */

/** Characters of a statement. */
const MAX_STATEMENT_LENGTH = 1_000_000;

const statement = z.string().max(MAX_STATEMENT_LENGTH);
const description =
  "One SELECT statement, which may begin with WITH. It may end with a semicolon; semicolons elsewhere are refused, except " +
  "in string literals, quoted names and comments.";

export const SqlGetQuery = z.object({
  q: statement.openapi({ description, example: "select Name, count(*) as n from People group by Name" }),
});

export const SqlBody = z
  .object({
    sql: statement.openapi({ description, example: "select * from People where Age >= ?" }),
    args: z
      .array(z.union([z.number(), z.string(), z.boolean(), z.null()]))
      .nullish()
      .openapi({ description: "Values for the statement's parameters, by position. Missing ones are NULL." }),
    timeout: z.number().min(0).optional().openapi({
      description: "Milliseconds it may take. Missing, 0, or more than the server allows: what the server allows.",
      example: 500,
    }),
  })
  .openapi("SqlQuery");

const SqlValue = z.union([
  z.null(),
  z.number(),
  z.string(),
  z.object({ type: z.literal("Buffer"), data: z.array(z.int()).openapi({ description: "A blob's bytes." }) }),
]);

export const SqlResult = z
  .object({
    statement: z.string().openapi({ description: "As it was sent." }),
    records: z.array(z.object({ fields: z.record(z.string(), SqlValue).openapi({ example: { Name: "Ada", n: 1 } }) })),
  })
  .openapi("SqlAnswer");
