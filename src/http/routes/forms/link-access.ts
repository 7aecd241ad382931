import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import { guardFormLink } from "../../../services/access/guards.ts";
import type { AccessCheck } from "../../route-spec.ts";

/** Published forms of the link with `{key}`, with a limit on concurrent reads. */
export const formLinkAccess: AccessCheck<DocumentGrant> = {
  about: "Everyone who has the key of the link. Callers are anonymous, whatever key they send.",
  requestClass: "document",
  statuses: [401, 404, 429],
  documentOf: (grant) => grant,
  check(call, params) {
    const grant = guardFormLink(call.ctx, params["key"] ?? "");
    if (!call.services.documentLimiter.tryAcquire(grant.uuid, call.config.maxParallel)) {
      throw new AppError("limit.document_requests", "Too many concurrent requests for this document", {
        retryAfterS: 1,
      });
    }
    call.accounting.document = grant.uuid;
    return grant;
  },
  done(call) {
    if (call.accounting.document) call.services.documentLimiter.release(call.accounting.document);
  },
};
