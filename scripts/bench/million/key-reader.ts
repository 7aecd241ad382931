/**
 * Started by figures/concurrent-read.ts: reads 10 rows by ids that never repeat until its input ends, and prints the
 * duration of each read in milliseconds. One write in every 50 requests changes a cell of the same table; at most one
 * is in flight, because writes wait for the change that runs.
 */
import { PAUSE_MS, WRITE_EVERY } from "./million-bench.ts";
import { distantId } from "./rows.ts";

const { url, key, rows } = JSON.parse(Bun.argv[2] ?? "{}") as { url: string; key: string; rows: number };
const READ_ROWS = 10;
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
const taken: number[] = [];
const over = new AbortController();
void Bun.stdin.text().then(() => over.abort());
let pendingWrite: Promise<void> | undefined;

for (let n = 0; !over.signal.aborted; n++) {
  const id = distantId(n, rows);
  if (n % WRITE_EVERY === WRITE_EVERY - 1) {
    pendingWrite ??= write(id).finally(() => (pendingWrite = undefined));
  }
  const start = performance.now();
  await read(Array.from({ length: READ_ROWS }, (_, i) => ((id + i) % rows) + 1));
  taken.push(performance.now() - start);
  await Bun.sleep(PAUSE_MS);
}
await pendingWrite;
console.log(JSON.stringify(taken));

async function read(ids: readonly number[]): Promise<void> {
  const filter = encodeURIComponent(JSON.stringify({ id: ids }));
  const answer = await fetch(`${url}/tables/Big/records?filter=${filter}`, { headers });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
}

async function write(id: number): Promise<void> {
  const body = JSON.stringify({ records: [{ id, fields: { Note: `changed ${id}` } }] });
  const answer = await fetch(`${url}/tables/Big/records`, { method: "PATCH", headers, body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
}
