/** Email about webhooks and backups that fail. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { USERS } from "../../helpers/app.ts";
import { DAY, MINUTE, TestTimers } from "../../helpers/clock.ts";
import { headerOf, textOf } from "../../helpers/smtp-receiver.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { createWebhookFixture, type WebhookFixture } from "../../helpers/webhook-fixture.ts";
import { emailFlags, emailTest } from "./email-fixture.ts";

const queued = ({ server }: WebhookFixture) =>
  server.app.ctx.home.raw.all<{ recipient: string }>("select recipient from emails where kind = 'webhookFailing'");

/** Lets time pass in steps, with all deliveries that are due, until the test is done. */
async function pass(all: WebhookFixture, timers: TestTimers, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 30 * MINUTE) {
    timers.pass(Math.min(30 * MINUTE, ms - passed));
    await all.quiet();
  }
}

test("owners of a document learn of a webhook that has failed for a day, once a day", async () => {
  const timers = new TestTimers();
  // Nothing is sent: the queue is what counts here.
  await using all = await createWebhookFixture(emailFlags({ url: "smtp://127.0.0.1:1" }), timers);
  const { call, must } = all.server;
  const access = (users: object) => must("PATCH", `${all.doc}/access`, { delta: { users } });
  await access({ [USERS.editor.email]: "owners", [USERS.viewer.email]: "viewers" });
  await all.make();
  const fail = () => all.receiver.replies.push(...Array.from({ length: 200 }, () => 500));
  fail();
  await all.add({ Name: "Tea" });
  await all.quiet();
  await pass(all, timers, DAY - MINUTE);
  expect(queued(all)).toEqual([]);
  await pass(all, timers, 2 * 60 * MINUTE);
  const owners = [USERS.owner.email, USERS.editor.email];
  expect(queued(all).map(({ recipient }) => recipient)).toEqual(owners);
  await pass(all, timers, DAY / 2);
  expect(queued(all)).toHaveLength(2);
  // A success ends it: the next failure counts from its own time.
  all.receiver.replies.length = 0;
  await pass(all, timers, 2 * 60 * MINUTE);
  expect((await all.usage())["numWaiting"]).toBe(0);
  all.server.app.ctx.home.raw.run("delete from emails");
  fail();
  await call("owner", "POST", `${all.doc}/tables/Goods/records`, { records: [{ fields: { Name: "Milk" } }] });
  await all.quiet();
  await pass(all, timers, DAY - MINUTE);
  expect(queued(all)).toEqual([]);
}, 60_000);

test("the message names the document and links to its webhooks", async () => {
  await using e = await emailTest();
  const workspace = await e.t.must<number>("POST", "/api/orgs/team/workspaces", { name: "Work" });
  const name = "Tea\u0000\u202E <b>http://evil.example</b>";
  const uuid = await e.t.must<string>("POST", `/api/workspaces/${workspace}/docs`, { name });
  const { home } = e.t.app.ctx;
  const { writeNotes } = await import("../../../src/services/notes.ts");
  const since = Date.UTC(2026, 0, 2, 3, 4);
  writeNotes(home, { failingWebhooks: [{ uuid, webhook: "hook-1", since }] });
  const [message] = await e.receiver.received(1);
  if (!message) throw new Error("no message");
  expect(headerOf(message, "To")).toBe(USERS.owner.email);
  const text = textOf(message);
  expect(text).toContain(`https://quern.example.org/docs/${uuid}/webhooks`);
  expect(text).toContain("since 2026-01-02 03:04 UTC");
  expect(text).toContain("“Tea bhttp: / / evil. example/ b”");
  expect(message.raw).not.toContain("<b>");
});

test("administrators learn of a failed backup, once a day", async () => {
  const folder = tempFolder();
  // A file in place of the folder: every backup fails.
  writeFileSync(join(folder, "target"), "");
  await using e = await emailTest({ flags: { "backup-to": join(folder, "target") } });
  const { backups } = e.t.app.ctx;
  for (let i = 0; i < 2; i++) await backups.backUpNow();
  expect(backups.status().lastFailure).not.toBeNull();
  const messages = await e.receiver.received(1);
  expect(messages.map((message) => headerOf(message, "Subject"))).toEqual(["A backup of quern.example.org failed"]);
  expect(messages.map(({ recipients }) => recipients)).toEqual([[USERS.owner.email]]);
}, 60_000);
