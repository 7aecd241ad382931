import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SMTPServerOptions } from "smtp-server";
import { enqueueEmail } from "../../../src/services/email/enqueue.ts";
import { testApp, USERS } from "../../helpers/app.ts";
import { createAuthority, HAS_OPENSSL } from "../../helpers/certificates.ts";
import { DAY } from "../../helpers/clock.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { headerOf, SmtpReceiver, type SmtpAnswer, type SmtpStep, textOf } from "../../helpers/smtp-receiver.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { emailFlags, emailTest, queueMessage } from "./email-fixture.ts";

describe("a message in the queue", () => {
  test("is sent as plain text and HTML from the configured sender, and removed", async () => {
    await using e = await emailTest();
    queueMessage(e);
    const [message] = await e.receiver.received(1);
    if (!message) throw new Error("no message");
    expect(message).toMatchObject({ sender: "quern@example.org", recipients: [USERS.owner.email] });
    expect(headerOf(message, "From")).toBe("Quern <quern@example.org>");
    expect(headerOf(message, "To")).toBe(USERS.owner.email);
    expect(headerOf(message, "Subject")).toBe("A backup of quern.example.org failed");
    expect(headerOf(message, "Auto-Submitted")).toBe("auto-generated");
    expect(headerOf(message, "Message-ID")).toMatch(/^<[0-9a-f]{32}@quern\.example\.org>$/);
    expect(headerOf(message, "Content-Type")).toStartWith("multipart/alternative");
    expect(textOf(message)).toContain("https://quern.example.org/admin/backups");
    await expectPoll(() => e.queue()).toEqual([]);
  });

  /** What the server answers first, and whether the message is sent again then. */
  const FAILURES: readonly (readonly [step: SmtpStep, answer: SmtpAnswer, isRetried: boolean])[] = [
    ["connect", 421, true],
    ["connect", 554, true],
    ["connect", "hang", true],
    ["connect", "drop", true],
    ["sender", 451, true],
    ["sender", 550, true],
    ["sender", "hang", true],
    ["sender", "drop", true],
    ["recipient", 450, true],
    ["recipient", 550, false],
    ["recipient", 553, false],
    ["recipient", "hang", true],
    ["recipient", "drop", true],
    ["data", 451, true],
    ["data", 554, false],
    ["data", "hang", true],
    ["data", "drop", true],
  ];
  test.each(FAILURES)("after the failure of %s with %p: repeated is %p", async (step, answer, isRetried) => {
    await using e = await emailTest();
    e.receiver.answers[step] = [answer];
    queueMessage(e);
    await expectPoll(() => e.receiver.answers[step]?.length).toBe(0);
    await expectPoll(() => e.queue()).toEqual([]);
    expect(e.receiver.messages).toHaveLength(isRetried ? 1 : 0);
  });

  test("is sent again with the same Message-ID when the answer to the first attempt is lost", async () => {
    await using e = await emailTest();
    e.receiver.answers.data = ["drop", "hang"];
    queueMessage(e);
    const { id } = e.t.app.ctx.home.raw.get<{ id: string }>("select message_id as id from emails") ?? { id: "" };
    await e.receiver.received(1);
    const ids = e.receiver.attempts.map((raw) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
    expect(ids).toEqual(Array.from({ length: 3 }, () => `<${id}@quern.example.org>`));
  });

  test("waits while the server is away, and shows the error", async () => {
    await using e = await emailTest({ flags: { "smtp-url": "smtp://127.0.0.1:1" } });
    queueMessage(e);
    await expectPoll(() => e.queue()[0]?.attempts ?? 0).toBeGreaterThan(1);
    const status = await e.t.must<object>("GET", "/api/email");
    expect(status).toMatchObject({ isOn: true, waiting: 1, from: "quern@example.org", missing: null });
    expect((status as { lastError: string }).lastError).toContain("ECONNREFUSED");
  });

  test("is given up when it expires", async () => {
    await using e = await emailTest({ flags: { "smtp-url": "smtp://127.0.0.1:1" } });
    queueMessage(e);
    await expectPoll(() => e.queue()[0]?.attempts ?? 0).toBeGreaterThan(0);
    e.t.app.ctx.home.raw.run("update emails set expires_at = 1, next_attempt_at = 1");
    await expectPoll(() => e.queue()).toEqual([]);
  });

  test("that a greylisting server defers does not hold up others", async () => {
    await using e = await emailTest({ flags: { "smtp-retry-ms": "60000" } });
    e.receiver.answers.recipient = [450];
    queueMessage(e);
    queueMessage(e);
    await e.receiver.received(1);
    await expectPoll(() => e.queue().map(({ attempts }) => attempts)).toEqual([1]);
  });

  test("is not sent to addresses that a header cannot hold", async () => {
    await using e = await emailTest();
    const { home } = e.t.app.ctx;
    const content = { at: 0 };
    for (const recipient of [
      "a@b.org\r\nBcc: c@d.org",
      "a@b.org,c@d.org",
      "<a@b.org>",
      'a"b@c.org',
      "a b@c.org",
      "a\0@b.org",
      `${"a".repeat(250)}@b.org`,
    ]) {
      home.transaction(() => enqueueEmail(home, { kind: "backupFailed", recipient, content }));
    }
    expect(e.queue()).toEqual([]);
  });
});

describe("the connection to the SMTP server", () => {
  const tls = (): { options: SMTPServerOptions; ca: string } => {
    const folder = tempFolder();
    const authority = createAuthority(folder);
    const { cert, key } = authority.issue("mail");
    return {
      options: { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8"), authOptional: true },
      ca: join(folder, "root.crt"),
    };
  };
  const withPassword = (receiver: SmtpReceiver, scheme = "smtp") =>
    `${scheme}://quern:p%40ss@127.0.0.1:${receiver.port}`;

  test.skipIf(!HAS_OPENSSL)("uses STARTTLS and the password, and TLS from the start with smtps", async () => {
    const { options, ca } = tls();
    for (const [scheme, smtp] of [
      ["smtp", options],
      ["smtps", { ...options, secure: true }],
    ] as const) {
      await using receiver = await SmtpReceiver.start(smtp);
      await using e = await emailTest({ flags: { "smtp-url": withPassword(receiver, scheme), "smtp-ca": ca } });
      queueMessage(e);
      const [message] = await receiver.received(1);
      expect(message).toMatchObject({ isSecure: true, user: "quern" });
    }
  });

  test.skipIf(!HAS_OPENSSL)("refuses a certificate of an unknown authority", async () => {
    const { options } = tls();
    await using receiver = await SmtpReceiver.start(options);
    await using e = await emailTest({ flags: { "smtp-url": withPassword(receiver) } });
    queueMessage(e);
    await expectPoll(() => e.queue()[0]?.lastError ?? "").toMatch(/certificate|self.signed/i);
    expect(receiver.messages).toEqual([]);
  });

  test("does not send a password to a server without STARTTLS, unless TLS is off", async () => {
    await using receiver = await SmtpReceiver.start({ allowInsecureAuth: true });
    await using refused = await emailTest({ flags: { "smtp-url": withPassword(receiver) } });
    queueMessage(refused);
    await expectPoll(() => refused.queue()[0]?.lastError ?? "").toContain("STARTTLS");
    expect(receiver.messages).toEqual([]);
    await using allowed = await emailTest({ flags: { "smtp-url": withPassword(receiver), "smtp-tls": "off" } });
    queueMessage(allowed);
    expect((await receiver.received(1))[0]).toMatchObject({ isSecure: false, user: "quern" });
  });

  test("without TLS is refused if it is required", async () => {
    await using e = await emailTest({ flags: { "smtp-tls": "required" } });
    queueMessage(e);
    await expectPoll(() => e.queue()[0]?.lastError ?? "").toContain("STARTTLS");
  });

  test("with a wrong password leaves the message in the queue", async () => {
    await using receiver = await SmtpReceiver.start({ allowInsecureAuth: true, authOptional: false });
    receiver.answers.auth = [535];
    await using e = await emailTest({ flags: { "smtp-url": withPassword(receiver), "smtp-tls": "off" } });
    queueMessage(e);
    await receiver.received(1);
  });
});

describe("a test message", () => {
  test("is sent at once to the administrator who asks, and reports the server's answer", async () => {
    await using e = await emailTest();
    const send = () => e.t.call("owner", "POST", "/api/email/test");
    const recipient = USERS.owner.email;
    expect(await send()).toMatchObject({ status: 200, body: { recipient, isSent: true, error: null } });
    expect(e.receiver.messages.map(({ recipients }) => recipients)).toEqual([[recipient]]);
    e.receiver.answers.recipient = [550];
    expect((await send()).body).toMatchObject({ isSent: false, error: expect.stringContaining("550") });
    expect(e.queue()).toEqual([]);
  });

  test.each([
    ["smtp-url", "QUERN_SMTP_URL"],
    ["email-from", "QUERN_EMAIL_FROM"],
    ["public-url", "QUERN_PUBLIC_URL"],
  ])("is refused without %s", async (flag, missing) => {
    await using receiver = await SmtpReceiver.start();
    const flags = Object.fromEntries(Object.entries(emailFlags(receiver)).filter(([name]) => name !== flag));
    await using t = await testApp({ flags });
    t.app.ctx.home.users.change(t.app.ctx.home.users.byEmail(USERS.owner.email)?.id ?? 0, { isAdmin: true });
    expect((await t.call("owner", "GET", "/api/email")).body).toMatchObject({ isOn: false, missing, server: null });
    const { status, body } = await t.call("owner", "POST", "/api/email/test");
    expect([status, body.details.code, body.error]).toEqual([400, "email.off", `Email is off: ${missing} is not set`]);
    expect(receiver.messages).toEqual([]);
  });

  test("is for administrators", async () => {
    await using e = await emailTest();
    for (const [method, path] of [
      ["GET", "/api/email"],
      ["POST", "/api/email/test"],
    ] as const) {
      expect((await e.t.call("editor", method, path)).status).toBe(403);
      expect((await e.t.call("anon", method, path)).status).toBe(401);
    }
    expect(e.receiver.messages).toEqual([]);
  });
});

describe("limits", () => {
  test("count within their window, and survive in the home database", async () => {
    await using e = await emailTest();
    const { emails } = e.t.app.ctx.home;
    const limit = { key: "k", max: 2, windowMs: DAY };
    expect([1, 2, 3].map(() => emails.take(limit))).toEqual([true, true, false]);
    e.t.app.ctx.home.raw.run("update email_limits set since = since - ?", DAY);
    expect(emails.take(limit)).toBe(true);
  });
});
