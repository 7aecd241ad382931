/** How each event of the audit log is caused. */
import { expect } from "bun:test";
import { prepareRestoredHome } from "../../../src/home/home-copy.ts";
import { startSession, signOut, changePassword } from "../../../src/services/accounts/sign-in.ts";
import { endOtherSessions, endSession } from "../../../src/services/accounts/sessions.ts";
import { createReset, resetPassword } from "../../../src/services/accounts/password-resets.ts";
import { createGroup } from "../../../src/services/accounts/groups.ts";
import { addUser } from "../../../src/services/accounts/users.ts";
import { type AuditEventName } from "../../../src/services/audit/audit-events.ts";
import { cancelAnyJob } from "../../../src/services/administration/jobs/jobs.ts";
import { pruneAuditLog } from "../../../src/services/audit/prune-audit-log.ts";
import { recordAuditSoon } from "../../../src/services/audit/record-audit.ts";
import { signIn } from "../../../src/services/second-factor/sign-in-steps.ts";
import { acceptInvitation } from "../../../src/services/invitations/accept-invitation.ts";
import { inviteUser, revokeInvitation } from "../../../src/services/invitations/invitations.ts";
import { restoreDeletedSite } from "../../../src/services/sites/deleted-sites.ts";
import { openHome } from "../../../src/home/home.ts";
import { disconnectIdentity, listIdentities } from "../../../src/services/oidc/identities.ts";
import { USERS } from "../../helpers/app.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { enrolledUser } from "../../helpers/second-factor.ts";
import { BROWSER, errorCodeOf, grantOf } from "../../helpers/users.ts";
import { type AuditScene } from "./scene.ts";

export interface Case {
  /** What is done before; its entries do not count. */
  readonly prepare?: (s: AuditScene) => unknown;
  readonly run: (s: AuditScene) => unknown;
  /** All events of `run`; default: the one that the case is for. */
  readonly events?: readonly AuditEventName[];
}

export const PASSWORD = "correct horse battery";
export const owner = (s: AuditScene) => grantOf(s.ctx, USERS.owner.email);
export const setPassword = (s: AuditScene) =>
  changePassword(s.ctx, owner(s), { newPassword: PASSWORD, currentToken: null });
const newSession = (s: AuditScene) => s.ctx.home.transaction(() => startSession(s.ctx, s.idOf("owner"), BROWSER));
const trash = (s: AuditScene) => s.must("POST", `${s.doc}/remove`);
const addTable = (s: AuditScene) =>
  s.must("POST", `${s.doc}/tables`, { tables: [{ id: "Goods", columns: [{ id: "Name" }] }] });
const addWebhook = async (s: AuditScene) => {
  await addTable(s);
  const fields = { url: "https://hooks.example.com/secret-path", tableId: "Goods", eventTypes: ["add"] };
  const { webhooks } = await s.must<{ webhooks: { id: string }[] }>("POST", `${s.doc}/webhooks`, {
    webhooks: [{ fields }],
  });
  return `${s.doc}/webhooks/${webhooks[0]?.id ?? ""}`;
};
let webhook = "";
let other = "";
let token = "";

/** Returns the token that a case made, which no entry may contain. */
export const secretOf = (): string[] => (token === "" ? [] : [token]);
let id: number | string = 0;
const expiresAt = "2100-01-01T00:00:00Z";
const newAccount = async (s: AuditScene) => {
  id = (await s.must<{ id: number }>("POST", "/api/service-accounts", { expiresAt })).id;
};
const INVITED = "invited@example.com";
const GROUP_URN = "urn:ietf:params:scim:schemas:core:2.0:Group";
const newGroup = (s: AuditScene) => createGroup(s.ctx, { name: "Crew", managedBy: null, externalId: null });
const newScimGroup = async (s: AuditScene) => {
  const body = { schemas: [GROUP_URN], displayName: "Crew" };
  id = (await s.server.call("owner", "POST", "/api/scim/v2/Groups", body)).body.id;
};
const newCopy = async (s: AuditScene) => {
  other = await s.must<string>("POST", `/api/workspaces/${s.workspaceId}/docs`, { name: "Other" });
};

