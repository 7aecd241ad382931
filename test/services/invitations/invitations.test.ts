/** Invitations, and who gets the links that make accounts. */
import { describe, expect, test } from "bun:test";
import { actorFromSession } from "../../../src/services/accounts/actors.ts";
import { issueReset, resetPassword } from "../../../src/services/accounts/password-resets.ts";
import { verifyCredentials } from "../../../src/services/accounts/sign-in.ts";
import { disableUser, insertUser } from "../../../src/services/accounts/users.ts";
import { inviteUser } from "../../../src/services/invitations/invitations.ts";
import { acceptInvitation, findInvitation } from "../../../src/services/invitations/accept-invitation.ts";
import { type Sample, sampleDocument, type TestApp, type TestAppOptions, testApp, USERS } from "../../helpers/app.ts";
import { DAY, TestTimers } from "../../helpers/clock.ts";
import { BROWSER, errorCodeOf, grantOf } from "../../helpers/users.ts";

const NEW = "Nina@Example.com";
const PASSWORD = "correct horse";

interface Invitations extends AsyncDisposable {
  readonly t: TestApp;
  readonly sample: Sample;
  readonly timers: TestTimers;
  /** Adds a user as an administrator, and returns the token of the link. */
  add(email?: string): Promise<{ token: string; userId: number }>;
  share(users: Record<string, string | null>, as?: "owner" | "editor"): Promise<number>;
  idOf(email: string): number;
}

