import { afterAll, beforeAll, expect, test } from "bun:test";
import type { GrantTarget } from "../../src/home/grants.ts";
import type { SiteRole } from "../../src/authorization.ts";
import { sampleDocument, testApp, USERS, type Sample, type TestApp } from "../helpers/app.ts";

let server: TestApp;
let sample: Sample;
let group: number;
let targets: Record<"site" | "workspace" | "document", GrantTarget>;

beforeAll(async () => {
  server = await testApp();
  sample = await sampleDocument(server);
  const { home } = server.app.ctx;
  group = home.groups.add({ name: "Crew" }).id;
  for (const name of ["editor", "viewer"] as const) home.groups.addMember(group, idOf(name));
  const document = home.reach.document(sample.doc, { userId: idOf("owner"), domain: null });
  if (!document) throw new Error("no document");
  targets = {
    site: { kind: "site", id: document.orgId },
    workspace: { kind: "workspace", id: document.workspaceId },
    document: { kind: "document", id: document.documentId },
  };
});
afterAll(() => server[Symbol.asyncDispose]());

const idOf = (name: keyof typeof USERS): number => server.app.ctx.home.users.byEmail(USERS[name].email)?.id ?? 0;
const paths = () => ({
  site: "/api/orgs/team",
  workspace: `/api/workspaces/${sample.workspaceId}`,
  document: `/api/docs/${sample.doc}`,
  list: "/api/orgs/team/workspaces",
});

/** Gives the group one role, runs `work`, and revokes it. */
async function withRole(on: keyof typeof targets, role: SiteRole, work: () => Promise<void>): Promise<void> {
  const { groups } = server.app.ctx.home;
  groups.grant(targets[on], group, role);
  try {
    await work();
  } finally {
    groups.grant(targets[on], group, null);
  }
}

const statuses = async (): Promise<number[]> =>
  Promise.all(Object.values(paths()).map(async (path) => (await server.call("viewer", "GET", path)).status));

const write = async (): Promise<number> =>
  (
    await server.call("viewer", "POST", `/api/docs/${sample.doc}/tables`, {
      tables: [{ id: "Notes", columns: [{ id: "A" }] }],
    })
  ).status;

test.each([
  { on: "site", role: "members", statuses: [200, 403, 403, 200], write: 403 },
  { on: "site", role: "viewers", statuses: [200, 200, 200, 200], write: 403 },
  { on: "workspace", role: "editors", statuses: [200, 200, 200, 200], write: 200 },
  { on: "document", role: "viewers", statuses: [200, 200, 200, 200], write: 403 },
] as { on: keyof typeof targets; role: SiteRole; statuses: number[]; write: number }[])(
  "members of a group have its role: %j",
  async ({ on, role, ...expected }) => {
    expect(await statuses()).toEqual([403, 403, 403, 403]);
    await withRole(on, role, async () => {
      expect({ statuses: await statuses(), write: await write() }).toEqual(expected);
    });
    expect(await statuses()).toEqual([403, 403, 403, 403]);
  },
);

test("documents of a group are listed and found", async () => {
  const found = async (): Promise<number[]> => {
    const workspaces = await server.call("viewer", "GET", "/api/orgs/team/workspaces");
    const search = await server.call("viewer", "GET", "/o/docs/api/search?q=sample");
    return [
      JSON.stringify(workspaces.body).includes(sample.doc) ? 1 : 0,
      JSON.stringify(search.body).includes(sample.doc) ? 1 : 0,
    ];
  };
  expect(await found()).toEqual([0, 0]);
  await withRole("document", "viewers", async () => expect(await found()).toEqual([1, 1]));
});

test("lists of users show neither groups nor their members", async () => {
  const emails = async (as: "owner" | "viewer", path: string) => {
    const { status, body } = await server.call(as, "GET", `${path}/access`);
    return status === 200 ? [...body.users.map((user: { email: string }) => user.email), body.public ?? null] : status;
  };
  for (const on of ["site", "workspace", "document"] as const) {
    const shown = await emails("owner", paths()[on]);
    await withRole(on, "editors", async () => {
      expect(await emails("owner", paths()[on])).toEqual(shown);
    });
    await withRole(on, "viewers", async () => {
      // Viewers see themselves only, and are not in the list.
      expect(await emails("viewer", paths()[on])).toEqual([false]);
    });
    await withRole(on, "owners", async () => {
      expect(await emails("viewer", paths()[on])).toEqual(shown);
    });
  }
});

test("owners through a group share the document", async () => {
  const delta = { users: { [USERS.stranger.email]: "viewers" } };
  const share = (path: string) => server.call("viewer", "PATCH", `${path}/access`, { delta });
  await withRole("document", "editors", async () => expect((await share(paths().document)).status).toBe(403));
  await withRole("document", "owners", async () => expect((await share(paths().document)).status).toBe(200));
});
