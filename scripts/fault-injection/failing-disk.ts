import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskWriters } from "./disk-writers.ts";
import type { Fault, Findings, FaultOutcome } from "./fault.ts";
import { createShim, shimUnavailableReason, type Shim } from "./shim.ts";
import { startFaultServer, type FaultServer } from "./fault-server.ts";

/** Writes while it lasts. */
const WRITE_ATTEMPTS = 10;

/** From one moment to the next the disk takes nothing any more: it became read-only, or it is broken; and back again. */
export const failingDisk: Fault = {
  name: "failing-disk",
  missing: shimUnavailableReason,
  async run({ isQuick }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-fault-disk-"));
    const data = join(folder, "data");
    try {
      const shim = createShim(folder, data);
      await using stage = await startFaultServer({ data, under: shim.wrapper });
      return await failRepeatedly(new DiskWriters(stage, { isQuick }), shim);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function failRepeatedly(writers: DiskWriters, shim: Shim): Promise<FaultOutcome> {
  const { stage, findings } = writers;
  for (let round = 0; round < writers.rounds; round++) {
    for (const error of ["EROFS", "EIO"] as const) {
      for (const writer of writers.all) findings.expectAnswer("writing", await writer.add(), [200]);
      shim.failDisk(error);
      for (let i = 0; i < WRITE_ATTEMPTS; i++) {
        for (const writer of writers.all) {
          findings.expectAnswer(error, await writer.add(), [507, /disk|cannot be written/]);
        }
      }
      await checkWhileFailing(stage, error, findings);
      shim.failDisk(null);
      for (const writer of writers.all) {
        // A file that could be opened for reading only is so until the next attempt to write.
        await writers.recover(writer, { problem: `after ${error}: writing is not possible again` });
        findings.expectAnswer("writing afterwards", await writer.add(), [200]);
      }
      const renamed = await stage.request("PATCH", `/docs/${stage.own}`, { name: `After ${error}` });
      findings.expectAnswer("a new name afterwards", renamed, [200]);
    }
  }
  await writers.verify();
  return writers.outcome("read-only and broken");
}

async function checkWhileFailing(
  { own, other, request }: FaultServer,
  error: string,
  findings: Findings,
): Promise<void> {
  for (const document of [own, other]) {
    const read = await request("GET", `/docs/${document}/tables/Items/records?limit=5`);
    // What cannot be opened for writing can be read; what is broken need not be.
    if (error !== "EIO" || read.status !== 507) findings.expectAnswer(`reading during ${error}`, read, [200]);
  }
  findings.expectAnswer(`the state during ${error}`, await request("GET", "/status?ready=1"), [200]);
  findings.expectAnswer(`who I am during ${error}`, await request("GET", "/profile/user"), [200]);
  const renamed = await request("PATCH", `/docs/${own}`, { name: "Refused" });
  findings.expectAnswer(`a new name during ${error}`, renamed, [507, /disk|cannot be written/]);
}
