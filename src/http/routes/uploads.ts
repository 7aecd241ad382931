import type { AccountActor, DocumentGrant, WorkspaceGrant } from "../../authorization.ts";
import { validate, parseJson } from "../../payload.ts";
import { guardAccount } from "../../services/access/guards.ts";
import { DocUploadParams, DocParams } from "../../wire/common/params.ts";
import { z } from "../../wire/common/schema.ts";
import { FileAddress, FileUpload, UploadResult, UploadStatus } from "../../wire/documents/imports.ts";
import { WorkspaceParams, WorkspaceUploadParams } from "../../wire/sites/workspaces.ts";
import { hasJsonType, readJsonBytes } from "../body.ts";
import type { Call } from "../call.ts";
import { jsonResponse } from "../responses.ts";
import { documentContentAccess, documentInfoAccess, workspaceAccess } from "../route-access.ts";
import { type AccessCheck, route, type Route, uploadOrJsonBody } from "../route.ts";
import { incomingFile, incomingUpload } from "../uploads.ts";

const tag = "documents";

const inWorkspace = workspaceAccess("editors", { removed: "any" });

/** Routes of uploads for later imports, which the node has that owns the home database. */
export const uploadRoutes: readonly Route[] = [
  receivingRoute("uploadFiles", "/api/docs/{docId}/uploads", {
    access: documentContentAccess("viewers"),
    params: DocParams,
  }),
  receivingRoute("uploadFilesToWorkspace", "/api/workspaces/{workspaceId}/uploads", {
    access: inWorkspace,
    params: WorkspaceParams,
  }),
  statusRoute("describeUpload", "/api/docs/{docId}/uploads/{uploadId}", {
    access: documentInfoAccess("viewers"),
    params: DocUploadParams,
  }),
  statusRoute("describeWorkspaceUpload", "/api/workspaces/{workspaceId}/uploads/{uploadId}", {
    access: inWorkspace,
    params: WorkspaceUploadParams,
  }),
  cancellingRoute("cancelUpload", "/api/docs/{docId}/uploads/{uploadId}", {
    access: documentInfoAccess("viewers"),
    params: DocUploadParams,
  }),
  cancellingRoute("cancelWorkspaceUpload", "/api/workspaces/{workspaceId}/uploads/{uploadId}", {
    access: inWorkspace,
    params: WorkspaceUploadParams,
  }),
];

interface Place<P, G> {
  readonly access: AccessCheck<G>;
  readonly params: z.ZodType<P>;
}

type PlaceGrant = DocumentGrant | WorkspaceGrant;

function receivingRoute<P, G extends PlaceGrant>(id: string, path: string, place: Place<P, G>): Route {
  return route(
    {
      method: "post",
      path,
      id,
      tag,
      summary: "Upload files for a later import",
      about: "Uploads expire after one hour. Only the caller who uploaded a file can import it.",
      requestClass: "home",
      body: uploadOrJsonBody(FileUpload, FileAddress),
      response: UploadResult,
      ...place,
    },
    async ({ call, grant }) => receiveUploads(call, guardAccount(grant.actor)),
  );
}

/** Stores the files of a form, or the file with an address. */
async function receiveUploads(call: Call, actor: AccountActor): Promise<Response> {
  const { uploads, fetcher } = call.ctx;
  if (!hasJsonType(call)) return jsonResponse(await uploads.receive(actor, incomingUpload(call)));
  const { url } = validate(FileAddress, parseJson(await readJsonBytes(call)), "body");
  const fetching = incomingFile(call);
  return jsonResponse(await uploads.keep(actor, await fetcher.fetch(actor, url, fetching), fetching.limits));
}

function statusRoute<P extends { uploadId: number }, G extends PlaceGrant>(
  id: string,
  path: string,
  place: Place<P, G>,
): Route {
  return route(
    {
      method: "get",
      path,
      id,
      tag,
      summary: "Describe an upload and the progress of its import",
      about: "Only for the caller who uploaded it.",
      requestClass: "home",
      response: UploadStatus,
      ...place,
    },
    async ({ ctx, grant, params }) =>
      jsonResponse(await ctx.uploads.describe(guardAccount(grant.actor), params.uploadId)),
  );
}

function cancellingRoute<P extends { uploadId: number }, G extends PlaceGrant>(
  id: string,
  path: string,
  place: Place<P, G>,
): Route {
  return route(
    {
      method: "delete",
      path,
      id,
      tag,
      summary: "Remove an upload, and cancel its import",
      about:
        "An import or dry run of the upload that has not finished is refused with 409, and changes nothing. Only for the " +
        "caller who uploaded it.",
      requestClass: "home",
      response: z.null(),
      ...place,
    },
    async ({ ctx, grant, params }) => {
      await ctx.uploads.cancel(guardAccount(grant.actor), params.uploadId);
      return jsonResponse(null);
    },
  );
}
