import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fault, Findings, type FaultOutcome, maxResponseMs, until } from "./fault.ts";
import { createShim, shimUnavailableReason, type Shim } from "./shim.ts";
import { startFaultServer, type FaultServer, VerifyingWriter } from "./fault-server.ts";

const HOUR_S = 3600;
const YEARS_S = 10 * 365 * 24 * HOUR_S;
const JUMPS = [
  ["ten years ahead", YEARS_S],
  ["an hour back", -HOUR_S],
  ["right again", 0],
  ["a month back", -30 * 24 * HOUR_S],
] as const;
const DELIVERY_TIMEOUT_MS = 15_000;
const ROWS = 3000;

/** Somebody sets the machine's clock while there is work: nothing waits for hours, ends before its time or is lost. */
export const clockJump: Fault = {
  name: "clock-jump",
  isWaiting: true,
  missing: shimUnavailableReason,
  async run({ isQuick }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-fault-clock-"));
    const data = join(folder, "data");
    const received = new Receiver();
    try {
      const shim = createShim(folder, data);
      const settings = { QUERN_WEBHOOK_ALLOW: "127.0.0.1", QUERN_RATE_PER_KEY: "100000" };
      await using stage = await startFaultServer({ data, under: shim.wrapper, settings });
      return await runClockJumps({
        stage,
        shim,
        received,
        jumps: isQuick ? JUMPS.slice(0, 2) : [...JUMPS, ...JUMPS, ...JUMPS],
        patience: maxResponseMs(isQuick),
      });
    } finally {
      received[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface ClockJumpSetup {
  readonly stage: FaultServer;
  readonly shim: Shim;
  readonly received: Receiver;
  readonly jumps: readonly (typeof JUMPS)[number][];
  readonly patience: number;
}

async function runClockJumps({ stage, shim, received, jumps, patience }: ClockJumpSetup): Promise<FaultOutcome> {
  const findings = new Findings();
  const writer = new VerifyingWriter(stage, stage.own);
  await stage.requestOk("POST", `/docs/${stage.other}/tables/Items/records`, {
    records: Array.from({ length: ROWS }, () => ({ fields: { Text: "x".repeat(4000) } })),
  });
  const trash = await stage.requestOk<string>("POST", `/workspaces/${stage.workspace}/docs`, { name: "In the trash" });
  await stage.requestOk("POST", `/docs/${trash}/remove`);
  const fields = { url: received.url, tableId: "Items", eventTypes: ["add", "update"] };
  await stage.requestOk("POST", `/docs/${stage.own}/webhooks`, { webhooks: [{ fields }] });
  let slowestMs = 0;
  for (const [what, offS] of jumps) {
    const answer = await openLargeResponse(stage);
    await answer.take();
    // The first try fails, so that one waits for its time when the clock is set.
    received.refuse(1);
    await writer.add();
    await until(() => received.refused, 5000);
    shim.setClock(offS);
    for (let i = 0; i < 5; i++) {
      const added = await writer.add();
      findings.expectAnswer(`writing, ${what}`, added, [200]);
      findings.expect(added.ms < patience, `writing, ${what}, takes ${added.ms.toFixed(0)} ms`);
    }
    findings.expectAnswer(`reading, ${what}`, await stage.request("GET", `/docs/${stage.own}/tables`), [200]);
    findings.expectAnswer(`who I am, ${what}`, await stage.request("GET", "/profile/user"), [200]);
    // Longer than the server looks around for what is not used any more.
    await Bun.sleep(2500);
    findings.expect((await answer.rest()) === ROWS, `a large answer breaks off, ${what}`);
    const wanted = writer.acknowledged.size;
    const deliveredMs = await until(() => received.requests.size >= wanted, DELIVERY_TIMEOUT_MS);
    findings.expect(deliveredMs !== undefined, `webhooks wait, ${what}`);
    slowestMs = Math.max(slowestMs, deliveredMs ?? 0);
  }
  shim.setClock(0);
  const back = await stage.request("POST", `/docs/${trash}/unremove`);
  findings.expectAnswer("a document out of the trash", back, [200]);
  await writer.verify(findings);
  await stage.check(findings);
  const errors = await stage.errors();
  findings.expect(errors.length === 0, `the log tells of errors: ${errors.join("\n")}`);
  const figures = `${jumps.length} jumps, ${writer.acknowledged.size} requests acknowledged, webhooks at most ${(slowestMs / 1000).toFixed(1)} s later`;
  return { figures, problems: findings.problems };
}

/** An answer that is taken bit by bit. */
async function openLargeResponse({ server, key, other }: FaultServer) {
  const response = await fetch(`${server.address}/api/docs/${other}/tables/Items/records`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  const take = async (): Promise<boolean> => {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (value) chunks.push(value);
    return !done;
  };
  return {
    take,
    /** Takes what is left, and counts the rows. */
    async rest(): Promise<number> {
      try {
        while (await take());
        return (JSON.parse(Buffer.concat(chunks).toString()) as { records: unknown[] }).records.length;
      } catch {
        return 0;
      }
    },
  };
}

/** A receiver of webhooks. */
class Receiver implements Disposable {
  /** Numbers of requests whose rows have come. */
  readonly requests = new Set<string>();
  #refusing = 0;
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (this.#refusing > 0) {
        this.#refusing--;
        return new Response("", { status: 500 });
      }
      for (const { Key } of (await request.json()) as { Key: string }[]) this.requests.add(Key.split("/")[1] ?? "");
      return new Response();
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }

  /** The next so many are answered with an error. */
  refuse(count: number): void {
    this.#refusing = count;
  }

  get refused(): boolean {
    return this.#refusing === 0;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}
