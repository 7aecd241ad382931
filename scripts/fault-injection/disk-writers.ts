import { Findings, type FaultOutcome, until } from "./fault.ts";
import { type FaultServer, VerifyingWriter } from "./fault-server.ts";

/** How often the disk fails and is well again. */
const ROUNDS = 5;

/** Those who write to both documents while the disk fails and is well again, and what came of it. */
export class DiskWriters {
  readonly findings = new Findings();
  readonly stage: FaultServer;
  readonly rounds: number;
  readonly own: VerifyingWriter;
  readonly all: readonly VerifyingWriter[];
  #slowestMs = 0;

  constructor(stage: FaultServer, { isQuick }: { isQuick: boolean }) {
    this.stage = stage;
    this.rounds = isQuick ? 1 : ROUNDS;
    this.own = new VerifyingWriter(stage, stage.own, "own");
    this.all = [this.own, new VerifyingWriter(stage, stage.other, "other")];
  }

  /** Writes until it works again, with rows of a size; `problem` is noted when it does not. */
  async recover(writer: VerifyingWriter, { size, problem }: { size?: number; problem: string }): Promise<void> {
    const backMs = await until(async () => (await writer.add(size)).status === 200, 5000);
    this.findings.expect(backMs !== undefined, problem);
    this.#slowestMs = Math.max(this.#slowestMs, backMs ?? 0);
  }

  /** Looks at what is left of it all, in the documents and in the log. */
  async verify(): Promise<void> {
    for (const writer of this.all) await writer.verify(this.findings);
    await this.stage.check(this.findings);
    const failed = (await this.stage.errors()).filter((line) => line.includes('"event":"http.request_failed"'));
    this.findings.expect(failed.length === 0, `the log tells of what nobody foresaw: ${failed.join("\n")}`);
  }

  /** @param how the disk was so many times, as `full` */
  outcome(how: string): FaultOutcome {
    const count = (kind: "acknowledged" | "refused") => this.all.reduce((sum, writer) => sum + writer[kind].size, 0);
    return {
      figures: `${this.rounds} times ${how}, ${count("acknowledged")} requests acknowledged and ${count("refused")} refused, writing again after ${this.#slowestMs.toFixed(0)} ms`,
      problems: this.findings.problems,
    };
  }
}
