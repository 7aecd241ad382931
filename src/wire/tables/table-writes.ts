import { z } from "../common/schema.ts";
import { flag } from "../common/query.ts";

/** Requests and responses of changing tables and columns, and of applying actions. */

const name = z.string().max(10_000);
const Value = z.union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.unknown())]);
const Values = z.record(z.string().max(1000), Value);

/** SQLite's limit on columns, and a limit on tables well beyond practical use. */
const MAX_COLUMNS = 2000;
const MAX_TABLES = 1000;

export const NewColumn = z
  .object({
    id: name.optional().openapi({ description: "The proposed id. Default: the next free letter." }),
    fields: Values.optional().openapi({ example: { type: "Int", label: "Age" } }),
  })
  .openapi("NewColumn");

export const AddTablesBody = z
  .object({
    tables: z
      .array(
        z.object({
          id: name.optional().openapi({ description: "The proposed id. Default: Table1, Table2 …" }),
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
    description:
      "All with the same set of fields: `tableId` (renames the table), `tableRef` (its own number), `onDemand`.",
  });

export const AddColumnsBody = z.object({ columns: z.array(NewColumn).min(1).max(MAX_COLUMNS) }).openapi("AddColumns");

const changedColumns = z
  .array(z.object({ id: name, fields: Values }))
  .min(1)
  .max(MAX_COLUMNS);

export const ModifyColumnsBody = z.object({ columns: changedColumns }).openapi("ModifyColumns", {
  description: "All columns must have the same set of fields.",
  example: { columns: [{ id: "Age", fields: { label: "Years" } }] },
});

export const PutColumnsBody = z.object({ columns: changedColumns }).openapi("PutColumns");

export const PutColumnsQuery = z.object({
  noadd: flag("Do not add columns. Default: false."),
  noupdate: flag("Do not update columns. Default: false."),
  replaceall: flag("Delete columns that the body does not name, except for hidden columns. Default: false."),
});

export const AddedTables = z.object({ tables: z.array(z.object({ id: z.string() })) }).openapi("AddedTables");
export const AddedColumns = z.object({ columns: z.array(z.object({ id: z.string() })) }).openapi("AddedColumns");

export const ApplyQuery = z.object({
  noparse: flag("Store text as it is, without parsing it by the column type. Default: false."),
});

export const UserActions = z
  .array(z.array(z.unknown()).min(1).max(100))
  .max(100_000)
  .openapi("UserActions", {
    description: "Actions, each an array of its name and its arguments. Applied in one transaction.",
    example: [["AddRecord", "People", null, { Name: "Ada" }]],
  });

export const ApplyResult = z
  .object({
    actionNum: z.int().openapi({ description: "The number of the document's new state; 0 if no state was created." }),
    actionHash: z.string().nullable(),
    retValues: z.array(z.unknown()).openapi({ description: "The return value of each action." }),
    isModification: z.boolean().openapi({ description: "False if the actions changed nothing." }),
  })
  .openapi("Applied");
