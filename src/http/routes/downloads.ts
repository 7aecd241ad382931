import type { DocumentGrant } from "../../access.ts";
import {
  exportDelimited,
  exportSchema,
  exportSheet,
  exportWorkbook,
  mayCopy,
  type Rendered,
  type VerbArgs,
} from "../../services/content.ts";
import { downloadDocument, downloadName } from "../../services/downloads.ts";
import {
  DocumentDownloadQuery,
  DryRunAnswer,
  TableDownloadQuery,
  TableSchema,
  TableSchemaQuery,
} from "../../wire/downloads.ts";
import { DocParams } from "../../wire/params.ts";
import { ConditionalHeaders } from "../../wire/record-answers.ts";
import { documentContent } from "../access.ts";
import { json, rendered } from "../answers.ts";
import type { Call } from "../call.ts";
import { condition } from "../conditions.ts";
import { disposition } from "../disposition.ts";
import { route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/download";
const tag = "downloads";

const DELIMITED = [
  { format: "csv", type: "text/csv", about: "Cells as people see them, with commas between; UTF-8." },
  { format: "tsv", type: "text/tab-separated-values", about: "As CSV, with tabs between cells." },
  { format: "dsv", type: "text/x-doo-separated-values", about: "As CSV, with U+1F4A9 between cells." },
] as const;

const SQLITE = "application/x-sqlite3";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export const downloadRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "downloadDocument",
      tag,
      summary: "Download a document as an SQLite file",
      about:
        "As it is at this moment; webhooks are switched off in it. Where access rules hide anything from the caller, it is " +
        "refused. With `dryrun` the answer is JSON.",
      access: documentContent("viewers"),
      params: DocParams,
      query: DocumentDownloadQuery,
      isLong: true,
      answer: { type: SQLITE, about: "The file.", json: DryRunAnswer },
    },
    async ({ call, ctx, grant, query }) => {
      if (query.dryrun || query.dryRun) {
        await mayCopy(ctx, grant, null);
        return json({ dryRun: "allowed" });
      }
      const headers = {
        "Content-Type": SQLITE,
        "Content-Disposition": disposition(`${downloadName(ctx, grant, query)}.grist`),
        "Cache-Control": "private, no-store",
      };
      if (call.request.method === "HEAD") {
        // How large the file would be is not known without making it.
        await mayCopy(ctx, grant, null);
        return new Response(null, { headers });
      }
      const { template: asTemplate, nohistory: withoutHistory, noattachments: withoutFiles } = query;
      const stream = await downloadDocument(ctx, grant, { asTemplate, withoutHistory, withoutFiles });
      return new Response(stream, { headers });
    },
  ),
  ...DELIMITED.map(({ format, type, about }) =>
    route(
      {
        method: "get",
        path: `${path}/${format}`,
        id: `download${format.toUpperCase()}`,
        tag,
        summary: `Download a table as ${format.toUpperCase()}`,
        about: `${about} All rows by id, or what a widget shows.`,
        access: documentContent("viewers"),
        params: DocParams,
        query: TableDownloadQuery,
        headers: ConditionalHeaders,
        isLong: true,
        answer: { type, about: "The file." },
      },
      async ({ call, ctx, grant, query }) => {
        const answer = await exportDelimited(ctx, grant, { ...chosen(call, grant, query), format });
        return file(call, grant, answer, { type: `${type}; charset=utf-8`, ending: format, ...query });
      },
    ),
  ),
  route(
    {
      method: "get",
      path: `${path}/xlsx`,
      id: "downloadXLSX",
      tag,
      summary: "Download a document or a table as XLSX",
      about:
        "Without `tableId` and `viewSection`, every table of the document on a sheet of its own, summaries left out. With " +
        "one of them, what CSV has.",
      access: documentContent("viewers"),
      params: DocParams,
      query: TableDownloadQuery,
      headers: ConditionalHeaders,
      isLong: true,
      answer: { type: XLSX, about: "The workbook." },
    },
    async ({ call, ctx, grant, query }) => {
      const { tableId, viewSection, header = "label" } = query;
      const answer =
        tableId || viewSection
          ? await exportSheet(ctx, grant, chosen(call, grant, query))
          : await exportWorkbook(ctx, grant, { header, condition: condition(call, grant) });
      return file(call, grant, answer, { type: XLSX, ending: "xlsx", ...query });
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/table-schema`,
      id: "describeTableSchema",
      tag,
      summary: "Describe a table as Table Schema",
      about: "How its CSV download is to be read, by the standards Data Resource and Table Schema.",
      access: documentContent("viewers"),
      params: DocParams,
      query: TableSchemaQuery,
      headers: ConditionalHeaders,
      answer: TableSchema,
    },
    async ({ call, ctx, grant, query }) =>
      rendered(ctx, grant, await exportSchema(ctx, grant, { ...chosen(call, grant, query), path: csvAddress(call) })),
  ),
];

type Query = Omit<TableDownloadQuery, "title">;

function chosen(call: Call, grant: DocumentGrant, query: Query): Omit<VerbArgs<"export.sheet">, "format"> {
  const { viewSection, activeSortSpec, filters, linkingFilter } = query;
  const { seed, tags } = condition(call, grant);
  return {
    table: query.tableId ?? "",
    header: query.header ?? "label",
    ...(viewSection && { section: viewSection, activeSortSpec, filters, linkingFilter }),
    // The address stands in the description of a table.
    condition: { seed: `${seed}\n${addressOf(call)}`, tags },
  };
}

interface FileOptions {
  readonly type: string;
  readonly ending: string;
  readonly title?: string | undefined;
  readonly tableId?: string | undefined;
}

function file(
  { ctx }: Call,
  grant: DocumentGrant,
  answer: Rendered,
  { type, ending, title, tableId }: FileOptions,
): Response {
  const name = downloadName(ctx, grant, { title, table: tableId });
  const headers = { "Content-Type": type, "Content-Disposition": disposition(`${name}.${ending}`) };
  return rendered(ctx, grant, answer, headers);
}

const addressOf = ({ config, origin, scope }: Call): string =>
  `${config.publicUrl ?? origin}${scope.kind === "team" ? `/o/${scope.domain}` : ""}`;

/** The address at which the table that is described can be had as CSV. */
function csvAddress(call: Call): string {
  const own = call.path.replace(/\/table-schema$/, "/csv");
  return `${addressOf(call)}${own}${call.search === "" ? "" : `?${call.search}`}`;
}
