/** Invitations by email, and their limits. */
import { describe, expect, test } from "bun:test";
import { acceptInvitation, findInvitation } from "../../../src/services/invitations/accept-invitation.ts";
import { sampleDocument, USERS } from "../../helpers/app.ts";
import { DAY } from "../../helpers/clock.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { headerOf, textOf } from "../../helpers/smtp-receiver.ts";
import { BROWSER } from "../../helpers/users.ts";
import { type EmailTest, emailTest, PUBLIC_URL } from "./email-fixture.ts";

const NEW = "Nina@example.com";

const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? "";
const tokenIn = (text: string): string => new URL(linkIn(text)).searchParams.get("token") ?? "";

const share = async ({ t }: EmailTest, doc: string, users: Record<string, string | null>, as = "owner" as const) =>
  (await t.call(as, "PATCH", `/api/docs/${doc}/access`, { delta: { users } }, { headers: { Host: "evil.example" } }))
    .status;

describe("an invitation by email", () => {
  test("names who shared what, and its link makes the account", async () => {
    await using e = await emailTest();
    const { doc } = await sampleDocument(e.t);
    expect(await share(e, doc, { [NEW]: "editors" })).toBe(200);
    const [message] = await e.receiver.received(1);
    if (!message) throw new Error("no message");
    expect(message.recipients).toEqual([NEW]);
    expect(headerOf(message, "Subject")).toBe(`${USERS.owner.name} invited you to quern.example.org`);
    const text = textOf(message);
    expect(text).toContain(`${USERS.owner.name} (olga@example. com)`.replace(". com", ".com"));
    expect(text).toContain("shared the document “Sample” with you");
    // Never from the Host header of the request that caused it.
    expect(linkIn(text)).toStartWith(`${PUBLIC_URL}/invitation?token=`);
    expect(message.raw).not.toContain("evil.example");
    const input = { token: tokenIn(text), name: "Nina", password: "correct horse" };
    expect((await acceptInvitation(e.t.app.ctx, input, BROWSER)).kind).toBe("session");
    expect(e.t.app.ctx.home.users.byEmail(NEW)?.name).toBe("Nina");
  });

  test("has a link for each attempt; earlier ones that may have arrived stay valid", async () => {
    await using e = await emailTest();
    e.receiver.answers.data = ["drop"];
    const { doc } = await sampleDocument(e.t);
    await share(e, doc, { [NEW]: "editors" });
    await e.receiver.received(1);
    const links = e.receiver.attempts.map((raw) => /\/invitation\?token=3?D?([0-9a-f=\s]+)/.exec(raw)?.[0] ?? "");
    expect(new Set(links).size).toBe(2);
    const { tokens } = e.t.app.ctx.home.raw.get<{ tokens: number }>(
      "select count(*) as tokens from tokens where purpose = 'invitation'",
    ) ?? { tokens: 0 };
    expect(tokens).toBe(2);
  });

  test("leaves no token behind when the server could not be reached", async () => {
    await using e = await emailTest({ flags: { "smtp-url": "smtp://127.0.0.1:1" } });
    const { doc } = await sampleDocument(e.t);
    await share(e, doc, { [NEW]: "editors" });
    await expectPoll(() => e.queue()[0]?.attempts ?? 0).toBeGreaterThan(1);
    e.t.app.ctx.email.pause();
    await e.t.app.ctx.email.stop();
    expect(e.t.app.ctx.home.raw.all("select * from tokens")).toEqual([]);
  });

  test("is not sent to existing accounts, and not without a new role", async () => {
    await using e = await emailTest();
    const { doc } = await sampleDocument(e.t);
    await share(e, doc, { [USERS.editor.email]: "editors", "gone@example.com": null });
    expect(e.queue()).toEqual([]);
  });

  /** Names that users choose, and what of them may occur. */
  const NAMES = [
    "Eve\r\nBcc: victim@example.com",
    "Eve\u0000\u0007\u001B[31m",
    "Eve\u202Egro.live//:sptth",
    "Eve <script>alert(1)</script>",
    "Win at https://evil.example/now or www.evil.example",
    `Eve ${"x".repeat(500)}`,
    "\u2028Eve\u2029\u0085",
    "=?utf-8?q?Eve=0D=0ABcc:_victim?=",
  ];
  test.each(NAMES)("contains only a safe form of the name %j", async (name) => {
    await using e = await emailTest();
    const { home } = e.t.app.ctx;
    home.users.change(home.users.byEmail(USERS.owner.email)?.id ?? 0, { name });
    const { doc } = await sampleDocument(e.t);
    home.documents.change(home.reach.document(doc, { userId: 0, domain: null })?.documentId ?? 0, { name });
    await share(e, doc, { [NEW]: "editors" });
    const [message] = await e.receiver.received(1);
    if (!message) throw new Error("no message");
    expect(message.recipients).toEqual([NEW]);
    const [head = ""] = message.raw.split("\r\n\r\n");
    expect(head).not.toMatch(/^bcc:/im);
    expect(head.split("\r\n").filter((line) => !/^[\t ]|^[\w-]+: /.test(line))).toEqual([]);
    const text = textOf(message);
    expect(text.replaceAll(/\r?\n/g, "")).not.toMatch(/\p{C}|[\u2028\u2029]/u);
    expect(text.match(/https?:\/\/[^\s]+/g)).toEqual([linkIn(text)]);
    expect(text).not.toMatch(/evil\.example|victim@example/);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(400);
    expect(message.raw).not.toContain("<script>");
  });
});

