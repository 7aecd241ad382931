import { availableHandles } from "./file-descriptors.ts";
import { openConnections } from "./connections.ts";
import { type Fault, Findings, maxResponseMs, quantile, until } from "./fault.ts";
import { startFaultServer, type FaultServer, VerifyingWriter } from "./fault-server.ts";

const FULL_COUNT = 10_000;
const QUICK_COUNT = 1000;
const PARTIAL_HEADERS = "GET / HTTP/1.1\r\nHost: a\r\nX-";
/** For what else is open. */
const RESERVED_DESCRIPTORS = 500;

/** Thousands of connections that ask for nothing; others are answered as ever. */
export const idleConnections: Fault = {
  name: "idle-connections",
  async run({ isQuick }) {
    const count = Math.min(isQuick ? QUICK_COUNT : FULL_COUNT, availableHandles() - RESERVED_DESCRIPTORS);
    await using stage = await startFaultServer({ settings: { QUERN_CLIENT_TIMEOUT_S: "100" } });
    const findings = new Findings();
    const writer = new VerifyingWriter(stage, stage.own);
    const before = await work(stage, writer, findings);
    const memoryBefore = await residentMb(stage.server.pid);
    using connections = await openConnections(stage.server.address, count);
    using heads = await openConnections(stage.server.address, count / 10, { first: PARTIAL_HEADERS });
    findings.expect(connections.made === count, `only ${connections.made} of ${count} connections were made`);
    const during = await work(stage, writer, findings);
    const memoryDuring = await residentMb(stage.server.pid);
    findings.expect(during.slowestMs < maxResponseMs(isQuick), `others wait for ${during.slowestMs.toFixed(0)} ms`);
    connections[Symbol.dispose]();
    heads[Symbol.dispose]();
    const after = await work(stage, writer, findings);
    await writer.verify(findings);
    await stage.check(findings);
    const perConnection = ((memoryDuring - memoryBefore) * 1024) / (connections.made + heads.made);
    const figures = `${connections.made} idle and ${heads.made} within a head, ${perConnection.toFixed(1)} KB each; others: half within ${before.medianMs.toFixed(1)} ms before, ${during.medianMs.toFixed(1)} ms (slowest ${during.slowestMs.toFixed(0)} ms) meanwhile, ${after.medianMs.toFixed(1)} ms afterwards`;
    return { figures, problems: findings.problems };
  },
};

const FILES = 300;
const REQUEST = "GET /status HTTP/1.1\r\nHost: a\r\n\r\n";

/** More connections than the server may have files open. */
export const noHandles: Fault = {
  name: "no-handles",
  missing: () => (Bun.which("prlimit") === null ? "there is no prlimit" : undefined),
  async run({ isQuick }) {
    await using stage = await startFaultServer({ under: ["prlimit", `--nofile=${FILES}:${FILES}`] });
    const findings = new Findings();
    const writer = new VerifyingWriter(stage, stage.own);
    const rounds = isQuick ? 1 : 10;
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      findings.expectAnswer("before", await writer.add(), [200]);
      {
        // Those that have had an answer are closed for others when handles get scarce.
        using _used = await openConnections(stage.server.address, 2 * FILES, { first: REQUEST });
        const roomMs = await until(async () => (await writer.add()).status === 200, 10_000);
        findings.expect(roomMs !== undefined, "connections that ask for nothing more take all handles");
        slowestMs = Math.max(slowestMs, roomMs ?? 0);
      }
      using connections = await openConnections(stage.server.address, 2 * FILES);
      // Of those that never asked for anything it is not known whether they will.
      const meanwhile = await writer.add();
      findings.expect([0, 200, 503, 507].includes(meanwhile.status), `meanwhile: ${meanwhile.status}`);
      connections[Symbol.dispose]();
      const backMs = await until(async () => (await writer.add()).status === 200, 10_000);
      findings.expect(backMs !== undefined, "the server does not answer again when there are handles");
      slowestMs = Math.max(slowestMs, backMs ?? 0);
      const other = await stage.request("GET", `/docs/${stage.other}/tables/Items/records`);
      findings.expectAnswer("another document afterwards", other, [200]);
    }
    await writer.verify(findings);
    await stage.check(findings);
    const figures = `${rounds} times ${2 * FILES} connections on ${FILES} handles, answered again after ${slowestMs.toFixed(0)} ms`;
    return { figures, problems: findings.problems };
  },
};

/** Writes and reads, one after the other. */
async function work({ request, own, other }: FaultServer, writer: VerifyingWriter, findings: Findings) {
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
    const answers = [
      await writer.add(),
      await request("GET", `/docs/${own}/tables/Items/records?limit=10`),
      await request("GET", `/docs/${other}/tables/Items/records?limit=10`),
      await request("GET", "/status"),
    ];
    for (const answer of answers) findings.expectAnswer("others", answer, [200]);
    times.push(...answers.map(({ ms }) => ms));
  }
  return { medianMs: quantile(times, 0.5), slowestMs: Math.max(...times) };
}

async function residentMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
