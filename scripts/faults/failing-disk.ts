import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskWriters } from "./disk-writers.ts";
import type { Fault, Findings, Outcome } from "./fault.ts";
import { createShim, missingForShim, type Shim } from "./shim.ts";
import { setStage, type Stage } from "./stage.ts";

/** Writes while it lasts. */
const TRIES = 10;

/** From one moment to the next the disk takes nothing any more: it became read-only, or it is broken; and back again. */
export const failingDisk: Fault = {
  name: "failing-disk",
  missing: missingForShim,
  async run({ isQuick }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-fault-disk-"));
    const data = join(folder, "data");
    try {
      const shim = createShim(folder, data);
      await using stage = await setStage({ data, under: shim.under });
      return await failAgainAndAgain(new DiskWriters(stage, { isQuick }), shim);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function failAgainAndAgain(writers: DiskWriters, shim: Shim): Promise<Outcome> {
  const { stage, findings } = writers;
  for (let round = 0; round < writers.rounds; round++) {
    for (const error of ["EROFS", "EIO"] as const) {
      for (const writer of writers.all) findings.expectAnswer("writing", await writer.add(), [200]);
      shim.failDisk(error);
      for (let i = 0; i < TRIES; i++) {
        for (const writer of writers.all) {
          findings.expectAnswer(error, await writer.add(), [507, /disk|cannot be written/]);
        }
      }
      await whileItLasts(stage, error, findings);
      shim.failDisk(null);
      for (const writer of writers.all) {
        // A file that could be opened for reading only is so until the next attempt to write.
        await writers.recover(writer, { problem: `after ${error}: writing is not possible again` });
        findings.expectAnswer("writing afterwards", await writer.add(), [200]);
      }
      const renamed = await stage.ask("PATCH", `/docs/${stage.own}`, { name: `After ${error}` });
      findings.expectAnswer("a new name afterwards", renamed, [200]);
    }
  }
  await writers.verify();
  return writers.outcome("read-only and broken");
}

async function whileItLasts({ own, other, ask }: Stage, error: string, findings: Findings): Promise<void> {
  for (const document of [own, other]) {
    const read = await ask("GET", `/docs/${document}/tables/Items/records?limit=5`);
    // What cannot be opened for writing can be read; what is broken need not be.
    if (error !== "EIO" || read.status !== 507) findings.expectAnswer(`reading during ${error}`, read, [200]);
  }
  findings.expectAnswer(`the state during ${error}`, await ask("GET", "/status?ready=1"), [200]);
  findings.expectAnswer(`who I am during ${error}`, await ask("GET", "/profile/user"), [200]);
  const renamed = await ask("PATCH", `/docs/${own}`, { name: "Refused" });
  findings.expectAnswer(`a new name during ${error}`, renamed, [507, /disk|cannot be written/]);
}
