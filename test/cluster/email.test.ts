/** Email in a cluster: the owner of home sends, and the next one continues. */
import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { headerOf, SmtpReceiver } from "../helpers/smtp-receiver.ts";
import { runCommand } from "../helpers/server-process.ts";
import { startNodes } from "./nodes.ts";

const idOf = (raw: string): string => /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? "";

describe.skipIf(!HAS_POSTGRES)(`email in a cluster${POSTGRES_NEEDED}`, () => {
  test("is sent once, through any node, and by the next owner of home when the first one is killed", async () => {
    await using receiver = await SmtpReceiver.start();
    await using cluster = await startNodes(2, {
      settings: {
        QUERN_SMTP_URL: receiver.url,
        QUERN_EMAIL_FROM: "quern@example.org",
        QUERN_PUBLIC_URL: "https://quern.example.org",
        QUERN_SMTP_RETRY_MS: "100",
      },
    });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    await runCommand(first, "user", "add", "--email", "eve@example.com", "--name", "Eve", "--admin");
    const key = await runCommand(first, "key", "create", "--email", "eve@example.com");
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const status = async (path: string, body?: object) => {
      const init = body && { method: "POST", body: JSON.stringify(body) };
      return second.fetch(`/api${path}`, { headers, ...init });
    };
    const waiting = async () => ((await (await status("/email")).json()) as { waiting?: number }).waiting;
    const invite = (email: string) => status("/invitations", { email });
    // The key is known to the second node once its replica has it.
    await expectPoll(async () => (await status("/email")).status).toBe(200);
    expect((await invite("one@example.com")).status).toBe(200);
    await receiver.received(1);
    await expectPoll(waiting).toBe(0);
    expect(receiver.messages).toHaveLength(1);

    receiver.answers.data = ["hang"];
    expect((await invite("two@example.com")).status).toBe(200);
    await expectPoll(() => receiver.attempts.length).toBe(2);
    await first.kill();
    const [, message] = await receiver.received(2);
    if (!message) throw new Error("no message");
    expect(message.recipients).toEqual(["two@example.com"]);
    expect(headerOf(message, "Message-ID")).toBe(idOf(receiver.attempts[1] ?? ""));
    await expectPoll(waiting).toBe(0);
    expect(receiver.messages).toHaveLength(2);
  }, 120_000);
});
