import { openConnections } from "./connections.ts";
import { type Fault, Findings, maxResponseMs, quantile, until } from "./fault.ts";
import { startFaultServer, type FaultServer, VerifyingWriter } from "./fault-server.ts";

const QUICK_S = 2;
const FULL_S = 8;
/** Interval between the bytes of heads and bodies. */
const DRIP_MS = 400;
const HEAD = "GET /api/orgs HTTP/1.1\r\nHost: a\r\nX-Slow: ";
/** Each reads a large response: as many as the server allows concurrently for a document. */
const SLOW_READERS = 64;
const ROWS = 6000;
const ROW_BYTES = 5000;
/** The runtime's timeout for request heads, which no setting changes. */
const HEADER_TIMEOUT_MS = 13_000;
/** Minimum timeout of responses that no client reads. */
const UNREAD_RESPONSE_MS = 24_000;

/** Clients that send heads and bodies byte by byte, and clients that read large responses as slowly. */
export const slowloris: Fault = {
  name: "slowloris",
  isWaiting: true,
  async run({ isQuick }) {
    const timeoutS = isQuick ? QUICK_S : FULL_S;
    const count = isQuick ? 100 : 1000;
    await using faultServer = await startFaultServer({
      settings: { QUERN_CLIENT_TIMEOUT_S: String(timeoutS), QUERN_MAX_REQUESTS: String(count) },
    });
    const findings = new Findings();
    const writer = new VerifyingWriter(faultServer, faultServer.own);
    for (let i = 0; i < ROWS / 600; i++) await fill(faultServer);
    const { address } = faultServer.server;
    using heads = await openConnections(address, count, { first: HEAD });
    using bodies = await openConnections(address, count / 10, { first: bodyHead(faultServer, 10_000) });
    using slowReaders = await openConnections(address, SLOW_READERS, {
      first: slowReadRequest(faultServer),
      ignoresResponses: true,
    });
    const isFull = async () => !(await hasCapacity(faultServer));
    findings.expect((await until(isFull, maxResponseMs(isQuick))) !== undefined, "large responses do not start");
    const times: number[] = [];
    const start = performance.now();
    const isOver = async () => {
      heads.send("a");
      bodies.send(" ");
      const answers = [await writer.add(), await faultServer.request("GET", "/status")];
      for (const answer of answers) findings.expectAnswer("other requests meanwhile", answer, [200]);
      times.push(...answers.map(({ ms }) => ms));
      await Bun.sleep(DRIP_MS);
      return heads.closed === heads.opened && bodies.closed === bodies.opened;
    };
    const withinMs = Math.max(timeoutS * 1200, HEADER_TIMEOUT_MS) + maxResponseMs(isQuick);
    const overMs = await until(isOver, withinMs);
    findings.expect(
      overMs !== undefined,
      `${heads.opened - heads.closed} heads and ${bodies.opened - bodies.closed} bodies are still open after ${(performance.now() - start).toFixed(0)} ms`,
    );
    const timedOut = bodies.answers.get("HTTP/1.1 408") ?? 0;
    findings.expect(
      timedOut === bodies.opened,
      `only ${timedOut} of ${bodies.opened} slow bodies were answered with 408`,
    );
    findings.expect(
      Math.max(...times) < maxResponseMs(isQuick),
      `other requests take up to ${Math.max(...times).toFixed(0)} ms`,
    );
    const releasedMs = await until(() => hasCapacity(faultServer), UNREAD_RESPONSE_MS + maxResponseMs(isQuick));
    findings.expect(releasedMs !== undefined, "the resources of unread responses are not released");
    await writer.verify(findings);
    await faultServer.check(findings);
    const figures = `${heads.opened} heads and ${bodies.opened} bodies byte by byte, cut within ${((overMs ?? 0) / 1000).toFixed(1)} s; ${slowReaders.opened} unread responses, released ${((releasedMs ?? 0) / 1000).toFixed(1)} s later; other requests: median ${quantile(times, 0.5).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(0)} ms`;
    return { figures, problems: findings.problems };
  },
};

/** Returns whether another large response can start: their number is limited. */
async function hasCapacity({ server, key, other }: FaultServer): Promise<boolean> {
  const response = await fetch(`${server.address}/api/docs/${other}/tables/Items/records`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await response.body?.cancel();
  return response.status === 200;
}

const fill = ({ requestOk, other }: FaultServer) =>
  requestOk("POST", `/docs/${other}/tables/Items/records`, {
    records: Array.from({ length: 600 }, () => ({ fields: { Text: "x".repeat(ROW_BYTES) } })),
  });

const bodyHead = ({ own, key }: FaultServer, length: number): string =>
  [
    `POST /api/docs/${own}/tables/Items/records HTTP/1.1`,
    "Host: a",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "",
    "",
  ].join("\r\n");

const slowReadRequest = ({ other, key }: FaultServer): string =>
  [`GET /api/docs/${other}/tables/Items/records HTTP/1.1`, "Host: a", `Authorization: Bearer ${key}`, "", ""].join(
    "\r\n",
  );
