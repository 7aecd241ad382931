/** Groups and roles on the nodes of a cluster. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { quernJson } from "../helpers/run-quern.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const SETTINGS = { QUERN_SCIM: "on", QUERN_SCIM_EMAIL: "ada@example.com" };

interface Answer {
  readonly id: string;
  readonly Resources: readonly { readonly id: string }[];
}

const scim = (node: TestNode, path: string, body?: unknown, method?: string): Promise<Answer> =>
  node.call<Answer>(`/scim/v2${path}`, body, method);

describe.skipIf(!HAS_POSTGRES)(`provisioning in a cluster${POSTGRES_NEEDED}`, () => {
  test("a change of a group holds for the next request on the other node", async () => {
    await using cluster = await startNodes(2, { settings: SETTINGS });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const [home] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
    const doc = await first.call<string>(`/workspaces/${home?.id}/docs`, { name: "Shared" });
    // Any node accepts writes and forwards them to the owner of the home database.
    const { id: user } = await scim(second, "/Users", { userName: "wanda@example.com" });
    const { key } = await quernJson<{ key: string }>(["key", "create", "--email", "wanda@example.com"], {
      QUERN_DATA: first.folder,
    });
    const { id: group } = await scim(first, "/Groups", { displayName: "Crew" });
    const filter = encodeURIComponent(`docId eq "${doc}" and displayName eq "viewers"`);
    const role = (await scim(second, `/Roles?filter=${filter}`)).Resources[0]?.id;
    await scim(second, `/Roles/${role}`, { members: [{ value: group, type: "Group" }] }, "PUT");
    const statuses = () =>
      Promise.all(
        [first, second].map(async (node) => {
          const headers = { Authorization: `Bearer ${key}` };
          return (await node.fetch(`/api/docs/${doc}/tables`, { headers })).status;
        }),
      );
    expect(await statuses()).toEqual([403, 403]);
    for (const node of [first, second, first]) {
      await scim(node, `/Groups/${group}`, { displayName: "Crew", members: [{ value: user, type: "User" }] }, "PUT");
      expect(await statuses()).toEqual([200, 200]);
      await scim(node, `/Groups/${group}`, { displayName: "Crew" }, "PUT");
      expect(await statuses()).toEqual([403, 403]);
    }
  }, 60_000);
});
