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

/**
 * The machine's clock is set while requests are in progress: no timer may be hours late or early, and nothing is lost.
 */
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
      await using faultServer = await startFaultServer({ data, under: shim.wrapper, settings });
      return await runClockJumps({
        faultServer,
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
  readonly faultServer: FaultServer;
  readonly shim: Shim;
  readonly received: Receiver;
  readonly jumps: readonly (typeof JUMPS)[number][];
  readonly patience: number;
}

async function runClockJumps({ faultServer, shim, received, jumps, patience }: ClockJumpSetup): Promise<FaultOutcome> {
  const findings = new Findings();
  const writer = new VerifyingWriter(faultServer, faultServer.own);
  await faultServer.requestOk("POST", `/docs/${faultServer.other}/tables/Items/records`, {
    records: Array.from({ length: ROWS }, () => ({ fields: { Text: "x".repeat(4000) } })),
  });
  const trash = await faultServer.requestOk<string>("POST", `/workspaces/${faultServer.workspace}/docs`, {
    name: "In the trash",
  });
  await faultServer.requestOk("POST", `/docs/${trash}/remove`);
  const fields = { url: received.url, tableId: "Items", eventTypes: ["add", "update"] };
  await faultServer.requestOk("POST", `/docs/${faultServer.own}/webhooks`, { webhooks: [{ fields }] });
  let slowestMs = 0;
  for (const [what, offS] of jumps) {
    const answer = await openLargeResponse(faultServer);
    await answer.take();
    // The first attempt fails, so that one is waiting for its retry when the clock is set.
    received.refuse(1);
    await writer.add();
    await until(() => received.refused, 5000);
    shim.setClock(offS);
    for (let i = 0; i < 5; i++) {
      const added = await writer.add();
      findings.expectAnswer(`writing, ${what}`, added, [200]);
      findings.expect(added.ms < patience, `writing, ${what}, takes ${added.ms.toFixed(0)} ms`);
    }
    findings.expectAnswer(
      `reading, ${what}`,
      await faultServer.request("GET", `/docs/${faultServer.own}/tables`),
      [200],
    );
    findings.expectAnswer(`who I am, ${what}`, await faultServer.request("GET", "/profile/user"), [200]);
    // Longer than the server's sweep interval.
    await Bun.sleep(2500);
    findings.expect((await answer.rest()) === ROWS, `a large response is cut off, ${what}`);
    const wanted = writer.acknowledged.size;
    const deliveredMs = await until(() => received.requests.size >= wanted, DELIVERY_TIMEOUT_MS);
    findings.expect(deliveredMs !== undefined, `webhooks are delayed, ${what}`);
    slowestMs = Math.max(slowestMs, deliveredMs ?? 0);
  }
  shim.setClock(0);
  const back = await faultServer.request("POST", `/docs/${trash}/unremove`);
  findings.expectAnswer("restoring a document from the trash", back, [200]);
  await writer.verify(findings);
  await faultServer.check(findings);
  const errors = await faultServer.errors();
  findings.expect(errors.length === 0, `the log has errors: ${errors.join("\n")}`);
  const figures = `${jumps.length} jumps, ${writer.acknowledged.size} requests acknowledged, webhooks at most ${(slowestMs / 1000).toFixed(1)} s later`;
  return { figures, problems: findings.problems };
}

/** Starts a large response that is read in parts. */
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
    /** Reads the rest, and returns the number of rows. */
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
  /** Numbers of requests whose rows have arrived. */
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

  /** Answers the next `count` deliveries with an error. */
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
