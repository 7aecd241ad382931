import { z } from "../../wire/common/schema.ts";
import { copyDocument, createDocument } from "../../services/documents/documents.ts";
import { guardDocument, guardWorkspace } from "../../services/access/guards.ts";
import type { ImportSource } from "../../services/imports/import-files.ts";
import type { ImportedFile } from "../../services/imports/imports.ts";
import type { CreatedDocument } from "../../services/documents/documents.ts";
import { parseJson, validate } from "../../payload.ts";
import {
  DocumentId,
  NewDocument,
  formatDocumentId,
  Upload,
  UploadToWorkspace,
} from "../../wire/documents/documents.ts";
import {
  AddressToImport,
  DocumentImport,
  DocumentImportPreview,
  DocumentImportQuery,
  ImportReport,
  TableAddress,
  TableImportQuery,
  TableUpload,
  TableUploadReference,
  UploadToImport,
} from "../../wire/documents/imports.ts";
import { DocParams } from "../../wire/common/params.ts";
import { WorkspaceParams } from "../../wire/sites/workspaces.ts";
import { anyoneAccess, documentContentAccess, workspaceAccess } from "../route-access.ts";
import { documentIdResponse, jsonResponse } from "../responses.ts";
import { hasJsonType, readJsonBytes } from "../body.ts";
import { parseImportOptions, parseTableImportOptions } from "../import-options.ts";
import type { Call } from "../call.ts";
import { requestInfo } from "../request-info.ts";
import { route, uploadOrJsonBody, type Route } from "../route.ts";
import { incomingFile, incomingUpload } from "../uploads.ts";

const tag = "documents";

/** Loaded on first use, with the readers of all file formats. */
const imports = () => import("../../services/imports/imports.ts");

/** Routes that import uploaded files, and the route that creates documents in three ways. */
export const importRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/workspaces/{workspaceId}/import",
      id: "importDocument",
      tag,
      summary: "Import a file as a new document",
      about:
        "Imports a document file, or a file with tables, whose column types are detected. With `dryRun`, creates nothing: " +
        "returns the report of the import. Send its `uploadId` as JSON, with changed options, to import the file.",
      access: workspaceAccess("editors", { removed: "any" }),
      params: WorkspaceParams,
      query: DocumentImportQuery,
      body: uploadOrJsonBody(Upload, z.union([UploadToImport, AddressToImport])),
      idempotency: {
        answerOf({ call, query }, created) {
          const { uuid, made } = created as CreatedDocument<Omit<ImportedFile, "id">>;
          const { title, ...report } = made;
          return { id: formatDocumentId(uuid, call.config.docIds), title, ...(query.report && report) };
        },
        ignoredWith: ["dryRun", "dryrun"],
      },
      response: z.union([DocumentImport, DocumentImportPreview]),
    },
    async ({ call, ctx, grant, query }) => {
      const source = await readImportSource(call, { upload: UploadToImport, address: AddressToImport });
      const { importDocument, previewDocument } = await imports();
      if (query.dryRun || query.dryrun) return jsonResponse(await previewDocument(ctx, grant, source));
      const { id, title, ...report } = await importDocument(ctx, grant, source);
      return jsonResponse({ id: formatDocumentId(id, call.config.docIds), title, ...(query.report && report) });
    },
  ),
  route(
    {
      method: "post",
      path: "/api/docs",
      id: "makeDocument",
      tag,
      summary: "Create a document: empty, as a copy, or from a file",
      about: "Requires the owner or editor role in the workspace and, for a copy, read access to the source.",
      access: anyoneAccess,
      body: uploadOrJsonBody(UploadToWorkspace, NewDocument),
      idempotency: {
        answerOf: ({ call }, created) => formatDocumentId((created as CreatedDocument).uuid, call.config.docIds),
      },
      response: DocumentId,
      further: { 404: "The workspace, source document or upload does not exist." },
    },
    async ({ call, ctx, grant }) => {
      if (!/^multipart\//i.test(typeOf(call))) return documentIdResponse(call, await createDocumentFromRequest(call));
      const source = {
        incoming: incomingUpload(call),
        choicesOf: parseImportOptions,
        languages: acceptLanguageOf(call),
        signal: call.request.signal,
      };
      const { importToNamedWorkspace } = await imports();
      return documentIdResponse(call, (await importToNamedWorkspace(ctx, grant.actor, source)).id);
    },
  ),
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/import",
      id: "importTables",
      tag,
      summary: "Import the tables of a file into a document",
      about:
        "Creates tables, or adds rows to an existing table, matching columns by label or id. Numbers, dates and booleans " +
        "are parsed by the formats of the file. Imports all rows or none. With `dryRun`, changes nothing: returns the report " +
        "of the import. Send its `uploadId` as JSON, with changed options, to import the file. With `dryrun`, the report also " +
        "has all `changes` of the document, which the server tries on a copy.",
      access: documentContentAccess("editors"),
      requestClass: "home",
      params: DocParams,
      query: TableImportQuery,
      body: uploadOrJsonBody(TableUpload, z.union([TableUploadReference, TableAddress])),
      idempotency: { store: "document", answerOf: (_, report) => report, ignoredWith: ["dryRun", "dryrun"] },
      response: ImportReport,
      further: { 409: "The dry run takes too long; nothing was changed." },
    },
    async ({ call, ctx, grant, query }) => {
      const source = await readImportSource(call, {
        upload: TableUploadReference,
        address: TableAddress,
        choicesOf: parseTableImportOptions,
      });
      const { dryrun: listsChanges, ...options } = query;
      const dryRun = query.dryRun || listsChanges;
      const { importTables } = await imports();
      return jsonResponse(await importTables(ctx, grant, source, { ...options, dryRun, listsChanges }));
    },
  ),
];

