/** A sign-in through a provider that several nodes answer. */
import { describe, expect, test } from "bun:test";
import { must } from "../../src/lib/assert.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { TestProvider } from "../oidc/test-provider.ts";
import { startNodes, type TestNode } from "./nodes.ts";

describe.skipIf(!HAS_POSTGRES)(`single sign-on in a cluster${POSTGRES_NEEDED}`, () => {
  test("starts at one node, ends at another one, and is used once by all", async () => {
    using provider = new TestProvider();
    provider.account = { sub: "1", email: "bo@example.com", email_verified: true, name: "Bo" };
    await using cluster = await startNodes(2, { settings: provider.variables("KEYCLOAK", { CREATE_USERS: "true" }) });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const open = (node: TestNode, path: string, cookie = "") =>
      node.fetch(path, {
        redirect: "manual",
        headers: { Accept: "text/html", ...(cookie !== "" && { Cookie: cookie }) },
      });
    const cookieOf = (response: Response, name: string) =>
      response.headers
        .getSetCookie()
        .map((text) => text.split(";")[0] ?? "")
        .find((text) => text.startsWith(`${name}=`) && text !== `${name}=`) ?? "";

    for (const [from, to] of [
      [first, second],
      [second, first],
    ] as const) {
      const attempt = async () => {
        const start = await open(from, "/sign-in/oidc/keycloak/start");
        const location = start.headers.get("location");
        if (location === null) return null;
        const { pathname, search } = provider.authorize(location);
        const [flow, path] = [cookieOf(start, "quern_flow"), `${pathname}${search}`];
        return { flow, path, done: await open(to, path, flow) };
      };
      // A cluster that has just started may refuse writes of the home database for a moment.
      let last: Awaited<ReturnType<typeof attempt>> = null;
      await expectPoll(async () => (last = await attempt())?.done.status).toBe(303);
      const { flow, path, done } = must(last as Awaited<ReturnType<typeof attempt>>);
      const session = cookieOf(done, "quern_session");
      expect(session).not.toBe("");
      for (const node of [from, to]) {
        await expectPoll(async () => (await open(node, "/profile", session)).status).toBe(200);
        await expectPoll(async () => {
          const again = await open(node, path, flow);
          return [again.status, cookieOf(again, "quern_session")];
        }).toEqual([400, ""]);
      }
    }
  }, 180_000);
});