/** A server with an administrator, `viewer`, and a document of `owner`. */
async function setUp(options: TestAppOptions = {}): Promise<Invitations> {
  const timers = new TestTimers();
  const t = await testApp({ ...options, timers, clock: timers.clock });
  const { users } = t.app.ctx.home;
  const idOf = (email: string) => users.byEmail(email)?.id ?? 0;
  users.change(idOf(USERS.viewer.email), { isAdmin: true });
  const sample = await sampleDocument(t);
  return {
    t,
    sample,
    timers,
    idOf,
    async add(email = NEW) {
      const { status, body } = await t.call("viewer", "POST", "/api/invitations", { email });
      expect(status).toBe(200);
      return { token: tokenOf(body.link), userId: body.userId };
    },
    share: async (users, as = "owner") =>
      (await t.call(as, "PATCH", `/api/docs/${sample.doc}/access`, { delta: { users } })).status,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

const tokenOf = (link: string): string => new URL(link).searchParams.get("token") ?? "";
/** Accepts an invitation, and returns the session. */
async function accept({ t }: Invitations, token: string, name = "Nina") {
  const step = await acceptInvitation(t.app.ctx, { token, name, password: PASSWORD }, BROWSER);
  if (step.kind !== "session") throw new Error("no session");
  return step.session;
}

describe("an invitation of an administrator", () => {
  test("suggests a name, gives a role on a site of the administrator, and makes administrators in a session only", async () => {
    await using i = await setUp();
    const { home } = i.t.app.ctx;
    const orgId = home.orgs.byDomain("team")?.id ?? 0;
    const invite = (body: object) => i.t.call("viewer", "POST", "/api/invitations", { email: NEW, ...body });
    const site = { id: orgId, role: "editors" };
    // The team site belongs to another user.
    expect((await invite({ site })).status).toBe(403);
    const setRole = (role: string) =>
      i.t.must("PATCH", "/api/orgs/team/access", { delta: { users: { [USERS.viewer.email]: role } } });
    await setRole("editors");
    expect((await invite({ site })).status).toBe(403);
    expect((await invite({ isAdmin: true })).body.details.code).toBe("access.session_required");
    expect(home.users.byEmail(NEW)).toBeNull();
    await setRole("owners");
    const { body } = await invite({ site, name: "Nina & Co" });
    expect(new URL(body.link).searchParams.get("name")).toBe("Nina & Co");
    expect(home.grants.roleOf({ kind: "site", id: orgId }, i.idOf(NEW))).toBe("editors");
    expect((await invite({ site: { id: 99999, role: "editors" } })).status).toBe(404);
    const viewer = grantOf(i.t.app.ctx, USERS.viewer.email);
    inviteUser(i.t.app.ctx, viewer, { email: NEW, isAdmin: true });
    expect(home.users.byEmail(NEW)?.isAdmin).toBe(true);
  });

  test("makes an account with a name, a password and a session, once", async () => {
    await using i = await setUp();
    const { token } = await i.add();
    expect(findInvitation(i.t.app.ctx, token)).toEqual({ email: NEW, inviter: USERS.viewer.name });
    const session = await accept(i, token, "  Nina Novak ");
    expect(actorFromSession(i.t.app.ctx, session.token)).toMatchObject({
      email: NEW.toLowerCase(),
      name: "Nina Novak",
    });
    await verifyCredentials(i.t.app.ctx, { email: NEW, password: PASSWORD, ...BROWSER });
    expect(findInvitation(i.t.app.ctx, token)).toBeNull();
    expect(await errorCodeOf(() => accept(i, token, "Mallory"))).toBe("forbidden");
    expect(i.t.app.ctx.home.users.byEmail(NEW)?.name).toBe("Nina Novak");
    expect((await i.t.call("viewer", "GET", "/api/invitations")).body).toEqual({ invitations: [] });
  });

  test("is stored as a hash only", async () => {
    await using i = await setUp();
    const { token } = await i.add();
    expect(JSON.stringify(i.t.app.ctx.home.raw.all("select * from tokens"))).not.toContain(token);
  });

  test("is listed, with who invited and when it expires", async () => {
    await using i = await setUp();
    const { userId } = await i.add();
    const [invitation] = (await i.t.call("viewer", "GET", "/api/invitations")).body.invitations;
    const expiresAt = new Date(i.timers.clock.now() + 7 * DAY).toISOString();
    expect(invitation).toMatchObject({ userId, email: NEW, invitedBy: USERS.viewer.name, expiresAt, isExpired: false });
    i.timers.clock.pass(7 * DAY);
    const { invitations } = (await i.t.call("viewer", "GET", "/api/invitations")).body;
    expect(invitations).toMatchObject([{ userId, isExpired: true }]);
  });

  /** What makes a link stop working, with the status of the page's service. */
  const ENDS: readonly (readonly [string, (i: Invitations, userId: number) => unknown])[] = [
    ["seven days", (i) => i.timers.clock.pass(7 * DAY)],
    ["a newer link", (i) => i.add()],
    ["a newer link in another spelling", (i) => i.add(NEW.toUpperCase())],
    ["a newer link by its user", (i, id) => i.t.call("viewer", "POST", `/api/invitations/${id}/link`)],
    ["revoking", (i, id) => i.t.call("viewer", "DELETE", `/api/invitations/${id}`)],
    ["disabling the user", (i, id) => disableUser(i.t.app.ctx, grantOf(i.t.app.ctx, USERS.viewer.email), id)],
    ["deleting the user", (i, id) => i.t.app.ctx.home.users.remove(id)],
    [
      "a first sign-in in another way",
      ({ t }) => t.app.ctx.home.transaction(() => insertUser(t.app.ctx, { email: NEW, name: "Provider", hash: null })),
    ],
    [
      "a password reset that was used",
      async ({ t }, id) => {
        const user = t.app.ctx.home.users.byId(id);
        if (!user) throw new Error("no user");
        const { token } = issueReset(t.app.ctx, user);
        await resetPassword(t.app.ctx, { token, name: "Reset", password: PASSWORD }, BROWSER);
      },
    ],
  ];
  test.each(ENDS)("ends by %s", async (_, end) => {
    await using i = await setUp();
    const { token, userId } = await i.add();
    expect(findInvitation(i.t.app.ctx, token)).not.toBeNull();
    await end(i, userId);
    const before = i.t.app.ctx.home.users.byId(userId)?.name;
    expect(findInvitation(i.t.app.ctx, token)).toBeNull();
    expect(await errorCodeOf(() => accept(i, token))).toBe("forbidden");
    expect(i.t.app.ctx.home.users.byId(userId)?.name).toBe(before as string);
  });

  test.each([
    ["an existing account", USERS.editor.email, 409, "user.exists"],
    ["an existing account in another spelling", USERS.editor.email.toUpperCase(), 409, "user.exists"],
    ["a pseudo-user", "everyone@getgrist.com", 409, "user.exists"],
    ["no address", "nina", 400, "request.invalid"],
    ["an empty address", "", 400, "payload.invalid"],
  ])("is refused for %s, which stays as it is", async (_, email, status, code) => {
    await using i = await setUp();
    const users = () => JSON.stringify(i.t.app.ctx.home.raw.all("select * from users"));
    const before = users();
    const { status: found, body } = await i.t.call("viewer", "POST", "/api/invitations", { email });
    expect([found, body.details.code]).toEqual([status, code]);
    expect(users()).toBe(before);
  });

  test("that is revoked deletes the user with what was shared with them", async () => {
    await using i = await setUp();
    await i.share({ [NEW]: "editors" });
    const id = i.idOf(NEW);
    expect((await i.t.call("viewer", "DELETE", `/api/invitations/${id}`)).status).toBe(200);
    expect(i.idOf(NEW)).toBe(0);
    const { users } = await i.t.must<{ users: { email: string }[] }>("GET", `/api/docs/${i.sample.doc}/access`);
    expect(users.map(({ email }) => email)).not.toContain(NEW);
  });

  test("never leads to an account that exists", async () => {
    await using i = await setUp();
    const id = i.idOf(USERS.editor.email);
    for (const [method, path] of [
      ["POST", `/api/invitations/${id}/link`],
      ["DELETE", `/api/invitations/${id}`],
    ] as const) {
      expect((await i.t.call("viewer", method, path)).body.details.code).toBe("invitation.not_found");
    }
    expect(i.t.app.ctx.home.users.byId(id)?.name).toBe(USERS.editor.name);
  });

  test("is for administrators", async () => {
    await using i = await setUp();
    const { userId } = await i.add();
    for (const [method, path, body] of [
      ["GET", "/api/invitations", undefined],
      ["POST", "/api/invitations", { email: "x@example.com" }],
      ["DELETE", `/api/invitations/${userId}`, undefined],
    ] as const) {
      expect((await i.t.call("owner", method, path, body)).body.details.code).toBe("access.admin_required");
      expect((await i.t.call("anon", method, path, body)).status).toBe(401);
    }
    expect(i.idOf("x@example.com")).toBe(0);
  });
});

describe("sharing with an unknown address", () => {
  const link = (i: Invitations, as: "owner" | "editor" | "viewer") =>
    i.t.call(as, "POST", `/api/invitations/${i.idOf(NEW)}/link`);

  test("invites the user, whose link leads to what was shared", async () => {
    await using i = await setUp();
    expect(await i.share({ [NEW]: "editors" })).toBe(200);
    const { status, body } = await link(i, "viewer");
    expect(status).toBe(200);
    const session = await accept(i, tokenOf(body.link));
    const actor = actorFromSession(i.t.app.ctx, session.token);
    expect(i.t.app.ctx.home.reach.document(i.sample.doc, { userId: actor?.userId ?? 0, domain: null })?.role).toBe(
      "editors",
    );
  });

  const OWNERS = { flags: { "invitation-links": "owners" } };

  /** Who gets the link of a user whom `owner` has invited by sharing. */
  const HOLDERS: readonly (readonly [
    string,
    { flags?: Record<string, string>; before?: (i: Invitations) => unknown; as?: "owner" | "editor"; status: number },
  ])[] = [
    ["not the sharer, by default", { status: 404 }],
    ["the sharer, if owners get links", { ...OWNERS, status: 200 }],
    ["not another user", { ...OWNERS, as: "editor", status: 404 }],
    [
      "not another owner of the document",
      { ...OWNERS, before: (i) => i.share({ [USERS.editor.email]: "owners" }), as: "editor", status: 404 },
    ],
    [
      "not the sharer, when another user shares something else",
      {
        ...OWNERS,
        before: async (i) => {
          await i.share({ [USERS.editor.email]: "owners" });
          await i.share({ [NEW]: "viewers" }, "editor");
        },
        status: 404,
      },
    ],
    [
      "not the sharer, when an administrator invites the user as well",
      { ...OWNERS, before: (i) => i.add(), status: 404 },
    ],
    [
      "not the sharer, when the user becomes an administrator",
      {
        ...OWNERS,
        before: ({ t, idOf }) => t.app.ctx.home.users.change(idOf(NEW), { isAdmin: true }),
        status: 404,
      },
    ],
    [
      "not the sharer, once the user has signed in",
      {
        ...OWNERS,
        before: ({ t, idOf }) => t.app.ctx.home.users.change(idOf(NEW), { name: "Nina" }),
        status: 404,
      },
    ],
  ];
  test.each(HOLDERS)("gives a link to %s", async (_, { flags = {}, before, as = "owner", status }) => {
    await using i = await setUp({ flags });
    await i.share({ [NEW]: "editors" });
    await before?.(i);
    const reply = await link(i, as);
    expect(reply.status).toBe(status);
    // As for a user who does not exist.
    if (status === 404) {
      const unknown = await i.t.call(as, "POST", "/api/invitations/999999/link");
      expect(reply.body).toEqual(unknown.body);
    }
  });

  /** What ends a link that the sharer has copied. */
  const AFTER: readonly (readonly [string, (i: Invitations) => unknown])[] = [
    [
      "another user shares something with the address",
      async (i) => {
        await i.share({ [USERS.editor.email]: "owners" });
        await i.share({ [NEW]: "viewers" }, "editor");
      },
    ],
    ["an administrator invites the user", (i) => i.add()],
    ["the sharer removes the user", (i) => i.share({ [NEW]: null })],
    [
      "the sharer is disabled",
      ({ t, idOf }) => t.app.ctx.home.users.change(idOf(USERS.owner.email), { disabledAt: 1 }),
    ],
    ["the user becomes an administrator", ({ t, idOf }) => t.app.ctx.home.users.change(idOf(NEW), { isAdmin: true })],
    [
      "the user becomes a member of a group",
      ({ t, idOf }) => {
        const { raw } = t.app.ctx.home;
        raw.run("insert into groups (name, created_at) values ('Staff', 1)");
        raw.run("insert into group_members (group_id, user_id) select id, ? from groups", idOf(NEW));
      },
    ],
  ];
  test.each(AFTER)("a link that was copied ends when %s", async (_, change) => {
    await using i = await setUp(OWNERS);
    await i.share({ [NEW]: "editors" });
    const token = tokenOf((await link(i, "owner")).body.link);
    expect(findInvitation(i.t.app.ctx, token)?.email).toBe(NEW);
    await change(i);
    expect(findInvitation(i.t.app.ctx, token)).toBeNull();
    expect(await errorCodeOf(() => accept(i, token))).toBe("forbidden");
  });

  test("a copied link goes on while the sharer shares more", async () => {
    await using i = await setUp(OWNERS);
    await i.share({ [NEW]: "viewers" });
    const token = tokenOf((await link(i, "owner")).body.link);
    await i.share({ [NEW]: "editors" });
    expect(findInvitation(i.t.app.ctx, token)).not.toBeNull();
  });

  test("answers the same for existing and unknown addresses", async () => {
    await using i = await setUp();
    const path = `/api/docs/${i.sample.doc}/access`;
    const replies = [];
    for (const email of [NEW, USERS.editor.email]) {
      const { status, body } = await i.t.call("owner", "PATCH", path, { delta: { users: { [email]: "viewers" } } });
      replies.push({ status, body });
    }
    expect(JSON.stringify(replies[0])).toBe(JSON.stringify(replies[1]));
  });
});
