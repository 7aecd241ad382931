/**
 * The access checks of routes. Each finds the resource in the path, decides between 404 and 403 (in
 * `services/access/guards.ts`), and returns the grant.
 */
import type {
  AnyoneGrant,
  DocumentAdminGrant,
  DocumentGrant,
  Role,
  EffectiveRole,
  SiteGrant,
  UserGrant,
  WorkspaceGrant,
} from "../authorization.ts";
import { AppError, notFound } from "../errors.ts";
import {
  guardAdmin,
  guardAnyone,
  guardDocument,
  guardDocumentAdmin,
  guardSession,
  guardSignedIn,
  guardSite,
  guardWorkspace,
  requireReachedTable,
} from "../services/access/guards.ts";
import type { DocumentGuardOptions, WorkspaceGuardOptions } from "../services/access/guards.ts";
import type { TableUse } from "../services/access/key-limits.ts";
import { parseJobId } from "../services/jobs/job-ids.ts";
import { isOn } from "../wire/common/query.ts";
import type { Call } from "./call.ts";
import { acquireDocumentSlot } from "./document-slots.ts";
import { requestInfo } from "./request-info.ts";
import type { AccessCheck } from "./route.ts";

/** All callers, with or without a key. */
export const anyoneAccess: AccessCheck<AnyoneGrant> = {
  about: "All callers.",
  statuses: [401],
  check: (call) => guardAnyone(call.actor),
};

/** Callers with a key or a session. */
export const signedInAccess: AccessCheck<UserGrant> = {
  about: "Signed-in users.",
  statuses: [401],
  check: (call) => guardSignedIn(call.actor),
};

/** Administrators of the installation. */
export const adminAccess: AccessCheck<UserGrant> = {
  about: "Administrators of the installation.",
  statuses: [401, 403],
  check(call) {
    const grant = guardSignedIn(call.actor);
    guardAdmin(grant, "do this");
    return grant;
  },
};

/** Administrators of the installation with a session, or whom a reverse proxy names. */
export const adminSessionAccess: AccessCheck<UserGrant> = {
  about: "Administrators of the installation, without an API key.",
  statuses: [401, 403],
  check(call) {
    const grant = guardSession(call.actor);
    guardAdmin(grant, "do this");
    return grant;
  },
};

/** Callers with a session, or whom a reverse proxy names. */
export const sessionAccess: AccessCheck<UserGrant> = {
  about: "Signed-in users, without an API key.",
  statuses: [401, 403],
  check: (call) => guardSession(call.actor),
};

const ROLE_DESCRIPTIONS: Record<EffectiveRole, string> = {
  owners: "Owners",
  editors: "Owners and editors",
  viewers: "Owners, editors and viewers",
  members: "All members",
  guests: "All users with access to it or to anything in it,",
};

/** The site of `{org}`. */
export const siteAccess = (required: EffectiveRole): AccessCheck<SiteGrant> => ({
  about: `${ROLE_DESCRIPTIONS[required]} of the site.`,
  statuses: [401, 403, 404],
  check: (call, params) => guardSite(call.ctx, call.actor, call.scope, params["org"] ?? "", required),
});

/** The workspace of `{workspaceId}`. */
export const workspaceAccess = (
  required: Role | "guests",
  options?: WorkspaceGuardOptions,
): AccessCheck<WorkspaceGrant> => ({
  about: `${ROLE_DESCRIPTIONS[required]} of the workspace.`,
  statuses: [401, 403, 404],
  check: (call, params) =>
    guardWorkspace(call.ctx, call.actor, params["workspaceId"] ?? "", required, {
      ...removedOptionOf(call),
      ...options,
    }),
});

/** The metadata of the document of `{docId}`. */
export const documentInfoAccess = (required: Role, options?: DocumentGuardOptions): AccessCheck<DocumentGrant> => ({
  about: `${ROLE_DESCRIPTIONS[required]} of the document.`,
  statuses: [401, 403, 404],
  check: (call, params) => findDocument(call, params, required, { ...removedOptionOf(call), ...options }),
});

/** The document of `{docId}`, in the trash or not, for administrators of the installation. */
export const documentAdminAccess: AccessCheck<DocumentAdminGrant> = {
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
 * The content of the document of `{docId}`, with a limit on concurrent requests. Content in the trash can be read with
 * `?showRemoved=1`, but not changed.
 */
export const documentContentAccess = (
  required: Role,
  { inTrash = false }: ContentOptions = {},
): AccessCheck<DocumentGrant> => ({
  about: `${ROLE_DESCRIPTIONS[required]} of the document.`,
  requestClass: "document",
  statuses: [401, 403, 404, 429],
  showsRemoved: (method) => inTrash || isReadMethod(method),
  documentOf: (grant) => grant,
  check(call, params) {
    const removedOption = inTrash || isReadMethod(call.request.method) ? removedOptionOf(call) : {};
    const grant = findDocument(call, params, required, removedOption);
    acquireDocumentSlot(call, grant.uuid);
    return grant;
  },
  done(call) {
    if (call.accounting.document) call.services.documentLimiter.release(call.accounting.document);
  },
});

/** Streams of changes of the document of `{docId}`, which have a limit of their own. */
export const documentStreamAccess = (required: Role): AccessCheck<DocumentGrant> => ({
  about: `${ROLE_DESCRIPTIONS[required]} of the document.`,
  requestClass: "document",
  isStream: true,
  statuses: [401, 403, 404, 429],
  check: (call, params) => findDocument(call, params, required, {}),
});

/** The grant for a document, and the id of a job in it. */
export interface JobGrant {
  readonly document: DocumentGrant;
  readonly id: string;
}

/** The document of `{jobId}`. Whatever is wrong, the job is not found: only its owner learns where it is. */
export const jobAccess: AccessCheck<JobGrant> = {
  about: "The user who started the job, while they can read the document.",
  requestClass: "document",
  statuses: [401, 404],
  documentOf: ({ document }) => document,
  check(call, params) {
    const parsed = parseJobId(params["jobId"] ?? "");
    try {
      if (parsed) return { document: findDocument(call, { docId: parsed.uuid }, "viewers", {}), id: parsed.id };
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "notFound" && error.code !== "forbidden")) throw error;
    }
    throw notFound("Job not found", "job.not_found");
  },
};

function findDocument(
  call: Call,
  params: Readonly<Record<string, string>>,
  required: Role,
  options: DocumentGuardOptions,
): DocumentGrant {
  const grant = guardDocument(call.ctx, call.actor, call.scope, params["docId"] ?? "", required, {
    ...options,
    tables: tableUseOf(call),
    request: requestInfo(call),
  });
  if (grant.tables && call.accounting.tableUse === "table") requireReachedTable(grant, params["tableId"] ?? "");
  call.accounting.document = grant.uuid;
  return grant;
}

/** Keys that are limited to tables see no past states, and no dry runs, which report changes of other tables. */
function tableUseOf({ accounting, search }: Call): TableUse {
  if (search !== "") {
    const query = new URLSearchParams(search);
    if (query.has("at") || query.has("dryrun")) return "refused";
  }
  return accounting.tableUse ?? "refused";
}

const isReadMethod = (method: string): boolean => method === "GET" || method === "HEAD";

const removedOptionOf = (call: Call): { removed?: "only" } =>
  call.search !== "" && isOn(new URLSearchParams(call.search).get("showRemoved")) ? { removed: "only" } : {};
