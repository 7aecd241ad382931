import type { DocumentGrant } from "../../authorization.ts";
import {
  exportDelimited,
  exportSchema,
  exportSheet,
  exportWorkbook,
  mayCopy,
  type Rendered,
  type VerbArgs,
} from "../../services/documents/content.ts";
import { downloadDocument, downloadName } from "../../services/documents/downloads.ts";
import {
  DocumentDownloadQuery,
  DryRunResult,
  TableDownloadQuery,
  TableSchema,
  TableSchemaQuery,
} from "../../wire/documents/downloads.ts";
import { DocParams } from "../../wire/common/params.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse, renderedResponse } from "../responses.ts";
import type { Call } from "../call.ts";
import { requestCondition } from "../conditional-requests.ts";
import { contentDisposition } from "../content-disposition.ts";
import { route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/download";
const tag = "downloads";

const DELIMITED = [
  { format: "csv", type: "text/csv", about: "Cells as people see them, with commas between; UTF-8." },
  { format: "tsv", type: "text/tab-separated-values", about: "As CSV, with tabs between cells." },
  { format: "dsv", type: "text/x-doo-separated-values", about: "As CSV, with U+1F4A9 between cells." },
] as const;

const SQLITE_TYPE = "application/x-sqlite3";
const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

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
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: DocumentDownloadQuery,
      isLong: true,
      response: { type: SQLITE_TYPE, about: "The file.", json: DryRunResult },
    },
    async ({ call, ctx, grant, query }) => {
      if (query.dryrun || query.dryRun) {
        await mayCopy(ctx, grant, null);
        return jsonResponse({ dryRun: "allowed" });
      }
      const headers = {
        "Content-Type": SQLITE_TYPE,
        "Content-Disposition": contentDisposition(`${downloadName(ctx, grant, query)}.grist`),
        "Cache-Control": "private, no-store",
      };
      if (call.request.method === "HEAD") {
        // How large the file would be is not known without making it.
        await mayCopy(ctx, grant, null);
        return new Response(null, { headers });
      }
      const { template: asTemplate, nohistory: withoutHistory, noattachments: withoutAttachments } = query;
      const stream = await downloadDocument(ctx, grant, { asTemplate, withoutHistory, withoutAttachments });
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
        access: documentContentAccess("viewers"),
        params: DocParams,
        query: TableDownloadQuery,
        headers: ConditionalHeaders,
        isLong: true,
        response: { type, about: "The file." },
      },
      async ({ call, ctx, grant, query }) => {
        const answer = await exportDelimited(ctx, grant, { ...exportArgs(call, grant, query), format });
        return exportResponse(call, grant, answer, { type: `${type}; charset=utf-8`, extension: format, ...query });
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
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: TableDownloadQuery,
      headers: ConditionalHeaders,
      isLong: true,
      response: { type: XLSX_TYPE, about: "The workbook." },
    },
    async ({ call, ctx, grant, query }) => {
      const { tableId, viewSection, header = "label" } = query;
      const answer =
        tableId || viewSection
          ? await exportSheet(ctx, grant, exportArgs(call, grant, query))
          : await exportWorkbook(ctx, grant, { header, condition: requestCondition(call, grant) });
      return exportResponse(call, grant, answer, { type: XLSX_TYPE, extension: "xlsx", ...query });
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
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: TableSchemaQuery,
      headers: ConditionalHeaders,
      response: TableSchema,
    },
    async ({ call, ctx, grant, query }) =>
      renderedResponse(
        ctx,
        grant,
        await exportSchema(ctx, grant, { ...exportArgs(call, grant, query), path: csvUrl(call) }),
      ),
  ),
];

type Query = Omit<TableDownloadQuery, "title">;

function exportArgs(call: Call, grant: DocumentGrant, query: Query): Omit<VerbArgs<"export.sheet">, "format"> {
  const { viewSection, activeSortSpec, filters, linkingFilter } = query;
  const { seed, tags } = requestCondition(call, grant);
  return {
    table: query.tableId ?? "",
    header: query.header ?? "label",
    ...(viewSection && { section: viewSection, activeSortSpec, filters, linkingFilter }),
    // The address stands in the description of a table.
    condition: { seed: `${seed}\n${siteUrl(call)}`, tags },
  };
}

interface ExportFileOptions {
  readonly type: string;
  readonly extension: string;
  readonly title?: string | undefined;
  readonly tableId?: string | undefined;
}

function exportResponse(
  { ctx }: Call,
  grant: DocumentGrant,
  answer: Rendered,
  { type, extension, title, tableId }: ExportFileOptions,
): Response {
  const name = downloadName(ctx, grant, { title, table: tableId });
  const headers = { "Content-Type": type, "Content-Disposition": contentDisposition(`${name}.${extension}`) };
  return renderedResponse(ctx, grant, answer, headers);
}

const siteUrl = ({ config, origin, scope }: Call): string =>
  `${config.publicUrl ?? origin}${scope.kind === "team" ? `/o/${scope.domain}` : ""}`;

/** The address at which the table that is described can be had as CSV. */
function csvUrl(call: Call): string {
  const exportPath = call.path.replace(/\/table-schema$/, "/csv");
  return `${siteUrl(call)}${exportPath}${call.search === "" ? "" : `?${call.search}`}`;
}