describe("invitations are limited", () => {
  test("to 20 in a day for each user; sharing goes on", async () => {
    await using e = await emailTest();
    const { doc } = await sampleDocument(e.t);
    const users = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`u${n}@example.com`, "viewers"]));
    expect(await share(e, doc, users)).toBe(200);
    const { home } = e.t.app.ctx;
    expect(home.users.byEmail("u24@example.com")).not.toBeNull();
    await expectPoll(() => e.queue()).toEqual([]);
    expect(e.receiver.messages).toHaveLength(20);
    home.users.change(home.users.byEmail(USERS.owner.email)?.id ?? 0, { isAdmin: false });
    const send = (email: string) => e.t.call("owner", "POST", `/api/invitations/${home.users.byEmail(email)?.id}/send`);
    const refused = await send("u24@example.com");
    expect([refused.status, refused.body.details.code]).toEqual([429, "limit.invitations"]);
    home.raw.run("update email_limits set since = since - ?", DAY);
    expect((await send("u24@example.com")).status).toBe(200);
    expect((await e.receiver.received(21)).at(-1)?.recipients).toEqual(["u24@example.com"]);
  });

  test("to three in a day for each address", async () => {
    await using e = await emailTest();
    const { doc } = await sampleDocument(e.t);
    for (let n = 0; n < 5; n++) {
      await share(e, doc, { [NEW]: "editors" });
      await share(e, doc, { [NEW]: "viewers" });
    }
    await expectPoll(() => e.queue()).toEqual([]);
    expect(e.receiver.messages).toHaveLength(3);
  });

  test("to owners, and to the user who invited", async () => {
    await using e = await emailTest();
    const { doc } = await sampleDocument(e.t);
    await share(e, doc, { [USERS.viewer.email]: "viewers", [USERS.editor.email]: "editors" });
    for (const as of ["viewer", "editor", "stranger", "anon"] as const) {
      const delta = { users: { [NEW]: "viewers" } };
      const { status } = await e.t.call(as, "PATCH", `/api/docs/${doc}/access`, { delta });
      expect(status).toBe(403);
    }
    expect(e.queue()).toEqual([]);
    await share(e, doc, { [NEW]: "viewers" });
    const { home } = e.t.app.ctx;
    const path = `/api/invitations/${home.users.byEmail(NEW)?.id}/send`;
    const [other, unknown] = [
      await e.t.call("editor", "POST", path),
      await e.t.call("editor", "POST", "/api/invitations/9999/send"),
    ];
    expect([other.status, other.body]).toEqual([404, unknown.body]);
  });

  test("and end when the inviter is disabled, or the invitation is revoked, before they are sent", async () => {
    await using e = await emailTest();
    await e.t.app.ctx.email.stop();
    const { doc } = await sampleDocument(e.t);
    const { home, email } = e.t.app.ctx;
    await share(e, doc, { [NEW]: "editors", "two@example.com": "editors" });
    const id = home.users.byEmail("two@example.com")?.id ?? 0;
    expect((await e.t.call("owner", "DELETE", `/api/invitations/${id}`)).status).toBe(200);
    expect(e.queue()).toHaveLength(1);
    home.users.change(home.users.byEmail(USERS.owner.email)?.id ?? 0, { disabledAt: 1 });
    email.start();
    await expectPoll(() => e.queue()).toEqual([]);
    expect(e.receiver.messages).toEqual([]);
  });
});

test("an administrator's invitation is sent as well, and both links work", async () => {
  await using e = await emailTest();
  const { body } = await e.t.call("owner", "POST", "/api/invitations", { email: NEW });
  expect(body).toMatchObject({ email: NEW, isSent: true });
  const [message] = await e.receiver.received(1);
  if (!message) throw new Error("no message");
  const tokens = [new URL(body.link as string).searchParams.get("token") ?? "", tokenIn(textOf(message))];
  expect(tokens.map((token) => findInvitation(e.t.app.ctx, token)?.email)).toEqual([NEW, NEW]);
});
