/** A process that commits to a document in log mode and is killed at random moments. */
import { expect, test } from "bun:test";
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { prepareForLog } from "../../src/doc/prepare-for-log.ts";
import { documentFile, documentFolder } from "../../src/hosts/files/document-files.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { type ChangeCount, readCommitCount, recoverFile } from "../../src/sqlite/wal/commit-count.ts";
import { applyPageSet, decodePageSet } from "../../src/sqlite/wal/page-set.ts";
import { Random } from "../helpers/random.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { decodeRecords } from "./crash-records.ts";

const PROGRAM = join(import.meta.dir, "crash-in-log-mode.ts");
const KILLS = randomRuns(12, 60);

test("a killed process leaves a file whose count was committed, with the content of the reported commits", async () => {
  const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 2 ** 31);
  const random = new Random(seed);
  const folder = tempFolder();
  const uuid = newUuid();
  const path = documentFile(folder, uuid);
  const copy = join(folder, "copy.grist");
  mkdirSync(documentFolder(folder, uuid), { recursive: true });
  createDocumentFile(path);
  prepareForLog(path, { seq: 1 });
  copyFileSync(path, copy);
  let total = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const at = readCommitCount(copy);
    const records = join(folder, `commits-${kill}`);
    await runUntilKilled([folder, uuid, String(seed + kill), records], random.below(400));
    const commits = decodeRecords(new Uint8Array(readFileSync(records)));
    const found = recoverFile(path);
    const context = `kill ${kill} of QUERN_TEST_SEED=${seed}`;
    expect(commits.map(({ count }) => count.seq)).toEqual(commits.map((_, n) => (at?.seq ?? 0) + n + 1));
    // The process may be killed between a commit and its report.
    const reported: ChangeCount[] = [...(at ? [at] : []), ...commits.map(({ count }) => count)];
    const last = reported.at(-1);
    const isReported = reported.some((count) => count.epoch === found?.epoch && count.seq === found.seq);
    const isUnreported = found?.seq === (last?.seq ?? 0) + 1;
    if (!isReported && !isUnreported) throw new Error(`${context}: ${JSON.stringify({ found, last })}`);
    const file = openSync(copy, "r+");
    for (const { bytes } of commits) if (bytes) applyPageSet(file, decodePageSet(bytes));
    closeSync(file);
    expect(readCommitCount(copy)).toEqual(last ?? null);
    if (found?.seq === last?.seq) {
      if (!readFileSync(path).equals(readFileSync(copy))) throw new Error(`${context}: the files differ`);
    } else {
      // What was not reported is never used again.
      copyFileSync(copy, path);
    }
    total += commits.length;
  }
  expect(total).toBeGreaterThan(KILLS);
});

/** Runs the program, and kills it some time after its first commit. */
async function runUntilKilled(args: readonly string[], afterMs: number): Promise<void> {
  const child = Bun.spawn([process.execPath, PROGRAM, ...args], { stdout: "pipe", stderr: "inherit" });
  await child.stdout.getReader().read();
  // The random moment; nothing waits for it.
  await Bun.sleep(afterMs);
  child.kill("SIGKILL");
  await child.exited;
}
