/** The home database of several nodes: one owner, replicas that are brought up to date, and what follows from failures. */
import { describe, expect, test } from "bun:test";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../../helpers/postgres.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { areAllAtLeast } from "../../../src/cluster/home/home-upgrade.ts";
import { readPositionNote } from "../../../src/cluster/log/position-note.ts";
import { readBootId } from "../../../src/cluster/node/node-session.ts";
import { HOME_FILE } from "../../../src/home/home-upgrade.ts";
import { MIGRATIONS } from "../../../src/home/migrations/index.ts";
import { parseLogUrl } from "../../../src/cluster/postgres/log-url.ts";
import { connect } from "../../../src/cluster/postgres/connect.ts";
import { sql } from "../postgres/log-fixture.ts";
import { HomeNode, type HomeNodeOptions } from "./home-node.ts";

interface Pair extends AsyncDisposable {
  readonly url: string;
  readonly owner: HomeNode;
  readonly replica: HomeNode;
}

/** Starts two nodes; home has one user. */
async function startPair(options: Partial<HomeNodeOptions> = {}): Promise<Pair> {
  const url = options.url ?? (await createDatabase());
  const owner = await HomeNode.start({ ...options, url });
  await owner.change(({ users }) => users.add({ email: "ada@example.com", name: "Ada", kind: "person" }));
  const replica = await HomeNode.start({ ...options, url });
  return {
    url,
    owner,
    replica,
    async [Symbol.asyncDispose]() {
      await replica.stop();
      await owner.stop();
    },
  };
}

/** Ends the lease of a node as time would. */
async function expireLease(url: string, node: HomeNode): Promise<void> {
  await using connection = await connect(parseLogUrl(url));
  const text = "update quern.node set lease_until = clock_timestamp() - interval '1 second' where id = $1";
  await sql(connection, text, [node.replication.nodeId ?? ""]);
}

const isOwner = (node: HomeNode) => node.replication.isHomeOwner();

const NEXT_SCHEMA = {
  migrations: [...MIGRATIONS, { version: MIGRATIONS.length + 1, sql: "create table notes_of_the_future (id integer)" }],
};
const hasTable = ({ home }: HomeNode) =>
  home.raw.get("select 1 from sqlite_master where name = 'notes_of_the_future'") !== null;

describe.skipIf(!HAS_POSTGRES)(`migrations of home in a cluster${POSTGRES_NEEDED}`, () => {
  test("wait until the last node of the older version has stopped, and run on the owner then", async () => {
    const url = await createDatabase();
    const old = await HomeNode.start({ url, version: "1.0.0" });
    await old.change(({ users }) => users.add({ email: "ada@example.com", name: "Ada", kind: "person" }));
    await using first = await HomeNode.start({ url, version: "1.1.0", schema: NEXT_SCHEMA });
    await using second = await HomeNode.start({ url, version: "1.1.0", schema: NEXT_SCHEMA });
    // A new version owns home beside the old one.
    await old.replication.giveUpHome(first.replication.nodeId);
    await expectPoll(() => isOwner(first)).toBe(true);
    await expectPoll(() => first.events).toContain("cluster.home_upgrade_waits");
    expect(hasTable(first)).toBe(false);
    await first.addSession("session-1");
    await old.replication.freshHome();
    expect(old.hasSession("session-1")).toBe(true);
    await old.stop();
    await expectPoll(() => hasTable(first)).toBe(true);
    await first.addSession("session-2");
    await second.replication.freshHome();
    expect(hasTable(second)).toBe(true);
    expect(second.hasSession("session-2")).toBe(true);
    // The old version does not start with the new schema.
    expect(HomeNode.start({ url, folder: old.folder, version: "1.0.0" })).rejects.toThrow("Upgrade Quern");
  }, 60_000);

  test("a node that needs a newer schema says so and does not start while older nodes run", async () => {
    const url = await createDatabase();
    await using old = await HomeNode.start({ url, version: "1.0.0" });
    const schema = { ...NEXT_SCHEMA, oldestUsable: MIGRATIONS.length + 1 };
    const folder = tempFolder();
    const start = () => HomeNode.start({ url, folder, version: "2.0.0", schema });
    expect(start()).rejects.toThrow("nodes of an older version are running");
    await old.replication.giveUpHome(null);
    await old.replication.close();
    await using node = await start();
    expect(hasTable(node)).toBe(true);
  }, 60_000);

  test("compare versions of living nodes", () => {
    const node = (version: string, isAlive = true) => ({ version, isAlive });
    expect(areAllAtLeast([node("1.10.0"), node("1.9.0", false)], "1.10.0")).toBe(true);
    expect(areAllAtLeast([node("1.10.0"), node("1.9.0")], "1.10.0")).toBe(false);
    expect(areAllAtLeast([node("2.0.0-rc.1")], "2.0.0")).toBe(false);
  });
});

