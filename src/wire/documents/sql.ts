import { z } from "../common/schema.ts";
import { at } from "../common/past-states.ts";

/** Requests and responses of SQL queries. */

/** Maximum length of a statement, in characters. */
const MAX_STATEMENT_LENGTH = 1_000_000;

const statement = z.string().max(MAX_STATEMENT_LENGTH);
const description =
  "A single SELECT statement, optionally with a WITH clause and a final semicolon. Other semicolons are allowed only " +
  "in string literals, quoted names and comments.";

export const SqlGetQuery = z.object({
  q: statement.openapi({ description, example: "select Name, count(*) as n from People group by Name" }),
  at,
});

export const SqlBody = z
  .object({
    sql: statement.openapi({ description, example: "select * from People where Age >= ?" }),
    args: z
      .array(z.union([z.number(), z.string(), z.boolean(), z.null()]))
      .nullish()
      .openapi({ description: "Values of the statement's parameters, by position. Missing values are NULL." }),
    timeout: z.number().min(0).optional().openapi({
      description: "Timeout in milliseconds. Default and maximum: the server's limit. 0 means the default.",
      example: 500,
    }),
    columns: z.boolean().optional().openapi({ description: "Return `columns` as well.", example: true }),
  })
  .openapi("SqlQuery");

const SqlValue = z.union([
  z.null(),
  z.number(),
  z.string(),
  z.object({ type: z.literal("Buffer"), data: z.array(z.int()).openapi({ description: "The bytes of a blob." }) }),
]);

export const SqlResult = z
  .object({
    statement: z.string().openapi({ description: "The statement as received." }),
    records: z.array(z.object({ fields: z.record(z.string(), SqlValue).openapi({ example: { Name: "Ada", n: 1 } }) })),
    columns: z
      .array(
        z.object({
          name: z.string().openapi({ description: "The key in `fields`." }),
          table: z.string().nullable().openapi({ description: "Null unless the values are cells of a table." }),
          column: z.string().nullable().openapi({ description: "The column of the table, or null." }),
        }),
      )
      .optional()
      .openapi({
        description: "The columns in order, also without records; only if requested.",
        example: [
          { name: "Name", table: "People", column: "Name" },
          { name: "n", table: null, column: null },
        ],
      }),
  })
  .openapi("SqlAnswer");
