import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskWriters } from "./disk-writers.ts";
import type { Fault, Findings, FaultOutcome } from "./fault.ts";
import { createShim, shimUnavailableReason, type Shim } from "./shim.ts";
import { startFaultServer, type FaultServer } from "./fault-server.ts";

/** Writes per failure. */
const WRITE_ATTEMPTS = 10;

/** The disk fails suddenly, by becoming read-only or with I/O errors, and recovers. */
export const failingDisk: Fault = {
  name: "failing-disk",
  missing: shimUnavailableReason,
  async run({ isQuick }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-fault-disk-"));
    const data = join(folder, "data");
    try {
      const shim = createShim(folder, data);
      await using faultServer = await startFaultServer({ data, under: shim.wrapper });
      return await failRepeatedly(new DiskWriters(faultServer, { isQuick }), shim);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function failRepeatedly(writers: DiskWriters, shim: Shim): Promise<FaultOutcome> {
  const { faultServer, findings } = writers;
  for (let round = 0; round < writers.rounds; round++) {
    for (const error of ["EROFS", "EIO"] as const) {
      for (const writer of writers.all) findings.expectAnswer("writing", await writer.add(), [200]);
      shim.failDisk(error);
      for (let i = 0; i < WRITE_ATTEMPTS; i++) {
        for (const writer of writers.all) {
          findings.expectAnswer(error, await writer.add(), [507, /storage\.failed/]);
        }
      }
      await checkWhileFailing(faultServer, error, findings);
      shim.failDisk(null);
      for (const writer of writers.all) {
        // A file that was opened read-only stays so until the next attempt to write.
        await writers.recover(writer, { problem: `after ${error}: writing does not resume` });
        findings.expectAnswer("writing afterwards", await writer.add(), [200]);
      }
      const renamed = await faultServer.request("PATCH", `/docs/${faultServer.own}`, { name: `After ${error}` });
      findings.expectAnswer("renaming afterwards", renamed, [200]);
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
    // A file that cannot be opened for writing can still be read; on I/O errors, reading may fail.
    if (error !== "EIO" || read.status !== 507) findings.expectAnswer(`reading during ${error}`, read, [200]);
  }
  findings.expectAnswer(`the status during ${error}`, await request("GET", "/status?ready=1"), [200]);
  findings.expectAnswer(`the profile during ${error}`, await request("GET", "/profile/user"), [200]);
  const renamed = await request("PATCH", `/docs/${own}`, { name: "Refused" });
  findings.expectAnswer(`renaming during ${error}`, renamed, [507, /storage\.failed/]);
}
