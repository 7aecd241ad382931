import { type Fault, Findings, maxResponseMs, quantile } from "./fault.ts";
import { type Answer, createRequester, startFaultServer, type FaultServer, VerifyingWriter } from "./fault-server.ts";

const CLIENTS = 200;

/** 200 concurrent clients request one document as fast as they can, while another client uses another document. */
export const flood: Fault = {
  name: "flood",
  async run({ isQuick }) {
    await using faultServer = await startFaultServer({ settings: { QUERN_LOG_LEVEL: "error" } });
    const findings = new Findings();
    const request = createRequester(faultServer.server.address, faultServer.key, { keepAlive: true });
    const writers = Array.from(
      { length: CLIENTS },
      (_, at) => new VerifyingWriter({ request }, faultServer.own, `w${at}`),
    );
    const until = performance.now() + (isQuick ? 2000 : 20_000);
    const statuses = new Map<number, number>();
    const note = ({ status, headers }: Answer) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) findings.expect(headers.has("Retry-After"), "a 429 without Retry-After");
    };
    const attack = async (writer: VerifyingWriter, at: number) => {
      for (let i = 0; performance.now() < until; i++) {
        const isReading = at % 2 === 0 && i % 5 !== 0;
        note(
          isReading
            ? await request("GET", `/docs/${faultServer.own}/tables/Items/records?limit=50`)
            : await writer.add(),
        );
      }
    };
    const bystander = work(faultServer, until);
    await Promise.all(writers.map(attack));
    const answers = await bystander;
    const after = await faultServer.request("GET", `/docs/${faultServer.own}/tables/Items/records?limit=1`);
    findings.expectAnswer("directly afterwards", after, [200]);
    findings.expect(after.ms < maxResponseMs(isQuick), `directly afterwards a request takes ${after.ms.toFixed(0)} ms`);
    for (const status of statuses.keys()) {
      findings.expect([200, 429, 503].includes(status), `${statuses.get(status)} answers with ${status}`);
    }
    const wrong = answers.filter(({ status }) => status !== 200);
    findings.expect(wrong.length === 0, `${wrong.length} of ${answers.length} requests elsewhere: ${wrong[0]?.text}`);
    const times = answers.map(({ ms }) => ms);
    findings.expect(quantile(times, 0.99) < 2 * maxResponseMs(isQuick), "requests elsewhere are not answered in time");
    for (const writer of writers) await writer.verify(findings);
    await faultServer.check(findings);
    const shown = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
    const figures = `${CLIENTS} clients: ${shown.join(", ")}; elsewhere ${answers.length} requests, median ${quantile(times, 0.5).toFixed(1)} ms, 99 % within ${quantile(times, 0.99).toFixed(1)} ms`;
    return { figures, problems: findings.problems };
  },
};

/** Sends requests for the other document, one at a time. */
async function work({ server, key, other }: FaultServer, until: number): Promise<Answer[]> {
  const request = createRequester(server.address, key, { keepAlive: true });
  const writer = new VerifyingWriter({ request }, other, "bystander");
  const answers: Answer[] = [];
  while (performance.now() < until) {
    answers.push(await writer.add());
    answers.push(await request("GET", `/docs/${other}/tables/Items/records?limit=10`));
    answers.push(await request("GET", "/status"));
    await Bun.sleep(20);
  }
  return answers;
}
