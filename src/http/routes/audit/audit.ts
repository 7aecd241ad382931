import { listAudit, streamAudit } from "../../../services/audit/list-audit.ts";
import { AuditLines, AuditPage, AuditQuery } from "../../../wire/audit/audit.ts";
import { acceptsLines } from "../../body.ts";
import { recordHeaders } from "../../record-lines.ts";
import { jsonResponse } from "../../responses.ts";
import { adminAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";

export const auditRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/audit",
      id: "listAuditEntries",
      tag: "audit",
      summary: "List entries of the audit log",
      about:
        "The newest first, in pages. With `Accept: application/x-ndjson`, all entries that match, one per line, the oldest first.",
      access: adminAccess,
      query: AuditQuery,
      isLong: true,
      response: AuditPage,
      lines: AuditLines,
    },
    async ({ call, ctx, grant, query }) => {
      const headers = recordHeaders(call);
      if (acceptsLines(call)) return new Response(streamAudit(ctx, grant, query), { headers });
      return jsonResponse(await listAudit(ctx, grant, query), { headers });
    },
  ),
];
