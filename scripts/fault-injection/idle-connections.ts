import { availableHandles } from "./file-descriptors.ts";
import { openConnections } from "./connections.ts";
import { type Fault, Findings, maxResponseMs, quantile, until } from "./fault.ts";
import { startFaultServer, type FaultServer, VerifyingWriter } from "./fault-server.ts";

const FULL_COUNT = 10_000;
const QUICK_COUNT = 1000;
const PARTIAL_HEADERS = "GET / HTTP/1.1\r\nHost: a\r\nX-";
/** Reserved for other open files. */
const RESERVED_DESCRIPTORS = 500;

/** Thousands of idle connections; the latency of other requests does not change. */
export const idleConnections: Fault = {
  name: "idle-connections",
  async run({ isQuick }) {
    const count = Math.min(isQuick ? QUICK_COUNT : FULL_COUNT, availableHandles() - RESERVED_DESCRIPTORS);
    await using faultServer = await startFaultServer({ settings: { QUERN_CLIENT_TIMEOUT_S: "100" } });
    const findings = new Findings();
    const writer = new VerifyingWriter(faultServer, faultServer.own);
    const before = await work(faultServer, writer, findings);
    const memoryBefore = await residentMb(faultServer.server.pid);
    using connections = await openConnections(faultServer.server.address, count);
    using heads = await openConnections(faultServer.server.address, count / 10, { first: PARTIAL_HEADERS });
    findings.expect(connections.opened === count, `only ${connections.opened} of ${count} connections were opened`);
    const during = await work(faultServer, writer, findings);
    const memoryDuring = await residentMb(faultServer.server.pid);
    findings.expect(
      during.slowestMs < maxResponseMs(isQuick),
      `other requests take up to ${during.slowestMs.toFixed(0)} ms`,
    );
    connections[Symbol.dispose]();
    heads[Symbol.dispose]();
    const after = await work(faultServer, writer, findings);
    await writer.verify(findings);
    await faultServer.check(findings);
    const perConnection = ((memoryDuring - memoryBefore) * 1024) / (connections.opened + heads.opened);
    const figures = `${connections.opened} idle and ${heads.opened} within a head, ${perConnection.toFixed(1)} KB each; other requests: median ${before.medianMs.toFixed(1)} ms before, ${during.medianMs.toFixed(1)} ms (slowest ${during.slowestMs.toFixed(0)} ms) meanwhile, ${after.medianMs.toFixed(1)} ms afterwards`;
    return { figures, problems: findings.problems };
  },
};

const FILES = 300;
const REQUEST = "GET /status HTTP/1.1\r\nHost: a\r\n\r\n";

/** More connections than the server's file descriptor limit. */
export const noHandles: Fault = {
  name: "no-handles",
  missing: () => (Bun.which("prlimit") === null ? "prlimit is not installed" : undefined),
  async run({ isQuick }) {
    await using faultServer = await startFaultServer({ under: ["prlimit", `--nofile=${FILES}:${FILES}`] });
    const findings = new Findings();
    const writer = new VerifyingWriter(faultServer, faultServer.own);
    const rounds = isQuick ? 1 : 10;
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      findings.expectAnswer("before", await writer.add(), [200]);
      {
        // Connections that have had a response are closed for new ones when file descriptors run out.
        using _used = await openConnections(faultServer.server.address, 2 * FILES, { first: REQUEST });
        const reclaimedMs = await until(async () => (await writer.add()).status === 200, 10_000);
        findings.expect(reclaimedMs !== undefined, "idle connections use up all file descriptors");
        slowestMs = Math.max(slowestMs, reclaimedMs ?? 0);
      }
      using connections = await openConnections(faultServer.server.address, 2 * FILES);
      // For connections without any request so far, the server cannot know whether one will follow.
      const meanwhile = await writer.add();
      findings.expect([0, 200, 503, 507].includes(meanwhile.status), `meanwhile: ${meanwhile.status}`);
      connections[Symbol.dispose]();
      const recoveredMs = await until(async () => (await writer.add()).status === 200, 10_000);
      findings.expect(
        recoveredMs !== undefined,
        "the server does not respond again when file descriptors are available",
      );
      slowestMs = Math.max(slowestMs, recoveredMs ?? 0);
      const other = await faultServer.request("GET", `/docs/${faultServer.other}/tables/Items/records`);
      findings.expectAnswer("another document afterwards", other, [200]);
    }
    await writer.verify(findings);
    await faultServer.check(findings);
    const figures = `${rounds} times ${2 * FILES} connections on ${FILES} handles, answered again after ${slowestMs.toFixed(0)} ms`;
    return { figures, problems: findings.problems };
  },
};

/** Writes and reads, one request at a time. */
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
