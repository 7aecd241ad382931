import { describeDocumentUsage } from "../../services/documents/content.ts";
import { DocParams } from "../../wire/common/params.ts";
import { DocumentUsage } from "../../wire/documents/usage.ts";
import { jsonResponse } from "../responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { route, type Route } from "../route.ts";

export const usageRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/usage",
      id: "describeDocumentUsage",
      tag: "documents",
      summary: "Get the size of a document",
      about: "By table, and for indexes, history and attachments. Reads the whole file, beside other requests.",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: DocumentUsage,
    },
    async ({ ctx, grant }) => jsonResponse(await describeDocumentUsage(ctx, grant, null)),
  ),
];
