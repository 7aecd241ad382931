import { runSql } from "../../services/documents/sql.ts";
import { DocParams } from "../../wire/common/params.ts";
import { AtQuery } from "../../wire/common/past-states.ts";
import { SqlResult, SqlBody, SqlGetQuery } from "../../wire/documents/sql.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/sql";
const tag = "sql";

const about =
  "The statement is read-only. If the document has access rules, requires permission to read the whole document. " +
  "Cancels the statement when it exceeds its timeout (400) or " +
  "when the caller closes the connection.";

export const sqlRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "runSql",
      tag,
      summary: "Run an SQL query",
      about,
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: SqlGetQuery,
      response: SqlResult,
    },
    async ({ call, ctx, grant, query }) => {
      const { signal } = call.request;
      const { q: statement, at } = query;
      if (at) call.accounting.extendDeadline();
      const { bytes, ...origin } = await runSql(ctx, grant, { statement, args: [], at, timeoutMs: 0, signal });
      return jsonBytesResponse(bytes, origin);
    },
  ),
  route(
    {
      method: "post",
      path,
      id: "runSqlWithArgs",
      tag,
      summary: "Run an SQL query with parameters",
      about,
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: AtQuery,
      body: jsonBody(SqlBody),
      idempotency: "ignored",
      response: SqlResult,
    },
    async ({ call, ctx, grant, query: { at }, body }) => {
      const { signal } = call.request;
      if (at) call.accounting.extendDeadline();
      const { sql: statement, args, timeout: timeoutMs = 0, columns: withColumns } = body;
      const query = { statement, args: args ?? [], withColumns, at, timeoutMs, signal };
      const { bytes, ...origin } = await runSql(ctx, grant, query);
      return jsonBytesResponse(bytes, origin);
    },
  ),
];
