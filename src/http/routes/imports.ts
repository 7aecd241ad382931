import { z } from "@hono/zod-openapi";
import { copyDocument, createDocument } from "../../services/documents.ts";
import { guardDocument, guardWorkspace } from "../../services/guards.ts";
import { importUpload, importUploadAnywhere } from "../../services/imports.ts";
import { parseJson, shaped } from "../../payload.ts";
import { ImportedDocument, NewDocument, Upload, UploadToWorkspace } from "../../wire/documents.ts";
import { WorkspaceParams } from "../../wire/workspaces.ts";
import { anyone, workspace } from "../access.ts";
import { json } from "../answers.ts";
import { readJsonBytes } from "../body.ts";
import type { Call } from "../call.ts";
import { requestInfo } from "../request-info.ts";
import { route, uploadBody, uploadOrJsonBody, type Route } from "../route.ts";
import { incoming } from "../upload.ts";

const tag = "documents";

/** Documents made of uploaded files, and the address that makes documents in three ways. */
export const importRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/workspaces/{workspaceId}/import",
      id: "importDocument",
      tag,
      summary: "Make a document of a file",
      access: workspace("editors", { removed: "any" }),
      params: WorkspaceParams,
      body: uploadBody(Upload),
      answer: ImportedDocument,
    },
    async ({ call, ctx, grant }) => json(await importUpload(ctx, grant, incoming(call))),
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
      answer: z.string().openapi({ format: "uuid", description: "The document's UUID." }),
    },
    async ({ call, ctx, grant }) => {
      const isUpload = /^multipart\//i.test(call.request.headers.get("content-type") ?? "");
      if (!isUpload) return json(await makeDocument(call));
      return json((await importUploadAnywhere(ctx, grant.actor, incoming(call))).id);
    },
  ),
];

async function makeDocument(call: Call): Promise<string> {
  const { ctx, actor, scope } = call;
  const sent = parseJson(await readJsonBytes(call.request, call.config.maxBody));
  const { workspaceId, sourceDocumentId, ...input } = shaped(NewDocument, sent, "body");
  const target = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  if (sourceDocumentId === undefined) return createDocument(ctx, target, { name: input.documentName });
  call.takeTime();
  const request = requestInfo(call);
  return copyDocument(ctx, guardDocument(ctx, actor, scope, sourceDocumentId, "viewers", { request }), target, input);
}