describe.skipIf(!HAS_POSTGRES)(`home of several nodes${POSTGRES_NEEDED}`, () => {
  test("1000 changes of access on the owner are seen by the next request on another node", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    let missed = 0;
    for (let i = 0; i < 500; i++) {
      await owner.addSession(`session-${i}`);
      await replica.replication.freshHome();
      if (!replica.hasSession(`session-${i}`)) missed++;
      await owner.change((home) => home.sessions.remove(`session-${i}`));
      await replica.replication.freshHome();
      if (replica.hasSession(`session-${i}`)) missed++;
    }
    expect(missed).toBe(0);
    expect(replica.replication.homeSeq()).toBe(owner.replication.homeSeq());
  }, 120_000);

  test("a write on a replica fails and changes nothing, also after changes of the owner were applied", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const write = () => replica.home.users.add({ email: "bo@example.com", name: "Bo", kind: "person" });
    expect(write).toThrow("Another server owns the home database");
    await owner.addSession("session-1");
    await replica.replication.freshHome();
    expect(write).toThrow("Another server owns the home database");
    expect(() => replica.home.raw.exec("delete from users")).toThrow();
    expect(() => replica.home.raw.transaction(() => replica.home.raw.run("delete from users"))).toThrow();
    expect(replica.home.users.byEmail("bo@example.com")).toBeNull();
    expect(replica.home.users.byEmail("ada@example.com")).not.toBeNull();
    expect(replica.hasSession("session-1")).toBe(true);
  }, 60_000);

  test("a large change, which only a copy of the file holds, reaches the replica", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const picture = "x".repeat(10_000_000);
    await owner.change(({ users }) => users.change(users.byEmail("ada@example.com")?.id ?? 0, { picture }));
    await replica.replication.freshHome();
    expect(replica.home.users.byEmail("ada@example.com")?.picture).toHaveLength(picture.length);
    await owner.addSession("session-1");
    await replica.replication.freshHome();
    expect(replica.hasSession("session-1")).toBe(true);
  }, 60_000);

  test("a replica that crashes while changes are applied to its file does not use the file again", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const bootIdOfNote = () => readPositionNote(join(replica.folder, `${HOME_FILE}.log-state`))?.bootId;
    let during: string | undefined;
    replica.duringReplacement = () => {
      during = bootIdOfNote();
    };
    await owner.addSession("session-1");
    await replica.replication.freshHome();
    // No start has this id: the file is not intact then.
    expect(during).toBe("");
    expect(bootIdOfNote()).toBe(readBootId());
  }, 60_000);

  test("a replica whose file could not be changed to the end answers nothing from it until it is built again", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const { replication } = replica;
    replica.isDiskBroken = true;
    await owner.addSession("session-1");
    expect(replication.freshHome()).rejects.toThrow("missing");
    await replication.freshHome().catch(() => {});
    expect(replication.refusal()?.reason).toBe("log.unavailable");
    replica.isDiskBroken = false;
    await expectPoll(() => replication.freshHome().then(() => replica.hasSession("session-1"), String)).toBe(true);
  }, 60_000);

  test("a change notifies the listeners of the other nodes, without a request", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const changed = Promise.withResolvers<void>();
    replica.replication.onHomeChanged(() => {
      if (replica.hasSession("session-1")) changed.resolve();
    });
    await owner.addSession("session-1");
    await changed.promise;
  }, 60_000);

  test("freshHome with a number that the replica has needs no statement", async () => {
    await using postgres = await PostgresServer.start();
    await using pair = await startPair({ url: await postgres.createDatabase() });
    const { replica } = pair;
    const seq = replica.replication.homeSeq();
    await postgres.stop("immediate");
    await replica.replication.freshHome(seq);
    expect(replica.replication.freshHome(seq + 1)).rejects.toThrow("cannot reach its log");
  }, 60_000);

  test("while PostgreSQL is away a replica answers reads until its lease ends, and nothing that may be too old", async () => {
    await using postgres = await PostgresServer.start();
    await using pair = await startPair({ url: await postgres.createDatabase() });
    const { replication } = pair.replica;
    await replication.freshHome();
    expect(replication.staleHomeRefusal()).toBeNull();
    await postgres.stop("immediate");
    await replication.freshHome();
    expect(replication.refusal()).toBeNull();
    expect(replication.staleHomeRefusal()?.reason).toBe("log.unavailable");
    await expectPoll(() => replication.refusal()?.reason).toBe("log.unavailable");
    await postgres.launch();
    await expectPoll(() => replication.refusal() ?? replication.staleHomeRefusal()).toBeNull();
    await expectPoll(() => [pair.owner, pair.replica].filter(isOwner).length).toBe(1);
    const [owner] = [pair.owner, pair.replica].filter(isOwner);
    await owner?.addSession("session-1");
    for (const node of [pair.owner, pair.replica]) {
      await expectPoll(() => node.replication.freshHome().then(() => node.hasSession("session-1"), String)).toBe(true);
    }
  }, 90_000);

  test("a replica does not start while the log lacks what it knows, and follows once an operator has decided", async () => {
    const pair = await startPair();
    const { url, owner, replica } = pair;
    await owner.addSession("kept");
    await owner.addSession("lost");
    await replica.replication.freshHome();
    await pair[Symbol.asyncDispose]();
    await using connection = await connect(parseLogUrl(url));
    await sql(connection, "delete from quern.doc_log using quern.doc_owner o where o.doc = 'home' and seq = o.head");
    await sql(connection, "update quern.doc_owner set head = head - 1 where doc = 'home'");
    const start = () => HomeNode.start({ url, folder: replica.folder });
    expect(start()).rejects.toThrow("quern cluster recover");
    // As quern cluster recover does on another node.
    await sql(connection, "update quern.installation set history_id = 'decided'");
    await using node = await start();
    expect(node.hasSession("kept")).toBe(true);
    expect(node.hasSession("lost")).toBe(false);
    expect(readdirSync(join(replica.folder, "diverged", "home"))).not.toEqual([]);
  }, 60_000);

  test("in strict mode requests are refused at once while PostgreSQL is away", async () => {
    await using postgres = await PostgresServer.start();
    await using pair = await startPair({ url: await postgres.createDatabase(), isStrict: true });
    await postgres.stop("immediate");
    expect(pair.replica.replication.freshHome()).rejects.toThrow("cannot reach its log");
  }, 60_000);

  test("an owner that loses its lease becomes a replica, and the commits that it could not append are gone", async () => {
    await using pair = await startPair();
    const { url, owner, replica } = pair;
    const term = owner.replication.homeTerm();
    await expireLease(url, owner);
    await expectPoll(() => isOwner(replica)).toBe(true);
    // Whether or not the former owner has noticed.
    expect(owner.addSession("lost")).rejects.toThrow();
    await expectPoll(() => isOwner(owner)).toBe(false);
    await replica.addSession("kept");
    await owner.replication.freshHome();
    expect(owner.hasSession("kept")).toBe(true);
    expect(owner.hasSession("lost")).toBe(false);
    expect(owner.replication.settled(term)).rejects.toThrow("may or may not have been saved");
    expect(() => owner.home.sessions.remove("kept")).toThrow();
  }, 60_000);

  test("home is given up to a named node, which owns it then, and the former owner does not take it back", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    await owner.addSession("before");
    expect(await owner.replication.giveUpHome(replica.replication.nodeId)).toBe(true);
    await expectPoll(() => isOwner(replica)).toBe(true);
    expect(replica.hasSession("before")).toBe(true);
    await replica.addSession("after");
    await owner.replication.freshHome();
    expect(owner.hasSession("after")).toBe(true);
    await replica.replication.giveUpHome(null);
    expect([owner, replica].some(isOwner)).toBe(false);
  }, 60_000);

  test("home leaves between requests: a request that has begun may still write it, and later ones wait for the new owner", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const end = owner.replication.useHome();
    const given = owner.replication.giveUpHome(replica.replication.nodeId);
    const other = owner.replication.useHome();
    const fresh = owner.replication.freshHome().then(() => isOwner(owner));
    // A request that has begun goes on.
    await owner.addSession("during");
    end();
    expect(await given).toBe(true);
    expect(await fresh).toBe(false);
    other();
    await expectPoll(() => isOwner(replica)).toBe(true);
    expect(replica.hasSession("during")).toBe(true);
    // A request that took longer is refused, and changes nothing.
    expect(() => owner.home.sessions.remove("during")).toThrow("Another server owns the home database");
    await owner.replication.freshHome();
    expect(owner.hasSession("during")).toBe(true);
  }, 60_000);

  test("a node that stops gives home up, and one that starts again follows, or owns it when no other node does", async () => {
    const url = await createDatabase();
    let first = await HomeNode.start({ url });
    await first.change(({ users }) => users.add({ email: "ada@example.com", name: "Ada", kind: "person" }));
    await using second = await HomeNode.start({ url });
    await first.stop();
    await expectPoll(() => isOwner(second)).toBe(true);
    await second.addSession("session-1");
    first = await HomeNode.start({ url, folder: first.folder });
    await using again = first;
    expect(isOwner(again)).toBe(false);
    expect(again.hasSession("session-1")).toBe(true);
  }, 60_000);

  test("of nodes that start on an empty database at the same moment exactly one publishes its home", async () => {
    const url = await createDatabase();
    const nodes = await Promise.all(Array.from({ length: 3 }, () => HomeNode.start({ url })));
    try {
      expect(nodes.filter(isOwner)).toHaveLength(1);
      const secrets = nodes.map(({ home }) => home.raw.get<{ n: number }>("select count(*) as n from users")?.n);
      expect(new Set(secrets).size).toBe(1);
      const [owner] = nodes.filter(isOwner);
      await owner?.change(({ users }) => users.add({ email: "ada@example.com", name: "Ada", kind: "person" }));
      for (const { home, replication } of nodes) {
        await replication.freshHome();
        expect(home.users.byEmail("ada@example.com")).not.toBeNull();
      }
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  }, 60_000);
});

describe.skipIf(!HAS_POSTGRES)(`a replica of home whose log cannot be read${POSTGRES_NEEDED}`, () => {
  test("stays as it is when the statement for the missing commits fails, and goes on afterwards", async () => {
    await using pair = await startPair();
    const { url, replica } = pair;
    await using connection = await connect(parseLogUrl(url));
    const moveHead = (by: number) =>
      sql(connection, "update quern.doc_owner set head = head + $1::int where doc = 'home'", [String(by)]);
    await replica.replication.freshHome();
    await sql(connection, "alter table quern.doc_log rename to away");
    await moveHead(1);
    await replica.replication.freshHome();
    expect(replica.replication.staleHomeRefusal()).toMatchObject({ reason: "log.unavailable" });
    expect(replica.replication.refusal()).toBeNull();
    await moveHead(-1);
    await sql(connection, "alter table quern.away rename to doc_log");
    await expectPoll(() => replica.replication.staleHomeRefusal()).toBeNull();
  }, 60_000);
});
