import { Findings, type FaultOutcome, until } from "./fault.ts";
import { type FaultServer, VerifyingWriter } from "./fault-server.ts";

/** Number of failures and recoveries of the disk. */
const ROUNDS = 5;

/** Writers to both documents while the disk fails and recovers, with their results. */
export class DiskWriters {
  readonly findings = new Findings();
  readonly faultServer: FaultServer;
  readonly rounds: number;
  readonly own: VerifyingWriter;
  readonly all: readonly VerifyingWriter[];
  #slowestMs = 0;

  constructor(faultServer: FaultServer, { isQuick }: { isQuick: boolean }) {
    this.faultServer = faultServer;
    this.rounds = isQuick ? 1 : ROUNDS;
    this.own = new VerifyingWriter(faultServer, faultServer.own, "own");
    this.all = [this.own, new VerifyingWriter(faultServer, faultServer.other, "other")];
  }

  /** Retries writes until one succeeds, with rows of this size; records `problem` if none does. */
  async recover(writer: VerifyingWriter, { size, problem }: { size?: number; problem: string }): Promise<void> {
    const backMs = await until(async () => (await writer.add(size)).status === 200, 5000);
    this.findings.expect(backMs !== undefined, problem);
    this.#slowestMs = Math.max(this.#slowestMs, backMs ?? 0);
  }

  /** Verifies the documents and the log. */
  async verify(): Promise<void> {
    for (const writer of this.all) await writer.verify(this.findings);
    await this.faultServer.check(this.findings);
    const failed = (await this.faultServer.errors()).filter((line) => line.includes('"event":"http.request_failed"'));
    this.findings.expect(failed.length === 0, `the log has unexpected errors: ${failed.join("\n")}`);
  }

  /** @param how the disk's state, such as `full` */
  outcome(how: string): FaultOutcome {
    const count = (kind: "acknowledged" | "refused") => this.all.reduce((sum, writer) => sum + writer[kind].size, 0);
    return {
      figures: `${this.rounds} times ${how}, ${count("acknowledged")} requests acknowledged and ${count("refused")} refused, writing again after ${this.#slowestMs.toFixed(0)} ms`,
      problems: this.findings.problems,
    };
  }
}
