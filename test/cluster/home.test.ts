/** The home database on the nodes of a cluster, as clients see it. */
import { describe, expect, test } from "bun:test";
import { Client } from "pg";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { addUserWithKey, startServerProcess } from "../helpers/server-process.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { PROGRAM_COMMAND, runQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { LEASE_MS } from "../../src/cluster/protocol/log-types.ts";
import { MIGRATIONS } from "../../src/home/migrations/index.ts";
import { HomeNode } from "./home/home-node.ts";
import { startNodes, type TestCluster, type TestNode } from "./nodes.ts";

interface Key {
  readonly id: number;
  readonly label: string | null;
}

const labels = async (node: TestNode): Promise<(string | null)[]> =>
  (await node.call<{ keys: Key[] }>("/profile/keys")).keys.map(({ label }) => label);

const addKey = (node: TestNode, label: string): Promise<unknown> => node.call("/profile/keys", { label });

function pairOf({ nodes: [first, second] }: TestCluster): [TestNode, TestNode] {
  if (!first || !second) throw new Error("no nodes");
  return [first, second];
}

/** Repeats what fails until it succeeds, and returns how long that took. */
async function millisecondsUntil(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (;;) {
    try {
      await work();
      return performance.now() - start;
    } catch (error) {
      if (performance.now() - start > 20_000) throw error;
      await Bun.sleep(20);
    }
  }
}

