import { rowOf } from "../rows.ts";
import { COLUMNS } from "../rows.ts";
import type { Bench, Benchmark, Measurement } from "../bench.ts";
import { secondsOfRequests } from "../load.ts";

const SINGLE_ROWS = 100_000;
const IN_FLIGHT = 64;
const JOB_LINES = 1_000_000;

/** Many rows: one request each, with full durability and the client on the same cores; and lines in one request. */
export const bulk: Benchmark = {
  name: "bulk",
  run: async (bench) => [await singleRows(bench), ...(await lines(bench))],
};

async function singleRows(bench: Bench): Promise<Measurement> {
  const document = await bench.documentOf(0);
  await using server = await bench.serve({ extraSettings: { QUERN_MAX_PARALLEL: "0" } });
  const body = JSON.stringify({ records: [{ fields: { Key: "key", City: "Riga", Qty: 5, Note: "a note" } }] });
  const request = { url: `${server.address}${document}/tables/Big/records`, headers: bench.headers, body };
  const value = await secondsOfRequests(request, { count: SINGLE_ROWS, connections: IN_FLIGHT });
  return {
    name: `${SINGLE_ROWS.toLocaleString("en")} one-row adds, ${IN_FLIGHT} in flight, client on the same cores`,
    value,
    unit: "s",
    target: { max: 20 },
  };
}

async function lines(bench: Bench): Promise<Measurement[]> {
  const document = await bench.documentOf(0);
  await using server = await bench.serve();
  const headers = { ...bench.headers, "Content-Type": "application/x-ndjson" };
  const body = Array.from({ length: JOB_LINES }, (_, n) => {
    const cells = rowOf(n + 1);
    return `${JSON.stringify(Object.fromEntries(COLUMNS.map(({ id }, column) => [id, cells[column]])))}\n`;
  }).join("");
  const start = performance.now();
  const accepted = await fetch(`${server.address}${document}/tables/Big/records`, { method: "POST", headers, body });
  const acceptedS = (performance.now() - start) / 1000;
  if (accepted.status !== 202) throw new Error(`${accepted.status} ${await accepted.text()}`);
  const url = server.address + (accepted.headers.get("location") ?? "");
  for (;;) {
    const job = (await (await fetch(url, { headers: bench.headers })).json()) as { status: string; endedAt: unknown };
    if (job.endedAt !== null && job.status !== "completed") throw new Error(JSON.stringify(job));
    if (job.endedAt !== null) break;
    await Bun.sleep(50);
  }
  const completedS = (performance.now() - start) / 1000;
  const name = `${JOB_LINES.toLocaleString("en")} lines of ${COLUMNS.length} cells in one request`;
  return [
    { name: `${name}, until the answer`, value: acceptedS, unit: "s" },
    { name: `${name}, until the job has ended`, value: completedS, unit: "s" },
  ];
}
