import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fault, Findings, type Outcome, until } from "./fault.ts";
import { createShim, missingForShim, type Shim } from "./shim.ts";
import { setStage, type Stage, Writer } from "./stage.ts";

const ROUNDS = 5;
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
      return await failAgainAndAgain({ stage, shim, rounds: isQuick ? 1 : ROUNDS });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Failing {
  readonly stage: Stage;
  readonly shim: Shim;
  readonly rounds: number;
}

async function failAgainAndAgain({ stage, shim, rounds }: Failing): Promise<Outcome> {
  const findings = new Findings();
  const writers = [new Writer(stage, stage.own, "own"), new Writer(stage, stage.other, "other")];
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    for (const error of ["EROFS", "EIO"] as const) {
      for (const writer of writers) findings.expectAnswer("writing", await writer.add(), [200]);
      shim.failDisk(error);
      for (let i = 0; i < TRIES; i++) {
        for (const writer of writers) findings.expectAnswer(error, await writer.add(), [507, /disk|cannot be written/]);
      }
      await whileItLasts(stage, error, findings);
      shim.failDisk(null);
      for (const writer of writers) {
        // A file that could be opened for reading only is so until the next attempt to write.
        const backMs = await until(async () => (await writer.add()).status === 200, 5000);
        findings.expect(backMs !== undefined, `after ${error}: writing is not possible again`);
        slowestMs = Math.max(slowestMs, backMs ?? 0);
        findings.expectAnswer("writing afterwards", await writer.add(), [200]);
      }
      const renamed = await stage.ask("PATCH", `/docs/${stage.own}`, { name: `After ${error}` });
      findings.expectAnswer("a new name afterwards", renamed, [200]);
    }
  }
  for (const writer of writers) await writer.verify(findings);
  await stage.check(findings);
  const failed = (await stage.errors()).filter((line) => line.includes('"event":"failed"'));
  findings.expect(failed.length === 0, `the log tells of what nobody foresaw: ${failed.join("\n")}`);
  const count = (kind: "acknowledged" | "refused") => writers.reduce((sum, writer) => sum + writer[kind].size, 0);
  return {
    figures: `${rounds} times read-only and broken, ${count("acknowledged")} requests acknowledged and ${count("refused")} refused, writing again after ${slowestMs.toFixed(0)} ms`,
    problems: findings.problems,
  };
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
