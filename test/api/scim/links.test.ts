/** Links that make an account or sign in, after the user was changed, disabled or deleted. */
import { describe, expect, test } from "bun:test";
import { findResetUser, issueReset } from "../../../src/services/accounts/password-resets.ts";
import { findSignInLink, issueSignInLink } from "../../../src/services/accounts/sign-in-links.ts";
import { findUser } from "../../../src/services/accounts/users.ts";
import type { Context } from "../../../src/services/context.ts";
import { findInvitation } from "../../../src/services/invitations/accept-invitation.ts";
import { inviteByCommand } from "../../../src/services/invitations/invitations.ts";
import { issueInvitationToken } from "../../../src/services/invitations/tokens.ts";
import { must } from "../../../src/lib/assert.ts";
import { type ScimServer, scimServer, URN } from "./scim-server.ts";

const EMAIL = "nina@example.com";

interface LinkKind {
  issue(ctx: Context, userId: number): string;
  find(ctx: Context, token: string): unknown;
}

const LINKS: Readonly<Record<string, LinkKind>> = {
  invitation: {
    issue: (ctx, userId) => must(issueInvitationToken(ctx.home, userId, "invitation")).token,
    find: findInvitation,
  },
  "invitation of a user": {
    issue(ctx, userId) {
      const invitedBy = ctx.home.users.byEmail("emil@example.com")?.id ?? 0;
      ctx.home.invitations.set({ userId, invitedBy, expiresAt: ctx.clock.now() + 60_000 });
      return must(issueInvitationToken(ctx.home, userId, "invitation-by-user")).token;
    },
    find: findInvitation,
  },
  "password reset": {
    issue: (ctx, userId) => issueReset(ctx, findUser(ctx, userId)).token,
    find: findResetUser,
  },
  "sign-in": { issue: (ctx) => issueSignInLink(ctx, EMAIL).token, find: findSignInLink },
};

type Change = (scim: ScimServer, userId: number) => Promise<unknown>;

const setActive =
  (value: boolean): Change =>
  (scim, id) =>
    scim.patch(`/Users/${id}`, { op: "replace", path: "active", value });

const administer =
  (operation: "disable" | "enable"): Change =>
  ({ server }, id) =>
    server.call("owner", "POST", `/api/users/${id}/${operation}`, {});

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  "PUT of another address": [(scim, id) => scim.must("PUT", `/Users/${id}`, { userName: "other@example.com" })],
  "PATCH of the userName": [
    (scim, id) => scim.patch(`/Users/${id}`, { op: "replace", path: "userName", value: "other@example.com" }),
  ],
  "PATCH of the address": [
    (scim, id) =>
      scim.patch(`/Users/${id}`, { op: "replace", path: "emails", value: [{ value: "other@example.com" }] }),
  ],
  "a changed address, and back": [
    (scim, id) => scim.must("PUT", `/Users/${id}`, { userName: "other@example.com" }),
    (scim, id) => scim.must("PUT", `/Users/${id}`, { userName: EMAIL }),
  ],
  "active: false": [setActive(false)],
  "active: false, and true again": [setActive(false), setActive(true)],
  "active: false in bulk": [
    (scim, id) => {
      const data = { schemas: [URN.patch], Operations: [{ op: "replace", path: "active", value: false }] };
      const Operations = [{ method: "PATCH", path: `/Users/${id}`, data }];
      return scim.must("POST", "/Bulk", { schemas: [URN.bulk], Operations });
    },
  ],
  DELETE: [(scim, id) => scim.must("DELETE", `/Users/${id}`)],
  "disabling by an administrator": [administer("disable")],
  "disabling by an administrator, and enabling": [administer("disable"), administer("enable")],
};

const tokensOf = ({ home }: Context, userId: number): number =>
  home.raw.get<{ n: number }>("select count(*) as n from tokens where user_id = ?", userId)?.n ?? 0;

describe.each(Object.entries(LINKS))("a link for an account: %s", (_kind, { issue, find }) => {
  test.each(Object.entries(CHANGES))("ends with %s", async (_name, changes) => {
    await using scim = await scimServer();
    const { ctx } = scim.server.app;
    const { userId } = inviteByCommand(ctx, EMAIL);
    const token = issue(ctx, userId);
    expect(find(ctx, token)).not.toBeNull();
    for (const change of changes) await change(scim, userId);
    expect(find(ctx, token)).toBeNull();
    expect(tokensOf(ctx, userId)).toBe(0);
  });

  test("does not end with a change of another user, or without a change", async () => {
    await using scim = await scimServer();
    const { ctx } = scim.server.app;
    const { userId } = inviteByCommand(ctx, EMAIL);
    const token = issue(ctx, userId);
    const before = tokensOf(ctx, userId);
    await scim.must("PUT", `/Users/${scim.idOf("viewer")}`, { userName: "other@example.com" });
    await scim.patch(`/Users/${userId}`, { op: "replace", path: "active", value: true });
    expect(find(ctx, token)).not.toBeNull();
    expect(tokensOf(ctx, userId)).toBe(before);
  });
});
