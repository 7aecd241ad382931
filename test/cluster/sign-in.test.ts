/** Sessions and sign-in after the node that owned the home database was lost. */
import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { runCommand } from "../helpers/server-process.ts";
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
    expect((await form(first, "/reset-password", { token, password: PASSWORD })).status).toBe(303);
    const before = cookieOf(await signIn());
    expect(await profile(before)).toBe(200);
    await first.kill();
    // Also while no node owns home.
    expect(await profile(before)).toBe(200);
    await expectPoll(async () => (await signIn()).status).toBe(303);
    const after = cookieOf(await signIn());
    expect(after).not.toBe(before);
    expect([await profile(before), await profile(after)]).toEqual([200, 200]);
    expect((await form(second, "/sign-out", {}, before)).status).toBe(303);
    expect([await profile(before), await profile(after)]).toEqual([303, 200]);
    const wrong = await form(second, "/sign-in", { email: "ada@example.com", password: "wrong", next: "/" });
    expect(cookieOf(wrong)).toBe("");
    expect(wrong.status).toBe(400);
    await first.start();
    const page = await first.fetch("/profile", { headers: { Accept: "text/html", Cookie: after } });
    expect(page.status).toBe(200);
  }, 90_000);
});
