/**
 * Started by isolation.ts: fills a table by requests of many rows, until it reaches a number of rows or a time limit.
 */
import { COLUMNS, rowOf } from "../../bench/rows.ts";

const { url, headers, rows, perRequest, mostMs } = JSON.parse(Bun.argv[2] ?? "{}") as {
  url: string;
  headers: Record<string, string>;
  rows: number;
  perRequest: number;
  mostMs: number;
};
const names = COLUMNS.map(({ id }) => id);
const body = (first: number) => {
  const records = Array.from({ length: perRequest }, (_, i) => {
    const cells = rowOf(first + i);
    return { fields: Object.fromEntries(names.map((name, c) => [name, cells[c]])) };
  });
  return JSON.stringify({ records });
};
const until = performance.now() + mostMs;
let first = 1;
for (; first <= rows && performance.now() < until; first += perRequest) {
  const answer = await fetch(url, { method: "POST", headers, body: body(first) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
console.log(first - 1);
