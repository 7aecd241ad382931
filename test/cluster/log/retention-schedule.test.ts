import { expect, test } from "bun:test";
import { scheduleRetention } from "../../../src/cluster/log/retention-schedule.ts";
import { LogDatabase } from "../../../src/cluster/postgres/log-database.ts";
import { createDocument, readDocumentState } from "../../../src/cluster/postgres/statements/ownership.ts";
import { markDocumentDeleted } from "../../../src/cluster/postgres/statements/retention.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { INSTALLATION, sql } from "../postgres/log-fixture.ts";

test.skipIf(!HAS_POSTGRES)(`the retention is applied every hour, also after a failure${POSTGRES_NEEDED}`, async () => {
  const database = await LogDatabase.open(await createDatabase(), { installation: INSTALLATION });
  const connection = await database.control();
  const scheduled: { readonly ms: number; readonly work: () => unknown }[] = [];
  const timers = {
    after(ms: number, work: () => unknown) {
      scheduled.push({ ms, work });
      return () => {};
    },
  };
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void warnings.push(event) };
  const stop = scheduleRetention({ database, retentionMs: 1000, timers, log });
  const addDeleted = async (doc: string) => {
    await createDocument(connection, { doc });
    await markDocumentDeleted(connection, doc);
    await sql(connection, "update quern.doc_owner set deleted_at = '2020-01-01'");
  };
  const run = async () => scheduled.shift()?.work();
  await addDeleted("first");
  await run();
  expect(await readDocumentState(connection, "first")).toBeNull();
  await addDeleted("second");
  await sql(connection, "alter table quern.doc_blob rename to hidden");
  await run();
  expect(warnings).toEqual(["cluster.retention_failed"]);
  await sql(connection, "alter table quern.hidden rename to doc_blob");
  expect(scheduled.map(({ ms }) => ms)).toEqual([3_600_000]);
  await run();
  expect(await readDocumentState(connection, "second")).toBeNull();
  stop();
  await database.close();
  await run();
  expect(scheduled).toEqual([]);
});
