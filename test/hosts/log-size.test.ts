/** The size of a document's log while something reads an old snapshot: a copy of the document, a slow client. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { DocumentExecutor } from "../../src/hosts/document-executor.ts";
import { documentFile, documentFolder, logFileSize } from "../../src/hosts/files/document-files.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { Database } from "../../src/sqlite/database.ts";
import { grantOf } from "../doc/read/sample.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { bytes, keepingIn } from "./hosted.ts";

const MAX_LOG_BYTES = 2 * 1024 ** 2;
/** How long a change waits for snapshots. */
const WAIT_MS = 100;

test.each(["batched", "alone"])("changes, %s, wait for snapshots while the log is very large", async (commits) => {
  const folder = tempFolder();
  const uuid = newUuid();
  mkdirSync(documentFolder(folder, uuid), { recursive: true });
  const path = documentFile(folder, uuid);
  createDocumentFile(path);
  const groupCommit = commits === "batched";
  const options = { ...keepingIn(folder), groupCommit, maxLogBytes: MAX_LOG_BYTES };
  const executor = new DocumentExecutor({ ...options, clock: systemClock, log: silentLog });
  const add = async (): Promise<number> => {
    const body = bytes({ records: [{ fields: { A: "x".repeat(300_000) } }] });
    const start = performance.now();
    const answer = await executor.call(grantOf(uuid), "records.add", { table: "Table1", noparse: true, body });
    expect(answer).not.toHaveProperty("error");
    return performance.now() - start;
  };
  await add();
  const reader = new Database(path, { readonly: true });
  reader.exec("begin");
  reader.get("select count(*) from Table1");
  while (logFileSize(path) <= MAX_LOG_BYTES) await add();
  expect(await add()).toBeGreaterThan(WAIT_MS * 0.9);
  reader.exec("commit");
  await add();
  await add();
  expect(logFileSize(path)).toBeLessThan(3 * MAX_LOG_BYTES);
  reader.close();
  executor.close();
});
