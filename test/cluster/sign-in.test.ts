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

  test("attempts at any node count together, and a browser that has signed in is known at each", async () => {
    await using cluster = await startNodes(2);
    const { nodes } = cluster;
    const [first, second] = nodes;
    if (!first || !second) throw new Error("no nodes");
    const form = (node: typeof first, path: string, fields: Record<string, string>, cookie = "") =>
      node.fetch(path, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams(fields),
        headers: { Accept: "text/html", Origin: node.address, ...(cookie !== "" && { Cookie: cookie }) },
      });
    const link = await runCommand(first, "user", "reset", "--email", "ada@example.com");
    const token = new URL(link.split(/\s/).at(-1) ?? "").searchParams.get("token") ?? "";
    await first.call("/orgs");
    let device = "";
    await expectPoll(async () => {
      const response = await form(second, "/reset-password", { token, password: PASSWORD });
      device =
        response.headers
          .getSetCookie()
          .find((cookie) => cookie.startsWith("quern_device="))
          ?.split(";")[0] ?? "";
      return response.status;
    }).toBe(303);
    const attempt = async (n: number, password: string, cookie = "") => {
      const node = n % 2 === 0 ? first : second;
      return (await form(node, "/sign-in", { email: "ada@example.com", password, next: "/" }, cookie)).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push(await attempt(n, "wrong horse"));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), expect.any(Number)]);
    // Each further attempt doubles the delay, which is soon longer than the request.
    await expectPoll(() => attempt(0, "wrong horse")).toBe(429);
    expect(await attempt(1, PASSWORD)).toBe(429);
    for (const n of [0, 1]) expect(await attempt(n, PASSWORD, device)).toBe(303);
  }, 180_000);
});