/** How each event is caused: a new event needs a case. */
export const CASES: Record<AuditEventName, Case> = {
  "audit.lost": {
    run: ({ ctx }) => {
      for (let n = 0; n <= 10_000; n++)
        recordAuditSoon(ctx, { event: "server.started", actor: "server", details: { n } });
    },
    events: [...Array<AuditEventName>(10_000).fill("server.started"), "audit.lost"],
  },
  "audit.pruned": {
    run: ({ ctx }) =>
      pruneAuditLog({ ...ctx, clock: { ...ctx.clock, now: () => Date.now() + 864e5 } }, { keepDays: 1 }),
  },
  // The connection itself needs a provider; see test/oidc/sign-in.test.ts.
  "identity.connected": {
    run: (s) => recordAuditSoon(s.ctx, { event: "identity.connected", actor: owner(s).actor, userId: s.idOf("owner") }),
  },
  "second_factor.changed": {
    run: (s) => enrolledUser(s.ctx, "new@example.com"),
    events: ["user.created", "session.started", "second_factor.changed"],
  },
  "identity.disconnected": {
    prepare: async (s) => {
      await setPassword(s);
      const identity = { issuer: "https://id.example.com", subject: "1", provider: "example", email: "" };
      s.ctx.home.transaction(() => s.ctx.home.identities.add({ ...identity, userId: s.idOf("owner") }));
    },
    run: (s) => disconnectIdentity(s.ctx, owner(s), listIdentities(s.ctx, owner(s))[0]?.id ?? ""),
  },
  "server.started": { run: ({ ctx }) => recordAuditSoon(ctx, { event: "server.started", actor: "server" }) },
  "backup.restored": {
    // Restores a copy of the database, then copies the entry: the server has its database open.
    run: async ({ ctx }) => {
      const folder = tempFolder();
      ctx.home.raw.run("vacuum into ?", `${folder}/home.sqlite`);
      prepareRestoredHome(`${folder}/home.sqlite`, { nowMs: Date.now(), withWebhooks: true, source: { backup: "b" } });
      using home = openHome(folder);
      expect(home.audit.last().number).toBeGreaterThan(Date.now() - 60_000);
      recordAuditSoon(ctx, { event: "backup.restored", actor: "command" });
    },
  },

  "session.started": { run: newSession },
  "session.ended": {
    prepare: (s) => {
      other = newSession(s).token;
      id = newSession(s).userId;
    },
    run: (s) => {
      signOut(s.ctx, other, "192.0.2.1");
      signOut(s.ctx, other, "192.0.2.1");
      endSession(s.ctx, owner(s), s.ctx.home.sessions.list(Number(id))[0]?.publicId ?? "");
    },
    events: ["session.ended", "session.ended"],
  },
  "sessions.ended": { run: (s) => endOtherSessions(s.ctx, owner(s), null) },
  "sign_in.failed": {
    prepare: setPassword,
    run: async (s) => {
      const attempt = (email: string, password: string) =>
        errorCodeOf(() => signIn(s.ctx, { ...BROWSER, email, password }));
      for (let n = 0; n < 3; n++) {
        expect(await attempt(USERS.owner.email, "wrong password")).toBe("unauthenticated");
        expect(await attempt("my-secret-typed-as-name@example.com", "x")).toBe("unauthenticated");
      }
    },
    events: ["sign_in.failed", "sign_in.failed"],
  },
  "password.changed": { run: setPassword },
  "password.change_failed": {
    prepare: setPassword,
    run: (s) =>
      errorCodeOf(() =>
        changePassword(s.ctx, owner(s), { current: "x", newPassword: "y".repeat(20), currentToken: null }),
      ),
  },
  "password.reset_link_created": { run: (s) => createReset(s.ctx, owner(s), s.idOf("editor")) },
  "password.reset": {
    prepare: (s) => {
      other = createReset(s.ctx, owner(s), s.idOf("editor")).token;
    },
    run: (s) => resetPassword(s.ctx, { token: other, password: PASSWORD, name: "" }, BROWSER),
    events: ["password.reset", "session.started"],
  },

  "key.created": { run: (s) => s.must("POST", "/api/profile/keys", { label: "Script" }) },
  "key.deleted": {
    run: (s) => s.server.call("stranger", "DELETE", "/api/profile/apikey"),
  },
  "service_account.created": { run: newAccount, events: ["service_account.created", "key.created"] },
  "service_account.changed": {
    prepare: newAccount,
    run: (s) => s.must("PATCH", `/api/service-accounts/${id}`, { label: "Robot" }),
  },
  "service_account.deleted": { prepare: newAccount, run: (s) => s.must("DELETE", `/api/service-accounts/${id}`) },

  "token.created": {
    run: async (s) => {
      const body = { email: "end-user-secret@app.example", role: "viewers", expiresIn: 60 };
      for (let n = 0; n < 2; n++) token = (await s.must<{ token: string }>("POST", `${s.doc}/tokens`, body)).token;
    },
  },
  "invitation.created": {
    run: (s) => {
      token = inviteUser(s.ctx, owner(s), { email: INVITED }).token;
    },
    events: ["user.created", "invitation.created"],
  },
  "invitation.revoked": {
    prepare: (s) => {
      id = inviteUser(s.ctx, owner(s), { email: INVITED }).userId;
    },
    run: (s) => revokeInvitation(s.ctx, owner(s), Number(id)),
    events: ["invitation.revoked", "user.deleted"],
  },
  "invitation.accepted": {
    prepare: (s) => {
      token = inviteUser(s.ctx, owner(s), { email: INVITED }).token;
    },
    run: (s) => acceptInvitation(s.ctx, { token, name: "New", password: PASSWORD }, BROWSER),
    events: ["invitation.accepted", "session.started"],
  },
  "group.created": { run: newGroup },
  "group.changed": {
    prepare: newScimGroup,
    run: async (s) => {
      for (let n = 0; n < 2; n++)
        await s.must("PUT", `/api/scim/v2/Groups/${id}`, { schemas: [GROUP_URN], displayName: "Team" });
    },
  },
  "group.deleted": {
    prepare: newScimGroup,
    run: (s) => s.server.call("owner", "DELETE", `/api/scim/v2/Groups/${id}`),
  },

  "user.created": { run: (s) => addUser(s.ctx, { email: "new@example.com", name: "New" }) },
  "user.changed": { run: (s) => s.must("POST", "/api/profile/user/name", { name: "Olga" }) },
  "user.disabled": {
    run: async (s) => {
      for (let n = 0; n < 2; n++) await s.must("POST", `/api/users/${s.idOf("editor")}/disable`);
    },
  },
  "user.enabled": {
    prepare: (s) => s.must("POST", `/api/users/${s.idOf("editor")}/disable`),
    run: async (s) => {
      for (let n = 0; n < 2; n++) await s.must("POST", `/api/users/${s.idOf("editor")}/enable`);
    },
  },
  "user.deleted": {
    run: (s) => s.server.call("stranger", "DELETE", `/api/users/${s.idOf("stranger")}`, { name: USERS.stranger.name }),
  },
  "user.administrator_changed": {
    run: (s) => addUser(s.ctx, { email: "new@example.com", name: "New", isAdmin: true }),
    events: ["user.created", "user.administrator_changed"],
  },

  "access.changed": {
    run: async (s) => {
      const users = { [USERS.editor.email]: "editors" };
      for (let n = 0; n < 2; n++) await s.must("PATCH", `${s.doc}/access`, { delta: { users } });
    },
  },
  "access.inheritance_changed": {
    run: (s) => s.must("PATCH", `${s.doc}/access`, { delta: { maxInheritedRole: "viewers" } }),
  },

  "site.created": { run: (s) => s.must("POST", "/o/docs/api/orgs", { name: "Second", domain: "second" }) },
  "site.changed": { run: (s) => s.must("PATCH", "/api/orgs/team", { name: "Renamed" }) },
  "site.restored": {
    prepare: async (s) => {
      const user = await addUser(s.ctx, { email: "new@example.com", name: "New" });
      id = s.ctx.home.raw.get<{ id: number }>("select id from orgs where owner_id = ?", user.id)?.id ?? 0;
      await s.server.call("owner", "DELETE", `/api/scim/v2/Users/${user.id}`);
    },
    run: (s) => restoreDeletedSite(s.ctx, { orgId: Number(id), to: USERS.editor.email }),
  },
  "site.deleted": { run: (s) => s.must("DELETE", "/api/orgs/team/team") },
  "workspace.created": { run: (s) => s.must("POST", "/api/orgs/team/workspaces", { name: "More" }) },
  "workspace.changed": { run: (s) => s.must("PATCH", `/api/workspaces/${s.workspaceId}`, { name: "More" }) },
  "workspace.trashed": { run: (s) => s.must("POST", `/api/workspaces/${s.workspaceId}/remove`) },
  "workspace.restored": {
    prepare: (s) => s.must("POST", `/api/workspaces/${s.workspaceId}/remove`),
    run: (s) => s.must("POST", `/api/workspaces/${s.workspaceId}/unremove`),
  },
  "workspace.deleted": { run: (s) => s.must("DELETE", `/api/workspaces/${s.workspaceId}`) },
  "document.created": { run: newCopy },
  "document.changed": { run: (s) => s.must("PATCH", s.doc, { name: "Renamed" }) },
  "document.moved": {
    prepare: async (s) => {
      id = await s.must<number>("POST", "/api/orgs/team/workspaces", { name: "More" });
    },
    run: (s) => s.must("PATCH", `${s.doc}/move`, { workspace: id }),
  },
  "document.copied": {
    run: (s) => s.must("POST", `${s.doc}/copy`, { workspaceId: s.workspaceId, documentName: "Copy" }),
  },
  "document.trashed": {
    run: async (s) => {
      await trash(s);
      await s.must("POST", `${s.doc}/remove?showRemoved=1`);
    },
  },
  "document.restored": { prepare: trash, run: (s) => s.must("POST", `${s.doc}/unremove`) },
  "document.deleted": { run: (s) => s.must("DELETE", s.doc) },
  "document.disabled": { run: (s) => s.must("POST", `${s.doc}/disable`) },
  "document.enabled": {
    prepare: (s) => s.must("POST", `${s.doc}/disable`),
    run: (s) => s.must("POST", `${s.doc}/enable`),
  },
  "document.replaced": {
    prepare: newCopy,
    run: (s) => s.must("POST", `${s.doc}/replace`, { sourceDocId: other }),
  },
  "document.downloaded": {
    run: async (s) => {
      await s.must("GET", `${s.doc}/download`);
      await s.must("HEAD", `${s.doc}/download`);
      await s.must("GET", `${s.doc}/download?dryrun=1`);
    },
  },
  "document.exported": {
    prepare: addTable,
    run: async (s) => {
      for (const format of ["csv", "tsv", "dsv", "xlsx"])
        await s.must("GET", `${s.doc}/download/${format}?tableId=Goods`);
      await s.must("GET", `${s.doc}/download/table-schema?tableId=Goods`);
      await s.must("GET", `${s.doc}/tables/Goods/records`);
    },
    events: Array<AuditEventName>(4).fill("document.exported"),
  },
  "attachments.downloaded": { run: (s) => s.must("GET", `${s.doc}/attachments/archive?format=tar`) },
  "document.snapshots_deleted": {
    prepare: async (s) => {
      await newCopy(s);
      await s.must("POST", `${s.doc}/replace`, { sourceDocId: other });
    },
    run: (s) => s.must("POST", `${s.doc}/snapshots/remove`, { select: "past" }),
  },
  "document.history_retention_changed": { run: (s) => s.must("PUT", `${s.doc}/states/retention`, { states: 5 }) },
  "document.history_truncated": { run: (s) => s.must("POST", `${s.doc}/states/remove`, { keep: 1 }) },
  "rules.changed": {
    prepare: addTable,
    run: async (s) => {
      const resource = ["AddRecord", "_grist_ACLResources", -1, { tableId: "Goods", colIds: "*" }];
      const rule = [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: `user.Name == "secret"`, permissionsText: "none" },
      ];
      await s.must("POST", `${s.doc}/apply?dryrun=1`, [resource, rule]);
      // Otherwise equal entries become one.
      await s.entries();
      await s.must("POST", `${s.doc}/apply`, [resource, rule]);
      await s.must("POST", `${s.doc}/tables/Goods/records`, { records: [{ fields: { Name: "x" } }] });
    },
  },

  "job.cancelled": {
    prepare: (s) => {
      const { ctx } = s;
      ctx.home.users.change(s.idOf("owner"), { isAdmin: true });
      ctx.home.emails.add({ messageId: "m", recipient: "a@example.com", kind: "x", content: "{}", expiresAt: 9e15 });
      id = ctx.home.emails.list(1)[0]?.id ?? 0;
    },
    run: (s) => cancelAnyJob(s.ctx, owner(s), `email-${id}`),
  },
  "webhook.created": { run: addWebhook },
  "webhook.changed": {
    prepare: async (s) => {
      webhook = await addWebhook(s);
    },
    run: (s) => s.must("PATCH", webhook, { name: "Renamed" }),
  },
  "webhook.deleted": {
    prepare: async (s) => {
      webhook = await addWebhook(s);
    },
    run: (s) => s.must("DELETE", webhook),
  },
};
