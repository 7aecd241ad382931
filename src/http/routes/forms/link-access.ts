import type { DocumentGrant } from "../../../authorization.ts";
import { forbidden } from "../../../errors.ts";
import { guardFormLink } from "../../../services/access/guards.ts";
import type { Call } from "../../call.ts";
import { acquireDocumentSlot } from "../../document-slots.ts";
import type { AccessCheck } from "../../route-spec.ts";

const LINK_PATH = "/api/s/";

/** True for addresses of a link. */
export const isLinkPath = (path: string): boolean => path.startsWith(LINK_PATH);

/** Refuses everything that a link is not for, whether or not it exists. @throws AppError `form.not_found`, `form.link_only` */
export function refuseOverLink({ ctx, path }: Pick<Call, "ctx" | "path">): never {
  guardFormLink(ctx, path.slice(LINK_PATH.length).split("/")[0] ?? "");
  throw forbidden("The link does not allow this", "form.link_only");
}

const linkAccess: Pick<AccessCheck<DocumentGrant>, "about" | "requestClass" | "statuses" | "documentOf"> = {
  about: "Everyone who has the key of the link. Callers are anonymous, whatever key they send.",
  requestClass: "document",
  statuses: [401, 404, 429],
  documentOf: (grant) => grant,
};

function findLink(call: Call, params: Readonly<Record<string, string>>): DocumentGrant {
  const grant = guardFormLink(call.ctx, params["key"] ?? "");
  call.accounting.document = grant.uuid;
  return grant;
}

/** Reads over the link with `{key}`, with a limit on concurrent requests. */
export const formLinkAccess: AccessCheck<DocumentGrant> = {
  ...linkAccess,
  check(call, params) {
    const { uuid } = guardFormLink(call.ctx, params["key"] ?? "");
    acquireDocumentSlot(call, uuid);
    return findLink(call, params);
  },
  done(call) {
    if (call.accounting.document) call.services.documentLimiter.release(call.accounting.document);
  },
};

/** Answers over the link with `{key}`: they wait in a queue of their own. */
export const answerAccess: AccessCheck<DocumentGrant> = { ...linkAccess, check: findLink };
