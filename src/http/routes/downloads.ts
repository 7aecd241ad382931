import type { DocumentGrant } from "../../authorization.ts";
import {
  exportDelimited,
  exportSchema,
  exportSheet,
  exportWorkbook,
  mayCopy,
  type RenderedState,
  type VerbArgs,
} from "../../services/documents/content.ts";
import { recordDownload } from "../../services/audit/downloads.ts";
import { downloadDocument, downloadName } from "../../services/documents/downloads.ts";
import {
  DocumentDownloadQuery,
  DryRunResult,
  TableDownloadQuery,
  TableSchema,
  TableSchemaQuery,
} from "../../wire/documents/downloads.ts";
import { DocParams } from "../../wire/common/params.ts";
import { AppError } from "../../errors.ts";
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
  { format: "csv", type: "text/csv", about: "Formatted cell values, separated by commas, in UTF-8." },
  { format: "tsv", type: "text/tab-separated-values", about: "Like CSV, separated by tabs." },
  { format: "dsv", type: "text/x-doo-separated-values", about: "Like CSV, separated by U+1F4A9." },
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
        "A snapshot of the current document, with webhooks disabled. Refused if access rules hide anything from the " +
        "caller. With `dryrun`, the response is JSON.",
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
        // The size is unknown until the file has been created.
        await mayCopy(ctx, grant, null);
        return new Response(null, { headers });
      }
      const { template: asTemplate, nohistory: withoutHistory, noattachments: withoutAttachments } = query;
      const stream = await downloadDocument(ctx, grant, { asTemplate, withoutHistory, withoutAttachments });
      recordDownload(ctx, grant, { event: "document.downloaded" });
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
        about: `${about} Contains all rows ordered by id, or the rows and fields of a widget (\`viewSection\`).`,
        access: documentContentAccess("viewers"),
        params: DocParams,
        query: TableDownloadQuery,
        headers: ConditionalHeaders,
        isLong: true,
        response: { type, about: "The file." },
      },
      async ({ call, ctx, grant, query }) => {
        const args = { ...exportArgs(call, grant, query), format };
        const answer = await exportDelimited(ctx, grant, { at: query.at, ...args });
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
        "Without `tableId` and `viewSection`, the workbook has one sheet per table, except for summary tables. With " +
        "either, it has the same content as the CSV download.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: TableDownloadQuery,
      headers: ConditionalHeaders,
      isLong: true,
      response: { type: XLSX_TYPE, about: "The workbook." },
    },
    async ({ call, ctx, grant, query }) => {
      const { tableId, viewSection, filter, header = "label", at } = query;
      if (filter && !tableId && !viewSection) throw new AppError("filter.invalid", "filter needs tableId");
      const answer =
        tableId || viewSection
          ? await exportSheet(ctx, grant, { at, ...exportArgs(call, grant, query) })
          : await exportWorkbook(ctx, grant, { at, header, condition: requestCondition(call, grant) });
      return exportResponse(call, grant, answer, { type: XLSX_TYPE, extension: "xlsx", ...query });
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/table-schema`,
      id: "describeTableSchema",
      tag,
      summary: "Describe a table as a Table Schema",
      about: "Describes the CSV download of the table, by the Data Resource and Table Schema standards.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: TableSchemaQuery,
      headers: ConditionalHeaders,
      response: TableSchema,
    },
    async ({ call, ctx, grant, query }) => {
      const { at } = query;
      if (at) call.accounting.extendDeadline();
      const args = { ...exportArgs(call, grant, query), path: csvUrl(call) };
      return renderedResponse(ctx, grant, await exportSchema(ctx, grant, { at, ...args }));
    },
  ),
];

type Query = Omit<TableDownloadQuery, "title">;

function exportArgs(call: Call, grant: DocumentGrant, query: Query): Omit<VerbArgs<"export.sheet">, "format"> {
  const { viewSection, activeSortSpec, filters, linkingFilter } = query;
  const { seed, tags } = requestCondition(call, grant);
  return {
    table: query.tableId ?? "",
    header: query.header ?? "label",
    ...(query.filter && { filter: query.filter }),
    ...(viewSection && { section: viewSection, activeSortSpec, filters, linkingFilter }),
    // The description contains the address.
    condition: { seed: `${seed}\n${siteUrl(call)}`, tags },
  };
}

interface ExportFileOptions {
  readonly type: string;
  readonly extension: string;
  readonly title?: string | undefined;
  readonly tableId?: string | undefined;
  readonly viewSection?: string | undefined;
  readonly at?: string | undefined;
}

function exportResponse(
  { ctx }: Call,
  grant: DocumentGrant,
  answer: RenderedState,
  { type, extension, title, tableId, viewSection, at }: ExportFileOptions,
): Response {
  const name = downloadName(ctx, grant, { title, table: tableId });
  const content = { table: tableId, widget: viewSection, state: at };
  const headers = { "Content-Type": type, "Content-Disposition": contentDisposition(`${name}.${extension}`) };
  const response = renderedResponse(ctx, grant, answer, headers);
  if (response.status === 200)
    recordDownload(ctx, grant, { event: "document.exported", format: extension, ...content });
  return response;
}

const siteUrl = ({ config, origin, scope }: Call): string =>
  `${config.publicUrl ?? origin}${scope.kind === "team" ? `/o/${scope.domain}` : ""}`;

/** Returns the address of the described table's CSV download. */
function csvUrl(call: Call): string {
  const exportPath = call.path.replace(/\/table-schema$/, "/csv");
  return `${siteUrl(call)}${exportPath}${call.search === "" ? "" : `?${call.search}`}`;
}
