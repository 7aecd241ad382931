/** Password resets that users request themselves. */
import { describe, expect, test } from "bun:test";
import { findResetUser, resetPassword } from "../../../src/services/accounts/password-resets.ts";
import { USERS } from "../../helpers/app.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { headerOf, textOf } from "../../helpers/smtp-receiver.ts";
import { BROWSER } from "../../helpers/users.ts";
import { type EmailTest, emailTest, PUBLIC_URL } from "./email-fixture.ts";

const form = async ({ t }: EmailTest, email: string, host = "quern.example.org") => {
  const response = await t.app.handle(
    new Request(`${PUBLIC_URL}/forgot-password`, {
      method: "POST",
      headers: {
        Host: host,
        Accept: "text/html",
        Origin: PUBLIC_URL,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ email }),
    }),
  );
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  return { status: response.status, body: await response.text(), headers };
};

const tokenIn = (text: string): string => /reset-password\?token=([0-9a-f]+)/.exec(text)?.[1] ?? "";

describe("a requested password reset", () => {
  test("is sent with a link that works once, within an hour", async () => {
    await using e = await emailTest();
    expect((await form(e, ` ${USERS.editor.email.toUpperCase()} `)).status).toBe(200);
    const [message] = await e.receiver.received(1);
    if (!message) throw new Error("no message");
    expect(message.recipients).toEqual([USERS.editor.email]);
    expect(headerOf(message, "Subject")).toBe("Reset your password for quern.example.org");
    const token = tokenIn(textOf(message));
    expect(textOf(message)).toContain(`${PUBLIC_URL}/reset-password?token=${token}`);
    const { ctx } = e.t.app;
    expect(findResetUser(ctx, token)?.email).toBe(USERS.editor.email);
    ctx.home.raw.run("update tokens set expires_at = expires_at - 3600000");
    expect(findResetUser(ctx, token)).toBeNull();
    ctx.home.raw.run("update tokens set expires_at = expires_at + 3600000");
    await resetPassword(ctx, { token, password: "correct horse", name: "" }, BROWSER);
    expect(findResetUser(ctx, token)).toBeNull();
  });

  /** Addresses of accounts that are not to be found out about. */
  test("answers the same for known, unknown, disabled, invited and service accounts, and sends to the first alone", async () => {
    await using e = await emailTest();
    const { home } = e.t.app.ctx;
    home.users.change(home.users.byEmail(USERS.viewer.email)?.id ?? 0, { disabledAt: 1 });
    home.users.add({ email: "robot@example.com", name: "Robot", kind: "service" });
    home.users.add({ email: "invited@example.com", name: "", kind: "person" });
    const addresses = [
      USERS.editor.email,
      "unknown@example.com",
      USERS.viewer.email,
      "robot@example.com",
      "invited@example.com",
      "everyone@getgrist.com",
    ];
    const replies = [];
    for (const address of addresses) replies.push(await form(e, address));
    for (const reply of replies) expect(reply).toEqual(replies[0] as (typeof replies)[0]);
    // One row each, whatever the address: the same work within the request.
    expect(home.raw.all("select distinct kind from emails")).toEqual([{ kind: "passwordReset" }]);
    await expectPoll(() => e.queue()).toEqual([]);
    expect(e.receiver.messages.map(({ recipients }) => recipients)).toEqual([[USERS.editor.email]]);
  });

  test("is sent at most three times in an hour for an address, without telling", async () => {
    await using e = await emailTest();
    const replies = [];
    for (let n = 0; n < 6; n++) replies.push(await form(e, USERS.editor.email));
    expect(new Set(replies.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    await expectPoll(() => e.queue()).toEqual([]);
    expect(e.receiver.messages).toHaveLength(3);
  });

  test("is limited for each network, without telling", async () => {
    await using e = await emailTest();
    await e.t.app.ctx.email.stop();
    const replies = [];
    for (let n = 0; n < 30; n++) replies.push(await form(e, `u${n}@example.com`));
    expect(new Set(replies.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(e.queue()).toHaveLength(20);
  });

  test.each([
    ["no address", "nina"],
    ["an empty address", ""],
    ["a header", "a@b.org\r\nBcc: c@d.org"],
  ])("is refused for %s", async (_, address) => {
    await using e = await emailTest();
    expect((await form(e, address)).status).toBe(400);
    expect(e.queue()).toEqual([]);
  });

  test.each([
    ["a reachable server", { "smtp-url": "smtp://127.0.0.1:1" }, true],
    ["passwords", { passwords: "off" }, false],
  ])("and %s: the sign-in page offers it if passwords are on", async (_, flags, isOffered) => {
    await using e = await emailTest({ flags });
    const get = async (path: string) => {
      const request = new Request(`${PUBLIC_URL}${path}`, {
        headers: { Accept: "text/html", Host: "quern.example.org" },
      });
      return e.t.app.handle(request);
    };
    expect((await (await get("/sign-in")).text()).includes("/forgot-password")).toBe(isOffered);
    expect((await get("/forgot-password")).status).toBe(isOffered ? 200 : 303);
    if (!isOffered) expect((await form(e, USERS.editor.email)).status).toBe(400);
  });
});
