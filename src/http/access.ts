/**
 * The access rules that routes name. Each finds the thing in the path, settles between 404 and 403 (in
 * `services/guards.ts`), and yields the grant.
 */
import type {
  AnyoneGrant,
  DocumentAdminGrant,
  DocumentGrant,
  Role,
  ShownRole,
  SiteGrant,
  UserGrant,
  WorkspaceGrant,
} from "../access.ts";
import { AppError } from "../errors.ts";
import {
  guardAnyone,
  guardDocument,
  guardDocumentAdmin,
  guardSignedIn,
  guardSite,
  guardWorkspace,
} from "../services/guards.ts";
import type { DocumentGuardOptions, WorkspaceGuardOptions } from "../services/guards.ts";
import { isOn } from "../wire/query.ts";
import type { Call } from "./call.ts";
import { requestInfo } from "./request-info.ts";
import type { Access } from "./route.ts";

/** Everybody, with a key or without. */
export const anyone: Access<AnyoneGrant> = {
  about: "Everybody.",
  statuses: [401],
  check: (call) => guardAnyone(call.actor),
};

/** Whoever has a key or a session. */
export const signedIn: Access<UserGrant> = {
  about: "Anybody signed in.",
  statuses: [401],
  check: (call) => guardSignedIn(call.actor),
};

const WHO: Record<ShownRole, string> = {
  owners: "Owners",
  editors: "Owners and editors",
  viewers: "Owners, editors and viewers",
  members: "All members",
  guests: "Everybody with access to it or to something in it,",
};

/** The site under `{org}`. */
export const site = (need: ShownRole): Access<SiteGrant> => ({
  about: `${WHO[need]} of the site.`,
  statuses: [401, 403, 404],
  check: (call, params) => guardSite(call.ctx, call.actor, call.scope, params["org"] ?? "", need),
});

/** The workspace under `{workspaceId}`. */
export const workspace = (need: Role | "guests", options?: WorkspaceGuardOptions): Access<WorkspaceGrant> => ({
  about: `${WHO[need]} of the workspace.`,
  statuses: [401, 403, 404],
  check: (call, params) =>
    guardWorkspace(call.ctx, call.actor, params["workspaceId"] ?? "", need, {
      ...shownRemoved(call),
      ...options,
    }),
});

/** The metadata of the document under `{docId}`. */
export const documentInfo = (need: Role, options?: DocumentGuardOptions): Access<DocumentGrant> => ({
  about: `${WHO[need]} of the document.`,
  statuses: [401, 403, 404],
  check: (call, params) => findDocument(call, params, need, { ...shownRemoved(call), ...options }),
});

/** The document under `{docId}`, in the trash or not, for administrators of the installation. */
export const documentAdmin: Access<DocumentAdminGrant> = {
  about: "Administrators of the installation.",
  statuses: [401, 403, 404],
  check(call, params) {
    const grant = guardDocumentAdmin(call.ctx, call.actor, call.scope, params["docId"] ?? "");
    call.accounting.document = grant.uuid;
    return grant;
  },
};

export interface ContentOptions {
  /** True for a route that works on documents in the trash although it is not a GET. */
  readonly inTrash?: boolean;
}

/**
 * The content of the document under `{docId}`, only so many requests at a time. Content in the trash can be read with
 * `?showRemoved=1`, and is not changed there.
 */
export const documentContent = (need: Role, { inTrash = false }: ContentOptions = {}): Access<DocumentGrant> => ({
  about: `${WHO[need]} of the document.`,
  statuses: [401, 403, 404, 429],
  showsRemoved: (method) => inTrash || isReading(method),
  check(call, params) {
    const shown = inTrash || isReading(call.request.method) ? shownRemoved(call) : {};
    const grant = findDocument(call, params, need, shown);
    if (!call.services.gate.enter(grant.uuid, call.config.maxParallel)) {
      throw new AppError("limit.document_requests", "Too many requests for this document at the same time", {
        retryAfterS: 1,
      });
    }
    return grant;
  },
  done(call) {
    if (call.accounting.document) call.services.gate.leave(call.accounting.document);
  },
});

/** What changes in the document under `{docId}`, as long as the caller listens: counted by itself. */
export const documentStream = (need: Role): Access<DocumentGrant> => ({
  about: `${WHO[need]} of the document.`,
  statuses: [401, 403, 404, 429],
  check: (call, params) => findDocument(call, params, need, {}),
});

function findDocument(
  call: Call,
  params: Readonly<Record<string, string>>,
  need: Role,
  options: DocumentGuardOptions,
): DocumentGrant {
  const grant = guardDocument(call.ctx, call.actor, call.scope, params["docId"] ?? "", need, {
    ...options,
    request: requestInfo(call),
  });
  call.accounting.document = grant.uuid;
  return grant;
}

const isReading = (method: string): boolean => method === "GET" || method === "HEAD";

const shownRemoved = (call: Call): { removed?: "only" } =>
  call.search !== "" && isOn(new URLSearchParams(call.search).get("showRemoved")) ? { removed: "only" } : {};
