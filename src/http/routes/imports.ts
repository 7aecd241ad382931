import { z } from "@hono/zod-openapi";
import { copyDocument, createDocument } from "../../services/documents.ts";
import { guardDocument, guardWorkspace } from "../../services/guards.ts";
import { importAnywhere, importDocument, importTables, previewDocument } from "../../services/imports.ts";
import { parseJson, shaped } from "../../payload.ts";
import { DocumentId, NewDocument, shownId, Upload, UploadToWorkspace } from "../../wire/documents.ts";
import {
  DocumentImport,
  DocumentImportPreview,
  DocumentImportQuery,
  FileUpload,
  ImportReport,
  KeptUpload,
  TableImportQuery,
  TableUpload,
  TableUploadReference,
  UploadToImport,
} from "../../wire/imports.ts";
import { DocParams } from "../../wire/params.ts";
import { WorkspaceParams } from "../../wire/workspaces.ts";
import { anyone, documentContent, workspace } from "../access.ts";
import { documentId, json } from "../answers.ts";
import { readJsonBytes } from "../body.ts";
import { choicesOf } from "../import-choices.ts";
import type { Call } from "../call.ts";
import { requestInfo } from "../request-info.ts";
import { route, uploadBody, uploadOrJsonBody, type Route } from "../route.ts";
import { incoming } from "../upload.ts";

const tag = "documents";

/** Documents and tables made of uploaded files, and the address that makes documents in three ways. */
export const importRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/workspaces/{workspaceId}/import",
      id: "importDocument",
      tag,
      summary: "Make a document of a file",
      about:
        "Of a document file, or of one with tables, whose types of columns are found out. With `dryRun` nothing is made: " +
        "the answer tells what would be, and its `uploadId` can be sent as JSON, with other choices, to import the file.",
      access: workspace("editors", { removed: "any" }),
      params: WorkspaceParams,
      query: DocumentImportQuery,
      body: uploadOrJsonBody(Upload, UploadToImport),
      answer: z.union([DocumentImport, DocumentImportPreview]),
    },
    async ({ call, ctx, grant, query }) => {
      const source = await sourceOf(call, UploadToImport);
      if (query.dryRun || query.dryrun) return json(await previewDocument(ctx, grant, source));
      const { id, title, ...report } = await importDocument(ctx, grant, source);
      return json({ id: shownId(id, call.config.docIds), title, ...(query.report && report) });
    },
  ),
  route(
    {
      method: "post",
      path: "/api/docs",
      id: "makeDocument",
      tag,
      summary: "Make a document: empty, as a copy, or of a file",
      about: "Takes an owner or editor of the workspace, and for a copy a viewer of the source.",
      access: anyone,
      body: uploadOrJsonBody(UploadToWorkspace, NewDocument),
      answer: DocumentId,
      further: { 404: "There is no such workspace, source document or upload." },
    },
    async ({ call, ctx, grant }) => {
      if (!/^multipart\//i.test(typeOf(call))) return documentId(call, await makeDocument(call));
      const source = { incoming: incoming(call), choicesOf, languages: languagesOf(call) };
      return documentId(call, (await importAnywhere(ctx, grant.actor, source)).id);
    },
  ),
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/uploads",
      id: "uploadFiles",
      tag,
      summary: "Upload files to be imported later",
      about: "They are kept for an hour, and can be used by whoever uploaded them.",
      access: documentContent("viewers"),
      params: DocParams,
      body: uploadBody(FileUpload),
      answer: KeptUpload,
    },
    async ({ call, ctx, grant }) => json(await ctx.uploads.keep(grant.actor, incoming(call))),
  ),
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/import",
      id: "importTables",
      tag,
      summary: "Take the tables of a file into a document",
      about:
        "As new tables, or by adding rows to an existing one, whose columns are found by their labels or ids. Numbers, " +
        "dates and truth values are read as the file writes them. All or nothing is done. With `dryRun` nothing is done: " +
        "the answer tells what would be, and its `uploadId` can be sent as JSON, with other choices, to import the file.",
      access: documentContent("editors"),
      params: DocParams,
      query: TableImportQuery,
      body: uploadOrJsonBody(TableUpload, TableUploadReference),
      answer: ImportReport,
    },
    async ({ call, ctx, grant, query }) => {
      const source = await sourceOf(call, TableUploadReference);
      const dryRun = query.dryRun || query.dryrun;
      return json(await importTables(ctx, grant, source, { ...query, dryRun }));
    },
  ),
];

const typeOf = ({ request }: Call): string => request.headers.get("content-type") ?? "";

/** What is neither JSON nor nothing has to be a form, and is refused as none if it is not. */
const isForm = (call: Call): boolean => typeOf(call) !== "" && !/^application\/json\b/i.test(typeOf(call));

const readBody = async <S extends z.ZodType>(call: Call, schema: S): Promise<z.infer<S>> =>
  shaped(schema, parseJson(await readJsonBytes(call)), "body");

const languagesOf = ({ request }: Call): string | null => request.headers.get("accept-language");

/** The file that a request names or brings, and what it says about reading it. */
async function sourceOf(call: Call, schema: typeof UploadToImport | typeof TableUploadReference) {
  const languages = languagesOf(call);
  if (isForm(call)) return { incoming: incoming(call), choicesOf, languages };
  const { uploadId, ...choices } = await readBody<typeof UploadToImport>(call, schema as typeof UploadToImport);
  return { uploadId, choices, documentName: choices.documentName, languages };
}

async function makeDocument(call: Call): Promise<string> {
  const { ctx, actor, scope } = call;
  const { workspaceId, sourceDocumentId, ...input } = await readBody(call, NewDocument);
  const target = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  if (sourceDocumentId === undefined) return createDocument(ctx, target, { name: input.documentName });
  const source = guardDocument(ctx, actor, scope, sourceDocumentId, "viewers", { request: requestInfo(call) });
  const { documentName = shownId(source.uuid, call.config.docIds) } = input;
  return copyDocument(ctx, source, target, { ...input, documentName });
}
