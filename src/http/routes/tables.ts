import { addTables, listTables, modifyTables } from "../../services/content.ts";
import { DocParams } from "../../wire/params.ts";
import { ConditionalHeaders } from "../../wire/record-answers.ts";
import { Tables, TablesQuery } from "../../wire/table-answers.ts";
import { Nothing } from "../../wire/nothing.ts";
import { AddedTables, AddTablesBody, ModifyTablesBody } from "../../wire/tables-write.ts";
import { documentContent } from "../access.ts";
import { jsonBytes, rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { bytesBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables";

export const tableRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listTables",
      tag: "tables",
      summary: "List tables",
      about: "Tables and columns that access rules inside the document hide from the caller are left out.",
      access: documentContent("viewers"),
      params: DocParams,
      query: TablesQuery,
      headers: ConditionalHeaders,
      answer: Tables,
    },
    async ({ call, ctx, grant, query }) => {
      const args = { expandColumns: query.expand === "column", condition: condition(call, grant) };
      return rendered(ctx, grant, await listTables(ctx, grant, args));
    },
  ),
  route(
    {
      method: "post",
      path,
      id: "addTables",
      tag: "tables",
      summary: "Add tables",

      access: documentContent("editors"),
      params: DocParams,

      body: bytesBody(AddTablesBody),
      answer: AddedTables,
    },
    async ({ ctx, grant, body }) => jsonBytes((await addTables(ctx, grant, { body })).bytes),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyTables",
      tag: "tables",
      summary: "Modify tables",

      access: documentContent("editors"),
      params: DocParams,

      body: bytesBody(ModifyTablesBody),
      answer: Nothing,
    },
    async ({ ctx, grant, body }) => jsonBytes((await modifyTables(ctx, grant, { body })).bytes),
  ),
];
