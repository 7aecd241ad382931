import { applySchemaFile, diffSchemaFile, readSchemaFile } from "../../../services/schema-file/schema-file.ts";
import { DocParams } from "../../../wire/common/params.ts";
import { SchemaChanges, SchemaFileBody, SchemaFileResponse } from "../../../wire/schema/schema-file.ts";
import { ConditionalHeaders } from "../../../wire/tables/record-responses.ts";
import { requestCondition } from "../../conditional-requests.ts";
import { jsonBytesResponse, renderedResponse } from "../../responses.ts";
import { documentContentAccess } from "../../route-access.ts";
import { bytesBody, route, type Route } from "../../route.ts";

const path = "/api/docs/{docId}/schema";
const YAML = "application/yaml";
const WHO = "Callers from whom access rules hide a part of the document are refused.";

export const schemaFileRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "readSchemaFile",
      tag: "tables",
      summary: "Read the schema of a document",
      about: `Returns tables, columns, formulas, access rules and settings, and webhooks without URLs and secrets, under stable keys. Pages and data are not part of it. ${WHO}`,
      access: documentContentAccess("owners"),
      params: DocParams,
      headers: ConditionalHeaders,
      response: SchemaFileResponse,
    },
    async ({ call, ctx, grant }) =>
      renderedResponse(
        ctx,
        grant,
        await readSchemaFile(ctx, grant, { form: "json", condition: requestCondition(call, grant) }),
      ),
  ),
  route(
    {
      method: "get",
      path: `${path}.yaml`,
      id: "downloadSchemaFile",
      tag: "tables",
      summary: "Read the schema of a document as YAML",
      about: `The same as \`GET …/schema\`, as a file to keep under version control. Equal schemas have equal files. ${WHO}`,
      access: documentContentAccess("owners"),
      params: DocParams,
      headers: ConditionalHeaders,
      response: { type: YAML, about: "The schema file." },
    },
    async ({ call, ctx, grant }) =>
      renderedResponse(
        ctx,
        grant,
        await readSchemaFile(ctx, grant, { form: "yaml", condition: requestCondition(call, grant) }),
        { "Content-Type": `${YAML}; charset=utf-8` },
      ),
  ),
  route(
    {
      method: "post",
      path: `${path}/diff`,
      id: "diffSchemaFile",
      tag: "tables",
      summary: "Compare a document with a schema file",
      about: `Returns what applying the file would change, and what would be lost. Changes nothing. Problems of the file are in \`details.problems\`, with line and path. ${WHO}`,
      access: documentContentAccess("owners"),
      params: DocParams,
      body: bytesBody(SchemaFileBody),
      response: SchemaChanges,
    },
    async ({ ctx, grant, body }) => jsonBytesResponse((await diffSchemaFile(ctx, grant, { body })).bytes),
  ),
  route(
    {
      method: "post",
      path: `${path}/apply`,
      id: "applySchemaFile",
      tag: "tables",
      summary: "Apply a schema file to a document",
      about: `Gives the document the schema of the file in one transaction, which is one state of the history. Tables and columns with the same key keep their data: a different id renames them. Without \`allowDataLoss\`, changes that remove rows or cells are refused. Access rules under which the caller could no longer edit access rules are refused. ${WHO}`,
      access: documentContentAccess("owners"),
      params: DocParams,
      body: bytesBody(SchemaFileBody),
      response: SchemaChanges,
    },
    async ({ ctx, grant, body }) => jsonBytesResponse((await applySchemaFile(ctx, grant, { body })).bytes),
  ),
];
