/** The administration page of the nodes of a cluster. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "../../src/cluster/postgres/connect.ts";
import { parseLogUrl } from "../../src/cluster/postgres/log-url.ts";
import { createApp, lockDataFolder } from "../../src/app.ts";
import { startReplication } from "../../src/composition/replication.ts";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { sql } from "../cluster/postgres/log-fixture.ts";
import { CHEAP_PASSWORD_HASH, TEST_FLAGS } from "../helpers/app.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../helpers/postgres.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, serveSite, sharedBrowser, type Site, visit, type Visit } from "./browser.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { ADA, adasApp, PASSWORD, Visitor } from "./visitor.ts";

const ROOT = { email: "root@example.com", name: "Root", password: PASSWORD, isAdmin: true };

test("a server without a replicated log has no page of nodes, and no tab for it", async () => {
  await using t = await adasApp();
  await addUser(t.app.ctx, ROOT);
  const root = new Visitor(t.app);
  await root.signIn(ROOT);
  expect((await root.get("/admin/nodes")).status).toBe(404);
  expect((await root.get("/admin")).html).not.toContain("/admin/nodes");
});

describe.skipIf(!HAS_POSTGRES)(`the page of nodes${POSTGRES_NEEDED}`, () => {
  const ends = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let site: Site;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    const url = await postgres.createDatabase();
    const folder = tempFolder();
    const flags = { data: folder, ...TEST_FLAGS, cluster: url, "cluster-address": "http://10.0.0.2:8484" };
    const config = readConfig(flags, {});
    ends.use(lockDataFolder(config));
    const replication = await startReplication(config, { log: silentLog, adopts: false });
    const app = createApp(config, { log: silentLog, passwordCost: CHEAP_PASSWORD_HASH, replication });
    await app.ctx.replication?.attach();
    site = ends.use(serveSite(app, folder));
    for (const person of [ROOT, ADA]) await addUser(app.ctx, person);
    await using connection = await connect(parseLogUrl(url));
    const run = (text: string, values?: string[]) => sql(connection, text, values);
    const addNode = (id: string, address: string, lease: string) =>
      run(
        `insert into quern.node (id, address, version, boot, lease_until, pending_commits, is_draining)
        values ($1, $2, '0.2.0', 'boot', clock_timestamp() + $3::interval, 2, true)`,
        [id, address, lease],
      );
    await addNode("node-b", "http://10.0.0.3:8484", "1 hour");
    await addNode("node-c", HOSTILE_NAME, "-2 hours");
    for (const [doc, node] of [
      ["doc-1", "node-b"],
      ["doc-2", "node-b"],
      ["doc-3", "node-c"],
    ] as const) {
      await run("insert into quern.doc_owner (doc, node, epoch, head) values ($1, $2, 1, 1)", [doc, node]);
    }
  }, 60_000);
  afterAll(() => ends.disposeAsync());

  test("is for administrators only", async () => {
    const ada = new Visitor(site.app);
    await ada.signIn();
    const refused = await ada.get("/admin/nodes");
    expect([refused.status, refused.html.includes("node-b")]).toEqual([403, false]);
  });

  describe.skipIf(!CHROMIUM)(inBrowser("in a browser"), () => {
    let root: Visit;
    beforeAll(async () => {
      root = ends.use(await visit(await sharedBrowser(), site));
      await root.signIn(ROOT.email);
    });

    test("shows living nodes with documents, versions and pending commits, and lost nodes", async () => {
      const { page } = root;
      await page.goto("/admin");
      await page.getByRole("link", { name: "Nodes" }).first().click();
      const summary = page.getByRole("region", { name: "Cluster" });
      expect(await summary.getByRole("definition").allInnerTexts()).toEqual([
        "10.0.0.2:8484",
        "3, 1 not open on any node",
        "None: losing PostgreSQL’s disk loses writes",
      ]);
      const nodes = page.getByRole("region", { name: "Nodes" }).getByRole("listitem");
      // The visit of the page before may still wait for PostgreSQL.
      await expectPoll(async () => {
        await page.reload();
        return (await nodes.allInnerTexts())[0] ?? "";
      }).toMatch(
        /^10\.0\.0\.2:8484\s*This node\s*Home database\n.* · lease ends in [\d.]+ .*\nLog up to date\n0 documents$/i,
      );
      const [, other = ""] = await nodes.allInnerTexts();
      expect(other).toMatch(
        /^10\.0\.0\.3:8484\s*Draining\nnode-b · version 0\.2\.0 · .*\n2 commits wait for PostgreSQL\n2 documents$/i,
      );
      const lost = page.getByRole("region", { name: "Lost nodes" });
      expect(await lost.getByRole("listitem").innerText()).toContain("1 document not taken over yet");
      expect(await lost.getByText(HOSTILE_NAME, { exact: true }).count()).toBe(1);
      await expectHarmless(page);
      await expectAccessible(page);
      for (const width of [390, 820, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.reload();
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
        await expectAccessible(page);
      }
      expect(root.problems).toEqual([]);
    }, 60_000);
  });
});
