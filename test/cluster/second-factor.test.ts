/** Second factors on the nodes of a cluster: whatever works once works once on all of them. */
import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { codeAt, STEP_MS } from "../helpers/second-factor.ts";
import { runCommand } from "../helpers/server-process.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "correct horse battery";

/** A browser that any node may serve. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async send(node: TestNode, path: string, body: URLSearchParams | object): Promise<Response> {
    const isForm = body instanceof URLSearchParams;
    const response = await node.fetch(path, {
      method: "POST",
      redirect: "manual",
      body: isForm ? body : JSON.stringify(body),
      headers: {
        Accept: isForm ? "text/html" : "application/json",
        Origin: node.address,
        Cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(!isForm && { "Content-Type": "application/json" }),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }

  givePassword = (node: TestNode): Promise<Response> =>
    this.send(node, "/sign-in", new URLSearchParams({ email: EMAIL, password: PASSWORD }));

  giveCode = (node: TestNode, code: string): Promise<Response> =>
    this.send(node, "/sign-in/second-factor", new URLSearchParams({ code }));
}

describe.skipIf(!HAS_POSTGRES)(`second factors in a cluster${POSTGRES_NEEDED}`, () => {
  test("a sign-in goes on at any node, and codes work once on all of them", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const link = await runCommand(first, "user", "reset", "--email", EMAIL);
    const token = new URL(link.split(/\s/).at(-1) ?? "").searchParams.get("token") ?? "";
    await first.call("/orgs");
    const ada = new Browser();
    const choose = () => ada.send(first, "/reset-password", new URLSearchParams({ token, password: PASSWORD }));
    await expectPoll(async () => (await choose()).status).toBe(303);

    const path = "/api/profile/second-factor/authenticator";
    const begun = await ada.send(second, path, {});
    const { secret } = (await begun.json()) as { secret: string };
    const start = Date.now();
    const added = await ada.send(first, `${path}/confirm`, { code: codeAt(secret, start) });
    const { recoveryCodes } = (await added.json()) as { recoveryCodes: string[] };
    expect(recoveryCodes).toHaveLength(10);

    // Each code goes to both nodes at once, with a sign-in that began on the other one.
    for (const code of [codeAt(secret, Math.max(start + STEP_MS, Date.now())), recoveryCodes[0] ?? ""]) {
      const attempts = [
        [first, second],
        [second, first],
      ].map(async ([begins, completes]) => {
        const browser = new Browser();
        const { status } = await browser.givePassword(begins ?? first);
        expect(status).toBe(303);
        return (await browser.giveCode(completes ?? first, code)).status;
      });
      expect((await Promise.all(attempts)).toSorted((a, b) => a - b)).toEqual([303, 400]);
    }
    // The same sign-in is completed once.
    const browser = new Browser();
    await browser.givePassword(first);
    const twice = await Promise.all([
      browser.giveCode(first, recoveryCodes[1] ?? ""),
      browser.giveCode(second, recoveryCodes[2] ?? ""),
    ]);
    const targets = twice.map(({ headers }) => headers.get("location") ?? "");
    expect(targets.toSorted((a, b) => a.localeCompare(b))).toEqual(["/", "/sign-in?expired=yes"]);
  }, 120_000);

  test("wrong codes on all nodes count together", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const link = await runCommand(first, "user", "reset", "--email", EMAIL);
    const token = new URL(link.split(/\s/).at(-1) ?? "").searchParams.get("token") ?? "";
    await first.call("/orgs");
    const ada = new Browser();
    const choose = () => ada.send(first, "/reset-password", new URLSearchParams({ token, password: PASSWORD }));
    await expectPoll(async () => (await choose()).status).toBe(303);
    const path = "/api/profile/second-factor/authenticator";
    const { secret } = (await (await ada.send(first, path, {})).json()) as { secret: string };
    const added = await ada.send(first, `${path}/confirm`, { code: codeAt(secret, Date.now()) });
    expect(added.status).toBe(200);
    const browser = new Browser();
    await browser.givePassword(first);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await browser.giveCode(i % 2 === 0 ? first : second, "12345")).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  }, 120_000);
});
