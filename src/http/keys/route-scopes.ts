/**
 * The scopes that limited API keys need, by route. The only table of them: requests are checked against it, and the
 * OpenAPI description, the docs and the tests are generated from it.
 */
import type { Scope } from "../../authorization.ts";
import type { TableUse } from "../../services/access/key-limits.ts";

/**
 * What a key that is restricted to sites, workspaces, documents or tables reaches:
 * - `resource`: the site, workspace or document in the path, if the key reaches it;
 * - `list`: the part of the list that the key reaches;
 * - `caller`: facts about the caller, and keys with the same or narrower limits;
 * - `refused`: nothing, since the route is about the account or the installation.
 */
type Reach = "resource" | "list" | "caller" | "refused";

export interface RouteScope {
  /** All of them are required; none for facts about the caller. */
  readonly scopes: readonly Scope[];
  readonly reach: Reach;
  readonly tables: TableUse;
}

type Needs = Scope | readonly Scope[] | null;

const group = (needs: Needs, [reach, tables]: readonly [Reach, TableUse], ids: readonly string[]) =>
  ids.map((id): [string, RouteScope] => [
    id,
    { scopes: needs === null ? [] : typeof needs === "string" ? [needs] : needs, reach, tables },
  ]);

const RESOURCE = ["resource", "refused"] as const;
/** Facts about sites, workspaces and documents, which keys for tables may know of theirs. */
const FACTS = ["resource", "part"] as const;
const TABLE = ["resource", "table"] as const;
const PART = ["resource", "part"] as const;
const LIST = ["list", "part"] as const;
const CALLER = ["caller", "part"] as const;
const ACCOUNT = ["refused", "refused"] as const;

/** An action can change records, tables and access rules alike. */
const ACTION_SCOPES = ["records:write", "schema:write", "access:manage"] as const;