const typeOf = ({ request }: Call): string => request.headers.get("content-type") ?? "";

/** True for bodies that are neither JSON nor empty: these must be forms, and the parser rejects all others. */
const isForm = (call: Call): boolean => typeOf(call) !== "" && !hasJsonType(call);

const readBody = async <S extends z.ZodType>(call: Call, schema: S): Promise<z.infer<S>> =>
  validate(schema, parseJson(await readJsonBytes(call)), "body");

const acceptLanguageOf = ({ request }: Call): string | null => request.headers.get("accept-language");

interface SourceSchemas {
  readonly upload: typeof UploadToImport | typeof TableUploadReference;
  readonly address: typeof AddressToImport | typeof TableAddress;
  /** Parses the fields of forms. */
  readonly choicesOf?: typeof parseTableImportOptions;
}

/** Returns the file that a request contains or refers to, and the import options. */
async function readImportSource(
  call: Call,
  { upload, address, choicesOf = parseImportOptions }: SourceSchemas,
): Promise<ImportSource & { documentName?: string | undefined }> {
  const common = { languages: acceptLanguageOf(call), signal: call.request.signal };
  if (isForm(call)) return { incoming: incomingUpload(call), choicesOf, ...common };
  const body = parseJson(await readJsonBytes(call));
  if (Object.hasOwn(body, "url") && !Object.hasOwn(body, "uploadId")) {
    const { url, ...choices } = validate(address as typeof AddressToImport, body, "body");
    return { url, limits: incomingFile(call).limits, choices, documentName: choices.documentName, ...common };
  }
  const { uploadId, ...choices } = validate(upload as typeof UploadToImport, body, "body");
  return { uploadId, choices, documentName: choices.documentName, ...common };
}

async function createDocumentFromRequest(call: Call): Promise<string> {
  const { ctx, actor, scope } = call;
  const { workspaceId, sourceDocumentId, ...input } = await readBody(call, NewDocument);
  const target = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  if (sourceDocumentId === undefined) return createDocument(ctx, target, { name: input.documentName });
  const source = guardDocument(ctx, actor, scope, sourceDocumentId, "viewers", { request: requestInfo(call) });
  const { documentName = formatDocumentId(source.uuid, call.config.docIds) } = input;
  return copyDocument(ctx, source, target, { ...input, documentName });
}