describe.skipIf(!HAS_POSTGRES)(`home in a cluster${POSTGRES_NEEDED}`, () => {
  test("a node with an empty folder joins, and both nodes change home", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = pairOf(cluster);
    await addKey(first, "from the first");
    expect(await labels(second)).toContain("from the first");
    await addKey(second, "from the second");
    expect(await labels(first)).toEqual(await labels(second));
    expect(await labels(first)).toContain("from the second");
  }, 60_000);

  test("a key that is revoked on one node is refused by the next request on the other", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = pairOf(cluster);
    for (let i = 0; i < 20; i++) {
      const { key } = await first.call<{ key: string }>("/profile/keys", { label: `key ${i}` });
      const headers = { Authorization: `Bearer ${key}` };
      expect((await second.fetch("/api/orgs", { headers })).status).toBe(200);
      const { keys } = await first.call<{ keys: Key[] }>("/profile/keys");
      await first.call(`/profile/keys/${keys.find(({ label }) => label === `key ${i}`)?.id}`, undefined, "DELETE");
      expect((await second.fetch("/api/orgs", { headers })).status).toBe(401);
    }
  }, 60_000);

  test("another node owns home within a lease and a second after its owner was killed, and nothing acknowledged is lost", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = pairOf(cluster);
    await addKey(first, "before");
    await first.kill();
    const ms = await millisecondsUntil(() => addKey(second, "after"));
    expect(ms).toBeLessThan(LEASE_MS + 1000);
    expect(await labels(second)).toEqual(expect.arrayContaining(["before", "after"]));
    // The former owner comes back with its folder.
    await first.start();
    expect(await labels(first)).toEqual(await labels(second));
    await addKey(first, "from the first");
    expect(await labels(second)).toContain("from the first");
  }, 60_000);

  test("an owner that hung for longer than its lease answers nothing old when it goes on", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = pairOf(cluster);
    first.pause();
    await millisecondsUntil(() => addKey(second, "meanwhile"));
    first.resume();
    await millisecondsUntil(async () => expect(await labels(first)).toContain("meanwhile"));
    await addKey(first, "afterwards");
    expect(await labels(second)).toContain("afterwards");
  }, 60_000);

  test("a folder from before joins again: its home is brought up to date", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = pairOf(cluster);
    await second.stop();
    for (let i = 0; i < 5; i++) await addKey(first, `key ${i}`);
    await second.start();
    expect(await labels(second)).toEqual(await labels(first));
  }, 60_000);

  test("nodes start on a log whose home is of an older schema, and get the secret that they share with the migration", async () => {
    const url = await createDatabase();
    {
      const schema = { migrations: MIGRATIONS.slice(0, 4), oldestUsable: 4 };
      await using older = await HomeNode.start({ url, version: "0.0.0-alpha", schema });
      expect(older.home.version()).toBe(4);
    }
    const start = () => startServerProcess({ folder: tempFolder(), settings: { QUERN_CLUSTER: url } });
    await using first = await start();
    await using second = await start();
    for (const { address } of [first, second]) {
      // A page of class home: one of the two forwards it to the other. Its first request loads the code of pages: on a loaded
      // machine the node loses its lease meanwhile, answers 503, and is asked again.
      const signIn = async () => {
        const body = new URLSearchParams({ email: "ada@example.com", password: "wrong" });
        return (await fetch(`${address}/sign-in`, { method: "POST", body, headers: { Origin: address } })).status;
      };
      await expectPoll(signIn).toBeLessThan(500);
    }
  }, 60_000);

  test("a folder of another installation is refused, and joins with --adopt", async () => {
    await using cluster = await startNodes(1);
    const [first] = cluster.nodes;
    const folder = tempFolder();
    await addUserWithKey({ folder });
    const other = await createDatabase();
    {
      await using server = await startServerProcess({ folder, settings: { QUERN_CLUSTER: other } });
      await server.stop();
    }
    expect(cluster.addNode({ folder })).rejects.toThrow("belongs to another installation");
    const node = await cluster.addNode({ folder, args: ["--adopt"] });
    expect(await labels(node)).toEqual(first ? await labels(first) : []);
  }, 60_000);

  test("commands that write home are refused beside a replica, and work beside its owner", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = pairOf(cluster);
    const add = (node: TestNode, email: string) =>
      runQuern(["user", "add", "--email", email, "--name", "Bo", "--data", node.folder]);
    expect(await add(second, "bo@example.com")).toMatchObject({
      status: 1,
      err: [expect.stringContaining("has a replica of the home database")],
    });
    expect(await add(first, "cy@example.com")).toMatchObject({ status: 0 });
    const users = async () => (await runQuern(["user", "list", "--data", second.folder])).out.join("\n");
    await expectPoll(users).toContain("cy@example.com");
    expect(await users()).not.toContain("bo@example.com");
  }, 60_000);

  test("a node on a free port of its own choice registers the address that it got, and a given address as it is", async () => {
    const url = await createDatabase();
    await using server = await startServerProcess({
      folder: tempFolder(),
      settings: { QUERN_CLUSTER: url, QUERN_CLUSTER_ADDRESS: "http://10.0.0.2:8484" },
    });
    const child = Bun.spawn([...PROGRAM_COMMAND, "serve", "--port", "0", "--data", tempFolder(), "--cluster", url], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    try {
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(new TextDecoder().decode(value)) ?? [];
      const client = new Client(url);
      await client.connect();
      const { rows } = await client.query<{ address: string }>("select address from quern.node order by started_at");
      await client.end();
      expect(rows.map((row) => row.address)).toEqual(["http://10.0.0.2:8484", address]);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    expect(server.process.exitCode).toBeNull();
  }, 60_000);

  test("nodes that start on an empty database at the same moment share one home", async () => {
    const url = await createDatabase();
    const start = () => startServerProcess({ folder: tempFolder(), settings: { QUERN_CLUSTER: url } });
    const servers = await Promise.all([start(), start()]);
    try {
      const links = await Promise.all(
        servers.map(async (server) => {
          await server.stop();
          return (await server.stderr).match(/No users yet/g)?.length ?? 0;
        }),
      );
      expect(links.toSorted((a, b) => a - b)).toEqual([0, 1]);
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  }, 60_000);

  test("is read without a refusal while home and a document of a dead node are taken over", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
    const doc = await first.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
    await first.kill();
    const progress = { isWritten: false };
    const statuses = new Map<number, number>();
    const read = async () => {
      while (!progress.isWritten) {
        const { status } = await second.fetch("/api/orgs");
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const write = async () => {
      const records = JSON.stringify({ records: [{ fields: { A: "x" } }] });
      const init = {
        method: "POST",
        body: records,
        headers: { ...cluster.headers, "Content-Type": "application/json" },
      };
      while (!progress.isWritten) {
        const { status } = await second.fetch(`/api/docs/${doc}/tables/Table1/records`, init);
        progress.isWritten = status === 200;
      }
      // Takes home, too.
      await second.call("/orgs", { name: "Team", domain: "team" });
    };
    await Promise.all([read(), read(), write()]);
    expect([...statuses.keys()]).toEqual([200]);
  }, 60_000);
});
