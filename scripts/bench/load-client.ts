/**
 * Started by load.ts: sends requests over several connections, for some seconds or a number of them, and prints the rate in
 * wrk's format.
 */
import type { LoadRun } from "./load.ts";

const { url, headers, body, keys, seconds, connections, first, count } = JSON.parse(Bun.argv[2] ?? "{}") as LoadRun;
const start = performance.now();
let answered = 0;
let sent = first;

const send = (id: number): Promise<Response> => {
  const isWrite = keys && sent % keys.write.every === 0;
  if (isWrite) {
    const to = new URL(url).origin + keys.write.path;
    return fetch(to, { method: "PATCH", headers, body: fill(keys.write.body, id) });
  }
  const post = body !== undefined && { method: "POST", body: fill(body, id) };
  return fetch(fill(url, id), { headers, ...post });
};

function fill(template: string, id: number): string {
  if (!keys) return template;
  const ids = () => Array.from({ length: keys.listLength }, (_, i) => ((id - 1 + i) % keys.rows) + 1).join(",");
  return template.replace("{id}", String(id)).replace("{ids}", ids);
}

const connection = async () => {
  while (count === undefined ? performance.now() - start < seconds * 1000 : sent < first + count) {
    sent++;
    const response = await send(keys ? ((sent * keys.step) % keys.rows) + 1 : 0);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${response.status}`);
    answered++;
  }
};
await Promise.all(Array.from({ length: connections }, connection));
const taken = (performance.now() - start) / 1000;
console.log(`${answered} requests in ${taken.toFixed(2)}s`);
console.log(`Requests/sec: ${(answered / taken).toFixed(1)}`);