export const ROUTE_SCOPES: ReadonlyMap<string, RouteScope> = new Map([
  ...group(null, CALLER, ["getProfile", "describeOwnKey", "getActiveSession", "getAllSessions", "chooseActiveUser"]),
  ...group("profile:write", ACCOUNT, ["renameSelf", "setLocale"]),
  ...group("documents:read", LIST, ["listOrgs", "listRecentDocuments"]),
  ...group("documents:read", FACTS, [
    "describeOrg",
    "listWorkspaces",
    "describeWorkspace",
    "describeDocument",
    "assignDocument",
  ]),
  ...group("documents:read", RESOURCE, [
    "describeUsage",
    "describeDocumentUsage",
    "describeAttachmentStore",
    "describeAttachmentTransfer",
  ]),
  ...group("documents:manage", RESOURCE, [
    "createDocument",
    "importDocument",
    "uploadFilesToWorkspace",
    "describeWorkspaceUpload",
    "cancelWorkspaceUpload",
    "modifyDocument",
    "deleteDocument",
    "removeDocument",
    "unremoveDocument",
    "pinDocument",
    "unpinDocument",
    "moveDocument",
    "chooseAttachmentStore",
    "listAttachmentStores",
    "transferAttachments",
    "reloadDocument",
    "flushDocument",
    "recoverDocument",
  ]),
  // These also write, or read, the content of a document.
  ...group(["documents:manage", "documents:download"], RESOURCE, ["copyDocument", "replaceDocument"]),
  ...group("documents:manage", ACCOUNT, ["makeDocument"]),
  ...group(["records:write", "schema:write"], RESOURCE, [
    "uploadFiles",
    "describeUpload",
    "cancelUpload",
    "importTables",
  ]),
  ...group("documents:download", RESOURCE, ["downloadDocument"]),
  ...group("workspaces:manage", RESOURCE, [
    "createWorkspace",
    "modifyWorkspace",
    "deleteWorkspace",
    "removeWorkspace",
    "unremoveWorkspace",
  ]),
  ...group("sites:manage", RESOURCE, ["modifyOrg", "deleteOrg", "deleteOrgWithoutName"]),
  ...group("sites:manage", ACCOUNT, ["createOrg", "checkDomain"]),
  ...group("access:read", RESOURCE, [
    "listOrgAccess",
    "listWorkspaceAccess",
    "listDocumentAccess",
    "listUsersForViewAs",
  ]),
  ...group("access:manage", RESOURCE, ["changeOrgAccess", "changeWorkspaceAccess", "changeDocumentAccess"]),
  ...group("schema:read", RESOURCE, [
    "listTables",
    "listColumns",
    "listFormulaErrors",
    "describeTableSchema",
    "describeTiming",
  ]),
  ...group("schema:read", PART, ["declareTypes"]),
  // A schema file contains access rules.
  ...group(["schema:read", "access:read"], RESOURCE, ["readSchemaFile", "downloadSchemaFile", "diffSchemaFile"]),
  ...group("schema:write", RESOURCE, [
    "addTables",
    "modifyTables",
    "deleteTable",
    "addColumns",
    "modifyColumns",
    "putColumns",
    "deleteColumn",
    "startTiming",
    "stopTiming",
  ]),
  ...group(["records:write", "schema:write"], RESOURCE, ["convertColumn"]),
  ...group("records:read", TABLE, [
    "fetchRecords",
    "listRecords",
    "fetchRecord",
    "followRecords",
    "aggregateRecords",
    "estimateChange",
    "fetchData",
  ]),
  ...group("records:read", PART, [
    "describeAttachment",
    "downloadAttachment",
    "followDocument",
    "listJobs",
    "describeJob",
  ]),
  ...group("records:read", ["list", "refused"], ["searchDocuments"]),
  ...group("records:read", RESOURCE, [
    "searchDocument",
    "downloadCSV",
    "downloadTSV",
    "downloadDSV",
    "downloadXLSX",
    "listAttachments",
    "archiveAttachments",
    "renderMarkdown",
  ]),
  ...group(["records:read", "schema:read"], RESOURCE, ["describeForm"]),
  ...group("access:read", RESOURCE, ["listShareKeys"]),
  // Over a link all callers are anonymous.
  ...group(null, CALLER, [
    "describePublishedForm",
    "answerForm",
    "answerFormWithData",
    "listOfferedRecords",
    "uploadForAnswer",
  ]),
  // A formula, and the cells that it reads.
  ...group(["records:read", "schema:read"], TABLE, ["explainCell"]),
  // As explanations, for users who may write formulas.
  ...group(["records:read", "schema:write"], RESOURCE, ["checkFormula"]),
  // A statement reads records, and the names of tables and columns.
  ...group(["records:read", "schema:read"], RESOURCE, ["runSql", "runSqlWithArgs", "listQueries"]),
  // Views name columns and values, and are those of the caller.
  ...group("records:read", RESOURCE, ["findPersonalView"]),
  ...group(["records:read", "profile:write"], RESOURCE, ["savePersonalView", "removePersonalView"]),
  ...group("schema:write", RESOURCE, ["addQuery", "modifyQuery", "deleteQuery"]),
  ...group("records:write", TABLE, [
    "addRecords",
    "modifyRecords",
    "upsertRecords",
    "deleteRecords",
    "changeMatchingRecords",
    "modifyRecord",
    "deleteRecord",
    "addData",
    "modifyData",
    "deleteData",
  ]),
  ...group("records:write", PART, ["runBatch", "undoChanges", "uploadAttachments", "cancelJob"]),
  ...group("records:write", RESOURCE, [
    "restoreAttachments",
    "markUnusedAttachments",
    "removeUnusedAttachments",
    "verifyAttachments",
  ]),
  ...group(ACTION_SCOPES, RESOURCE, ["applyActions", "applySchemaFile"]),
  ...group("history:read", RESOURCE, [
    "listStates",
    "describeHistory",
    "getHistoryRetention",
    "compareStates",
    "compareDocuments",
    "listSnapshots",
  ]),
  ...group("history:write", RESOURCE, [
    "undoState",
    "restoreState",
    "restoreCells",
    "removeStates",
    "setHistoryRetention",
    "createSnapshot",
    "removeSnapshots",
  ]),
  ...group("webhooks:manage", RESOURCE, [
    "listWebhooks",
    "createWebhooks",
    "clearWebhookQueues",
    "clearWebhookQueue",
    "modifyWebhook",
    "deleteWebhook",
    "renewWebhookSecret",
    "testWebhook",
    "listWebhookDeliveries",
    "getWebhookDelivery",
    "redeliverWebhook",
    "subscribe",
    "unsubscribe",
  ]),
  ...group("tokens:create", RESOURCE, ["createToken"]),
  ...group("scim", ACCOUNT, [
    "scimGetConfig",
    "scimListResourceTypes",
    "scimGetResourceType",
    "scimListSchemas",
    "scimGetSchema",
    "scimGetMe",
    "scimListUsers",
    "scimGetUser",
    "scimCreateUser",
    "scimReplaceUser",
    "scimPatchUser",
    "scimDeleteUser",
    "scimSearchUsers",
    "scimListGroups",
    "scimGetGroup",
    "scimCreateGroup",
    "scimReplaceGroup",
    "scimPatchGroup",
    "scimDeleteGroup",
    "scimSearchGroups",
    "scimListRoles",
    "scimGetRole",
    "scimReplaceRole",
    "scimPatchRole",
    "scimSearchRoles",
    "scimSearch",
    "scimBulk",
  ]),
  ...group("admin", CALLER, ["listApiKeys", "createLabelledKey", "deleteLabelledKey"]),
  ...group("admin", ACCOUNT, ["listAuditEntries"]),
  ...group("admin", ACCOUNT, [
    "getApiKey",
    "addPasskey",
    "beginAuthenticator",
    "confirmAuthenticator",
    "confirmUser",
    "getEmailStatus",
    "getSecondFactor",
    "listPasskeys",
    "removeAuthenticator",
    "removePasskey",
    "renamePasskey",
    "replaceRecoveryCodes",
    "resetSecondFactor",
    "sendTestEmail",
    "startPasskey",
    "createApiKey",
    "deleteApiKey",
    "listSessions",
    "endSession",
    "endOtherSessions",
    "describeSignIn",
    "testProvider",
    "listGroups",
    "addGroup",
    "describeGroup",
    "renameGroup",
    "removeGroup",
    "addGroupMember",
    "removeGroupMember",
    "listAllJobs",
    "cancelAnyJob",
    "retryJob",
    "listUsers",
    "describeUser",
    "changeUser",
    "endSessionsOfUser",
    "removeUser",
    "deleteUser",
    "disableUser",
    "enableUser",
    "getEmailStatus",
    "sendTestEmail",
    "listInvitations",
    "inviteUser",
    "revokeInvitation",
    "createInvitationLink",
    "sendInvitation",
    "disableDocument",
    "enableDocument",
    "listServiceAccounts",
    "createServiceAccount",
    "getServiceAccount",
    "updateServiceAccount",
    "deleteServiceAccount",
    "renewServiceAccountKey",
    "removeServiceAccountKey",
  ]),
]);

/** For routes without a row, which a test reports: limited keys need the widest scope. */
const UNLISTED: RouteScope = { scopes: ["admin"], reach: "refused", tables: "refused" };

export const routeScopeOf = (id: string): RouteScope => ROUTE_SCOPES.get(id) ?? UNLISTED;
