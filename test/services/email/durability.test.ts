/** The queue of a server that is killed while it sends. */
import { expect, test } from "bun:test";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { runCommand, startServerProcess } from "../../helpers/server-process.ts";
import { headerOf, SmtpReceiver } from "../../helpers/smtp-receiver.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

const idOf = (raw: string): string => /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? "";

test("messages survive a crash, and one in flight is sent again with the same Message-ID", async () => {
  await using receiver = await SmtpReceiver.start();
  const folder = tempFolder();
  const settings = {
    QUERN_SMTP_URL: receiver.url,
    QUERN_EMAIL_FROM: "quern@example.org",
    QUERN_PUBLIC_URL: "https://quern.example.org",
    QUERN_SMTP_RETRY_MS: "100",
  };
  await runCommand({ folder }, "user", "add", "--email", "ada@example.com", "--name", "Ada", "--admin");
  const key = await runCommand({ folder }, "key", "create", "--email", "ada@example.com");
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const emails = ["one@example.com", "two@example.com", "three@example.com"];
  receiver.answers.data = ["hang"];
  {
    await using server = await startServerProcess({ folder, settings });
    for (const email of emails) {
      const body = JSON.stringify({ email });
      const response = await fetch(`${server.address}/api/invitations`, { method: "POST", headers, body });
      expect(response.status).toBe(200);
    }
    await expectPoll(() => receiver.attempts.length).toBe(1);
    server.process.kill("SIGKILL");
    await server.process.exited;
  }
  expect(receiver.messages).toEqual([]);
  await using server = await startServerProcess({ folder, settings });
  const messages = await receiver.received(3);
  expect(messages.flatMap(({ recipients }) => recipients).toSorted()).toEqual(emails.toSorted());
  expect(messages.map((message) => headerOf(message, "Message-ID"))).toContain(idOf(receiver.attempts[0] ?? ""));
  const waiting = async () =>
    ((await (await fetch(`${server.address}/api/email`, { headers })).json()) as { waiting: number }).waiting;
  await expectPoll(waiting).toBe(0);
  expect(receiver.messages).toHaveLength(3);
}, 60_000);
