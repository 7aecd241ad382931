import { z } from "@hono/zod-openapi";
import { flag } from "../common/query.ts";

/** Bodies, queries and answers of changing tables and columns, and of applying actions. */

const name = z.string().max(10_000);
const Value = z.union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.unknown())]);
const Values = z.record(z.string().max(1000), Value);

/** SQLite's limit on columns, and a number of tables that no person reaches. */
const MAX_COLUMNS = 2000;
const MAX_TABLES = 1000;

export const NewColumn = z
  .object({
    id: name.optional().openapi({ description: "What the id is made of; the next free letter without it." }),
    fields: Values.optional().openapi({ example: { type: "Int", label: "Age" } }),
  })
  .openapi("NewColumn");

export const AddTablesBody = z
  .object({
    tables: z
      .array(
        z.object({
          id: name.optional().openapi({ description: "What the id is made of; Table1, Table2 … without it." }),
          columns: z.array(NewColumn).min(1).max(MAX_COLUMNS),
        }),
      )
      .min(1)
      .max(MAX_TABLES),
  })
  .openapi("AddTables");

export const ModifyTablesBody = z
  .object({
    tables: z
      .array(z.object({ id: name, fields: Values }))
      .min(1)
      .max(MAX_TABLES),
  })
  .openapi("ModifyTables", {
    example: { tables: [{ id: "People", fields: { tableId: "Staff" } }] },
    description: "All with the same set of fields: tableId (renames), tableRef (its own number), onDemand.",
  });

export const AddColumnsBody = z.object({ columns: z.array(NewColumn).min(1).max(MAX_COLUMNS) }).openapi("AddColumns");

const changedColumns = z
  .array(z.object({ id: name, fields: Values }))
  .min(1)
  .max(MAX_COLUMNS);

export const ModifyColumnsBody = z.object({ columns: changedColumns }).openapi("ModifyColumns", {
  description: "All with the same set of fields.",
  example: { columns: [{ id: "Age", fields: { label: "Years" } }] },
});

export const PutColumnsBody = z.object({ columns: changedColumns }).openapi("PutColumns");

export const PutColumnsQuery = z.object({
  noadd: flag("Add nothing."),
  noupdate: flag("Update nothing."),
  replaceall: flag("Remove the columns that are not named, but for hidden ones."),
});

export const AddedTables = z.object({ tables: z.array(z.object({ id: z.string() })) }).openapi("AddedTables");
export const AddedColumns = z.object({ columns: z.array(z.object({ id: z.string() })) }).openapi("AddedColumns");

export const ApplyQuery = z.object({
  noparse: flag("Keep texts as they are, without reading them by the type of their column."),
});

export const UserActions = z
  .array(z.array(z.unknown()).min(1).max(100))
  .max(100_000)
  .openapi("UserActions", {
    description: "Actions, each a list of its name and its arguments; all of them are done or none.",
    example: [["AddRecord", "People", null, { Name: "Ada" }]],
  });

export const ApplyResult = z
  .object({
    actionNum: z.int().openapi({ description: "The number of the document's new state; 0 when there is none." }),
    actionHash: z.string().nullable(),
    retValues: z.array(z.unknown()).openapi({ description: "What each action answers." }),
    isModification: z.boolean().openapi({ description: "False when nothing is different from before." }),
  })
  .openapi("Applied");
