/** Sessions and sign-in after the node that owned the home database was lost. */
import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { runCommand } from "../helpers/server-process.ts";
import { until } from "./log/replica-fixture.ts";
import { startNodes } from "./nodes.ts";

const PASSWORD = "correct horse battery";

describe.skipIf(!HAS_POSTGRES)(`signing in${POSTGRES_NEEDED}`, () => {
  test("sessions go on, and people sign in and out, after the owner of home was killed", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const form = (node: typeof first, path: string, fields: Record<string, string>, cookie = "") =>
      node.fetch(path, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { Accept: "text/html", Origin: node.address, ...(cookie !== "" && { Cookie: cookie }) },
      });
    const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";
    const profile = async (cookie: string) =>
      (await second.fetch("/profile", { headers: { Accept: "text/html", Cookie: cookie } })).status;
    const signIn = () => form(second, "/sign-in", { email: "ada@example.com", password: PASSWORD, next: "/" });

    const link = await runCommand(first, "user", "reset", "--email", "ada@example.com");
    const token = new URL(link.split(/\s/).at(-1) ?? "").searchParams.get("token") ?? "";
    await first.call("/orgs");
    const choose = () => form(first, "/reset-password", { token, password: PASSWORD });
    await expectPoll(async () => (await choose()).status).toBe(303);
    const session = async () => {
      const response = await signIn();
      return response.status === 303 ? cookieOf(response) : "";
    };
    let before = "";
    await until(async () => expect((before = await session())).not.toBe(""));
    await expectPoll(() => profile(before)).toBe(200);
    await first.kill();
    await expectPoll(() => profile(before)).toBe(200);
    let after = "";
    await until(async () => expect((after = await session())).not.toBe(""));
    expect(after).not.toBe(before);
    const both = async () => [await profile(before), await profile(after)];
    await expectPoll(both).toEqual([200, 200]);
    await expectPoll(async () => (await form(second, "/sign-out", {}, before)).status).toBe(303);
    await expectPoll(both).toEqual([303, 200]);
    const wrong = { email: "ada@example.com", password: "wrong", next: "/" };
    await expectPoll(async () => {
      const answer = await form(second, "/sign-in", wrong);
      return [answer.status, cookieOf(answer)];
    }).toEqual([400, ""]);
    await first.start();
    const page = async () =>
      (await first.fetch("/profile", { headers: { Accept: "text/html", Cookie: after } })).status;
    await expectPoll(page).toBe(200);
  }, 180_000);
});
