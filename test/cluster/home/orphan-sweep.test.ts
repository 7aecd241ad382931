/** Documents that are in the log and not in home. */
import { describe, expect, test } from "bun:test";
import { sweepOrphans } from "../../../src/cluster/home/orphan-sweep.ts";
import type { Ownership } from "../../../src/cluster/contents/content-types.ts";
import { createDocument } from "../../../src/cluster/postgres/statements/ownership.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { sql } from "../postgres/log-fixture.ts";
import { HomeNode } from "./home-node.ts";

const OLD = ["in-home", "in-progress", "orphan-1", "orphan-2"];

/** A node whose log has old documents, and a young one. */
async function startWithDocuments() {
  const node = await HomeNode.start({ url: await createDatabase() });
  const { database } = node.replication;
  const connection = await database.control();
  for (const doc of [...OLD, "young"]) await createDocument(connection, { doc });
  const older = "update quern.doc_owner set created_at = created_at - interval '2 hours' where doc <> 'young'";
  await sql(connection, older);
  const ownership = async (): Promise<Ownership> => {
    const text = "select node, epoch, head from quern.doc_owner where doc = 'home'";
    const [row] = await sql<{ node: string; epoch: number; head: number }>(connection, text);
    if (!row) throw new Error("no home");
    return { node: row.node, epoch: row.epoch, acknowledgedSeq: row.head, mayRead: true };
  };
  const sweep = (home: Ownership) =>
    sweepOrphans({
      database,
      owned: { isOwned: (doc) => doc === "in-progress", ownershipOf: () => home },
      log: silentLog,
      timers: systemTimers,
      home: () => node.replication.home,
      uuids: () => ["in-home"],
    });
  const deleted = async () => {
    const rows = await sql<{ doc: string }>(
      connection,
      "select doc from quern.doc_owner where deleted_at is not null order by doc",
    );
    return rows.map(({ doc }) => doc);
  };
  return { node, ownership, sweep, deleted };
}

describe.skipIf(!HAS_POSTGRES)(`orphans${POSTGRES_NEEDED}`, () => {
  test("are deleted after an hour, unless home has them or this server creates them", async () => {
    const { node, ownership, sweep, deleted } = await startWithDocuments();
    await using _node = node;
    expect(await sweep(await ownership())).toEqual(["orphan-1", "orphan-2"]);
    expect(await deleted()).toEqual(["orphan-1", "orphan-2"]);
    expect(await sweep(await ownership())).toEqual([]);
  }, 60_000);

  test("stay when home has another owner or has changed since, or must not be read", async () => {
    const { node, ownership, sweep, deleted } = await startWithDocuments();
    await using _node = node;
    const home = await ownership();
    await sweep({ ...home, epoch: home.epoch - 1 });
    await sweep({ ...home, mayRead: false });
    await sweep({ ...home, acknowledgedSeq: home.acknowledgedSeq - 1 });
    expect(await deleted()).toEqual([]);
  }, 60_000);
});
